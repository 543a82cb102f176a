"""From a log's lines to the view of a run."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from bot.pipeline.logs.runlog import Entry
from bot.pipeline.logs.witness import read_opening
from bot.pipeline.reading import artifacts, plain
from bot.pipeline.reading.attempts import Attempts
from bot.pipeline.reading.matrix import matrix
from bot.pipeline.reading.payloads import document
from bot.pipeline.reading.views import (
    AttemptView,
    EnvironmentView,
    MatrixView,
    RoleView,
    RunView,
    StepView,
    TestTryView,
)
from bot.repair.types import Usage

Owner = TypeVar("Owner")
KINDS = ("failing", "passing", "flaky", "skipped")


def read(entries: Iterable[Entry]) -> RunView:
    """What the lines say; those that nobody knows, of a later version or damaged in their fields, are left out."""
    reading = Reading()
    for entry in entries:
        reading.take(entry)
    return reading.view()


@dataclass(slots=True)
class Reading:
    """A view in the making: whoever follows a run takes new lines in as they come."""

    so_far: RunView = field(default_factory=RunView)
    attempts: Attempts = field(default_factory=Attempts)
    suite: dict[str, tuple[str, ...]] = field(default_factory=dict)
    steps: list[StepView] = field(default_factory=list)
    tries: dict[int, TestTryView] = field(default_factory=dict)
    remarks: list[str] = field(default_factory=list)
    reached: tuple[tuple[str, int], ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    drawn: tuple[object, MatrixView] | None = None
    """The matrix that was made last, and of what."""

    def take(self, entry: Entry) -> bool:
        """Take one line in; `False` says that it changes nothing of the view but `last`."""
        self.so_far = replace(self.so_far, last=entry.number)
        if of_attempt := _OF_ATTEMPTS.get(entry.event):
            of_attempt(self.attempts, entry)
        elif of_run := _OF_RUN.get(entry.event):
            of_run(self, entry)
        elif said := _REMARKS.get(entry.event):
            self.remarks.append(f"{said}: {plain.text(entry.fields, 'cause') or plain.text(entry.fields, 'call')}")
        else:
            return False
        return True

    def view(self) -> RunView:
        """Everything so far."""
        found = tuple(attempt for _, attempt in sorted(self.attempts.found.items()))
        environment = self.so_far.environment
        if environment is not None:
            environment = replace(environment, reached=self.reached, refused=self.refused)
        whole = replace(
            self.so_far,
            steps=tuple(self.steps),
            tries=tuple(self.tries.values()),
            attempts=found,
            matrix=self._matrix(found),
            environment=environment,
            remarks=(*self.remarks, *self.attempts.remarks),
        )
        return replace(whole, artifacts=artifacts.offered(whole))

    def _matrix(self, found: tuple[AttemptView, ...]) -> MatrixView:
        """Made anew only where what it shows has changed: it takes long."""
        of = (self.suite, tuple(one for one in found if one.trials and one.verdict), self.so_far.targets)
        if self.drawn is None or self.drawn[0] != of:
            self.drawn = of, matrix(*of)
        return self.drawn[1]

    def on_step_started(self, entry: Entry) -> None:
        """A step begins."""
        self.steps.append(StepView(plain.text(entry.fields, "step"), entry.at))

    def on_step_ended(self, entry: Entry) -> None:
        """The last step of this name that is under way has ended."""
        name = plain.text(entry.fields, "step")
        for at in range(len(self.steps) - 1, -1, -1):
            if self.steps[at].name == name and self.steps[at].seconds is None:
                self.steps[at] = replace(self.steps[at], seconds=plain.amount(entry.fields, "seconds"))
                return

    def on_opened(self, entry: Entry) -> None:
        """What the repair starts from."""
        models = tuple((role, str(name)) for role, name in plain.inner(entry.fields, "models").items())
        self.so_far = replace(self.so_far, models=models)
        try:
            opening = read_opening(entry.payload)
        except (ValueError, RecursionError):
            self.remarks.append("What the repair started from cannot be read")
            return
        environment = EnvironmentView(opening.base.recipe, opening.base.commit)
        self.so_far = replace(self.so_far, title=opening.about[0], environment=environment)

    def on_egress_allowed(self, entry: Entry) -> None:
        """Whom the set-up reached."""
        hosts = plain.inner(entry.fields, "hosts").items()
        self.reached += tuple((host, count) for host, count in hosts if isinstance(count, int))

    def on_egress_refused(self, entry: Entry) -> None:
        """Whom it wanted to reach in vain."""
        said = entry.fields
        where = f"{plain.text(said, 'host')}:{plain.whole(said, 'port')}"
        self.refused += ((where, plain.text(said, "reason")),)

    def on_baseline(self, entry: Entry) -> None:
        """What is red before anything is changed."""
        said = entry.fields
        named = {name: plain.names(said, name) for name in ("failing", "flaky")}
        counts = {name: plain.total(said, name, ids) for name, ids in named.items()}
        counts |= {name: plain.whole(said, name) for name in ("passing", "skipped")}
        targets = plain.names(said, "targets")
        self.suite = dict(named)
        self.so_far = replace(
            self.so_far,
            targets=targets,
            aims=plain.total(said, "targets", targets),
            baseline=tuple((name, counts[name]) for name in KINDS),
        )

    def on_suite(self, entry: Entry) -> None:
        """The names of all tests."""
        every = document(entry.payload)
        if not isinstance(every, dict):
            self.remarks.append("The names of all tests cannot be read")
        else:
            self.suite = {name: plain.names(every, name) for name in KINDS}
            counts = tuple((name, len(self.suite[name])) for name in KINDS)
            self.so_far = replace(self.so_far, baseline=counts)

    def on_test_written(self, entry: Entry) -> None:
        """A test that is to show the issue."""
        said, number = entry.fields, plain.whole(entry.fields, "number")
        if path := plain.text(said, "path"):
            self.tries[number] = TestTryView(number, path, plain.text(said, "prediction"), None)

    def on_test_judged(self, entry: Entry) -> None:
        """Whether it does."""
        number = plain.whole(entry.fields, "number")
        if number in self.tries:
            self.tries[number] = _judged(self.tries[number], entry)

    def on_approved_test(self, entry: Entry) -> None:
        """Whether one that somebody approved still does."""
        self.tries[0] = _judged(TestTryView(0, plain.text(entry.fields, "path"), "", None), entry)

    def on_stop(self, entry: Entry) -> None:
        """Why the repair ended."""
        said = entry.fields
        spent = plain.inner(said, "by_role")
        roles = tuple(RoleView(role, plain.usage(plain.inner(spent, role))) for role in spent)
        self.so_far = replace(
            self.so_far,
            stop=plain.text(said, "stop"),
            detail=plain.text(said, "detail"),
            solution=plain.maybe(said, "solution"),
            best=plain.maybe(said, "best"),
            roles=tuple(role for role in roles if role.usage != Usage()),
        )

    def on_closed(self, entry: Entry) -> None:
        """How the part that can be replayed ended, be it in an error."""
        if cause := plain.text(entry.fields, "cause"):
            self.remarks.append(f"{cause.rstrip('.')}. {plain.text(entry.fields, 'remedy')}".strip())

    def on_ended(self, entry: Entry) -> None:
        """How the job ended."""
        said = entry.fields
        self.so_far = replace(self.so_far, state=plain.text(said, "state"), headline=plain.text(said, "headline"))


def _judged(one: TestTryView, entry: Entry) -> TestTryView:
    said = entry.fields
    return replace(
        one,
        counts=said.get("counts") is True,
        reason=plain.text(said, "reason"),
        failing=plain.names(said, "failing"),
    )


def _handlers(owner: type[Owner]) -> Mapping[str, Callable[[Owner, Entry], None]]:
    return {name.removeprefix("on_"): method for name, method in vars(owner).items() if name.startswith("on_")}


_OF_RUN = _handlers(Reading)
_OF_ATTEMPTS = _handlers(Attempts)
_REMARKS: Mapping[str, str] = {
    "status_not_written": "The status could not be written",
    "not_written": "Not written, since this is a dry run",
    "not_commented": "A comment could not be written",
    "not_on_lines": "Remarks could not be put on lines",
    "reviewers_not_asked": "Nobody could be asked to review",
    "base_untested": "The base could not be tested",
    "thread_not_answered": "A thread could not be answered",
}
