"""A few of the cases of `make chaos`, which has them all: three workers on one Postgres, and what is done to them."""

from collections.abc import Callable, Iterator
from functools import partial

import postgres_server
import pytest
from bench.storm_acts import Plot
from chaos import cases
from chaos.figures import middle_of
from chaos.holds import steps_of
from chaos.stage import Stage, place_of, staged
from chaos.verdict import judge

LEASE = 15.0
"""A worker keeps half of it without a word: what else the machine has to do must not decide the test."""

pytestmark = [pytest.mark.slow, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def stage(postgres_cluster: postgres_server.Cluster, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with staged(tmp_path_factory.mktemp("chaos"), postgres_cluster, LEASE) as made:
        yield made


@pytest.fixture(scope="module")
def steps(stage: Stage) -> tuple[str, ...]:
    """The names of the steps of a fix that nobody disturbs."""
    calm = cases.undisturbed(stage)
    assert judge(stage, calm) == []
    return steps_of(stage.database, place_of(calm[-1]))


def require_untouched(stage: Stage, act: Callable[[Stage], tuple[Plot, ...]]) -> None:
    plots = act(stage)
    assert stage.await_ends(plots, cases.END_SECONDS)
    assert judge(stage, plots) == []


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_a_worker_killed_in_a_step_is_replaced_by_another(stage: Stage, steps: tuple[str, ...], share: float) -> None:
    step = 1 + round(share * (len(steps) - 1))
    require_untouched(stage, partial(cases.killed_at, step=step, issues=2))


def test_a_worker_cut_off_from_postgres_changes_nothing_afterwards(stage: Stage, steps: tuple[str, ...]) -> None:
    stage.muster()
    require_untouched(stage, partial(cases.cut_off, step=middle_of(steps), seconds=2 * LEASE, reset=False))


def test_a_worker_stopped_in_good_order_hands_over_its_job(stage: Stage, steps: tuple[str, ...]) -> None:
    stage.muster()
    require_untouched(stage, partial(cases.drained, step=middle_of(steps)))


def test_postgres_may_restart(stage: Stage, steps: tuple[str, ...]) -> None:
    stage.muster()
    require_untouched(stage, partial(cases.restarted, step=middle_of(steps), down=0.5, crash=False))
