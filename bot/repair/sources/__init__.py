"""Sources as structure: languages, trees, imports, outlines, paths."""
