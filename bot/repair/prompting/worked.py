"""A task and its right answer, shown ahead of the real one to models that copy the form of what they see.

Measured with a 1.5 B model on eight small faults that are in no benchmark, warm samples: with the format only
described, 8 of 24 replies could be read as a patch that changes something; with the example, 6 of the first 9.
"""

from collections.abc import Mapping

from bot.repair.sources.grammar import SCRIPTS
from bot.repair.types import Message

CLOSING = "Now CAUSE, PREDICTION and the fix."
_TASK = """\
The task, as a stranger wrote it:
```
The total of one price is 0
```

The tests that fail and must pass:
```
FAILED {test}
  {failure}
  at {test_file}:5
```

{path} (the whole file)
```
{before}
```

{closing}"""
_ANSWER = """\
CAUSE: The loop begins at 1, so that the first price is left out.
PREDICTION: The total of one price is that price, and the test passes.
{heading}
```{fence}
{after}
```"""
_PYTHON = """\
def total(prices):
    result = 0
    for at in range({first}len(prices)):
        result += prices[at]
    return result"""
_SCRIPT = """\
function total(prices) {{
  let result = 0;
  for (let at = {first}; at < prices.length; at += 1) {{
    result += prices[at];
  }}
  return result;
}}"""
_GO = """\
func total(prices []int) int {{
	result := 0
	for at := {first}; at < len(prices); at++ {{
		result += prices[at]
	}}
	return result
}}"""


def _turns(path: str, test: str, fence: str, code: str, faulty: str, right: str) -> tuple[Message, Message]:
    heading = f"{path} :: total"
    task = _TASK.format(
        test=test,
        test_file=test.partition("::")[0],
        failure="assert 0 == 5",
        path=path,
        before=code.format(first=faulty),
        closing=CLOSING,
    )
    answer = _ANSWER.format(heading=heading, fence=fence, after=code.format(first=right))
    return Message("user", task), Message("assistant", answer)


_EXAMPLES: Mapping[str, tuple[Message, Message]] = {
    "python": _turns("prices.py", "test_prices.py::test_one", "python", _PYTHON, "1, ", ""),
    "go": _turns("prices.go", "prices_test.go::TestOne", "go", _GO, "1", "0"),
    **{
        language: _turns("prices.js", "prices.test.js::one price", language, _SCRIPT, "1", "0")
        for language in sorted(SCRIPTS)
    },
}


def example(language: str) -> tuple[Message, ...]:
    """A question and its answer in this language, nothing for one that there is none in."""
    return _EXAMPLES.get(language, ())
