"""The keys of `.github/regreen.yml`, their bounds and their defaults. Each default is the one that does least."""

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from bot.policy.words import below_root, few_stars, off, public, split, without_shell
from sandbox.spec import Given

PATH = ".github/regreen.yml"

Language = Literal["en", "de"]
"""Languages that `bot.pipeline.texts` has a text of each kind in."""
RoleName = Literal["coder", "tester", "critic", "reviewer", "condenser"]
"""The roles of `bot.repair.team.roles`, which lie above this module."""

_Glob = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(few_stars)]
_Host = Annotated[
    str,
    StringConstraints(min_length=1, max_length=253, pattern=r"^[A-Za-z0-9.-]+(:\d{1,5})?$"),
    AfterValidator(public),
]
_Argument = Annotated[str, StringConstraints(min_length=1, max_length=1_000, pattern=r"^[^\x00]*$")]
_Login = Annotated[str, StringConstraints(max_length=110, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(\[bot\])?$")]
_Reviewer = Annotated[
    str, StringConstraints(max_length=200, pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}(/[A-Za-z0-9._-]{1,99})?$")
]
_Model = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f]*$")]
_Arguments = Annotated[tuple[_Argument, ...], Field(max_length=100, strict=False)]
_Command = Annotated[
    _Arguments, BeforeValidator(split, json_schema_input_type=_Arguments | str), AfterValidator(without_shell)
]
_Globs = Annotated[tuple[_Glob, ...], Field(max_length=200, strict=False)]
_Dollars = Annotated[float, Field(ge=0, le=100_000, allow_inf_nan=False)]


class _Values(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)


class BudgetPolicy(_Values):
    """What may be spent here; each value can lower the operator's, never raise it. Unset keeps the operator's."""

    iterations: int | None = Field(None, ge=1, le=100, description="Rounds of one run, each of one candidate or a few.")
    tokens: int | None = Field(None, ge=0, le=1_000_000_000, description="Model tokens of one run, both directions.")
    minutes: float | None = Field(None, gt=0, le=10_000, allow_inf_nan=False, description="Wall clock of one run.")
    dollars: _Dollars | None = Field(None, description="Dollars of one run.")
    pull_request: _Dollars | None = Field(
        None, description="Dollars of all runs for one issue, red check or pull request of Regreen's."
    )
    repository_day: _Dollars | None = Field(None, description="Dollars of all runs in this repository within 24 hours.")
    installation_day: _Dollars | None = Field(
        None,
        description="Dollars of all runs in the whole installation within 24 hours, beyond which none starts here.",
    )


class RepoPolicy(_Values):
    """The keys of `.github/regreen.yml`; every one may be left out."""

    enabled: bool = Field(default=True, description="`false` makes the bot do nothing at all in this repository.")
    dry_run: bool = Field(
        default=False,
        description="`true` does everything but write to GitHub; what would have been written is in the run's log.",
    )
    language: Language = Field("en", description="The language of Regreen's own texts on GitHub.")
    label: str | None = Field(
        None, min_length=1, max_length=200, description="The label that starts a fix, in place of the operator's."
    )
    bots: tuple[_Login, ...] = Field(
        (),
        max_length=50,
        strict=False,
        description="Logins of bots that may ask for a fix, exactly as GitHub writes them. No other bot may.",
    )
    ignored_authors: tuple[_Login, ...] = Field(
        (),
        max_length=200,
        strict=False,
        description="Logins whose labels, comments, reviews and commits start nothing, and whose comments are not "
        "read.",
    )
    external_text: Literal["omit", "mark"] = Field(
        "omit",
        description="What becomes of comments by people who may not write here: left out of what a model reads, or "
        "marked as theirs.",
    )
    skip_assigned: bool = Field(
        default=False, description="`true` leaves issues alone that somebody other than who asks is assigned to."
    )
    max_attempts: int = Field(
        3,
        ge=1,
        le=20,
        description="Runs for one issue, red check or pull request, whatever starts them; a person's `/regreen retry` "
        "allows as many again.",
    )
    ci: bool = Field(default=True, description="Whether a red check suite on `branches` starts a fix.")
    branches: _Globs = Field(
        (), description="Branches whose red checks start a fix, as globs. Unset: the default branch alone."
    )
    ci_pull_requests: Annotated[Literal["off", "suggest", "stack"], BeforeValidator(off)] = Field(
        "off",
        description="What a red check on a pull request's branch leads to: nothing, a comment with the patch, or a "
        "pull request against that branch.",
    )
    update_stale_base: bool = Field(
        default=False,
        description="`true` merges the base into a branch that is red only because its base is old, where that branch "
        "is Regreen's own; `false` only says so.",
    )
    draft: bool = Field(
        default=False,
        description="`true` opens every pull request as a draft; `false` leaves it to the operator and to how far the "
        "fix can be trusted.",
    )
    review_tests: bool = Field(
        default=False,
        description="`true` shows a test that was written for an issue, and waits for `/regreen approve` before a fix.",
    )
    reviewers: tuple[_Reviewer, ...] = Field(
        (),
        max_length=15,
        strict=False,
        description="Logins, or teams as `organisation/team`, that are asked to review every pull request.",
    )
    co_authors: bool = Field(
        default=False, description="`true` names who asked as co-author in the trailers of every commit."
    )
    sign_off: bool = Field(default=False, description="`true` ends every commit message with the App's sign-off.")
    protected: _Globs = Field(
        (),
        description="Globs of paths that no fix may touch, beside the built-in ones (tests, workflows, this file).",
    )
    test_command: _Command = Field(
        (),
        description="How to run the whole suite: a list of arguments, or a line that is split as a shell would, "
        "without a shell. Unset: found out from the repository.",
    )
    setup: tuple[_Command, ...] = Field(
        (),
        max_length=50,
        strict=False,
        description="What sets the environment up before the network is cut: commands, each as test_command. Replaces "
        "what is found out.",
    )
    junit: Annotated[str, AfterValidator(below_root)] = Field(
        "", max_length=200, description="Glob of the JUnit XML files that test_command writes, where nothing else fits."
    )
    allowed_hosts: tuple[_Host, ...] = Field(
        (),
        max_length=50,
        strict=False,
        description="Hosts that the set-up may reach by HTTPS beside the package registries; public addresses only.",
    )
    roles: tuple[RoleName, ...] | None = Field(
        None,
        max_length=5,
        strict=False,
        description="Roles that models may play here, of those that the operator has models for. Unset: all of them; "
        "empty: no model is asked.",
    )
    models: dict[RoleName, _Model] = Field(
        {}, description="A model for a role, by its name, of those that the operator offers."
    )
    budget: BudgetPolicy = Field(BudgetPolicy(), description="What may be spent here.")

    @property
    def given(self) -> Given:
        """What this file decides about set-up and tests, for whoever finds out the rest."""
        return Given(self.test_command, self.setup, self.junit, self.allowed_hosts, PATH)
