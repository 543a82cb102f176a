"""The pages: server-rendered, read-only; who may see and do what, they are told."""
