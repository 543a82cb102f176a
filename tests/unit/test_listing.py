from bot.repair.localisation.localise import localise
from bot.repair.prompting.listing import listing
from bot.repair.types import SourceFile
from sandbox.spec import Frame, Outcome, TestResult

FILLER = "".join(f"export function filler{number}() {{\n  return {number};\n}}\n" for number in range(80))
LONG = f"{FILLER}export function add(a, b) {{\n  return a - b;\n}}\n".encode()
CASES = "".join(f"  it('case {number}', () => {{\n    filler{number}();\n  }});\n" for number in range(80))
SPEC = (
    f"describe('all', () => {{\n{CASES}  it('adds', () => {{\n    expect(add(1, 2)).toBe(3);\n  }});\n}});\n".encode()
)
FILES = {"src/long.ts": SourceFile("src/long.ts", LONG), "src/long.test.ts": SourceFile("src/long.test.ts", SPEC)}
RED = TestResult("src/long.test.ts::all > adds", Outcome.FAILED)


def test_of_long_files_in_every_language_with_a_grammar_whole_functions_are_shown() -> None:
    text = listing(localise([RED], (), FILES), FILES, [RED], 4000)
    assert text.startswith("src/long.ts :: add\n")
    assert " 242|   return a - b;" in text
    assert "src/long.test.ts :: all > adds (a failing test, not to be edited)" in text
    assert "expect(add(1, 2)).toBe(3);" in text
    assert "filler" not in text


def test_a_long_file_that_is_suspected_without_a_function_is_shown_as_a_whole() -> None:
    handlers = "".join(
        f"app.get('/{number}', (req) => {{\n  req.end({number});\n}});\n" for number in range(60)
    ).encode()
    files = {"app.js": SourceFile("app.js", handlers)}
    red = TestResult("app.test.js::answers", Outcome.FAILED, frames=(Frame("app.js", 2, ""),))
    assert listing(localise([red], (), files), files, [red], 20_000).startswith("app.js (the whole file)\n")


def test_what_does_not_fit_is_left_out_and_the_first_piece_is_cut() -> None:
    text = listing(localise([RED], (), FILES), FILES, [RED], 60)
    assert len(text.encode()) <= 60
    assert text.startswith("src/long.ts :: add\n")
