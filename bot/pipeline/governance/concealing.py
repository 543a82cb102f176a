"""Ports whose results and errors hold no secret of this installation, so that nothing keeps one that records them."""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any

from bot.errors import RegreenError
from bot.pipeline.ports.job import Ports

Conceal = Callable[[str], str]


def conceal_ports(ports: Ports, conceal: Conceal) -> Ports:
    """The same ports; those that only this machine answers stay as they are."""

    def concealing(port: Any) -> Any:
        return Concealing(port, conceal)

    return replace(
        ports,
        github=concealing(ports.github),
        sources=concealing(ports.sources),
        environments=concealing(ports.environments),
        workspace=concealing(ports.workspace),
        models=ports.models.each(lambda _, model: concealing(model)),
        checks=concealing(ports.checks),
        threads=concealing(ports.threads),
        branches=concealing(ports.branches),
    )


@dataclass(frozen=True, slots=True)
class Concealing:
    """One such port."""

    port: Any
    conceal: Conceal

    def __getattr__(self, name: str) -> Any:
        """The port's own, its results and errors concealed."""
        found = getattr(self.port, name)
        if not callable(found):
            return found

        def method(*args: Any, **kwargs: Any) -> Any:
            try:
                return concealed(found(*args, **kwargs), self.conceal)
            except RegreenError as error:
                raise type(error)(self.conceal(error.cause), self.conceal(error.remedy)) from error

        return method


def concealed(value: Any, conceal: Conceal) -> Any:
    """A frozen value with every text in it concealed; bytes, enumerations and numbers stay as they are."""
    if type(value) is str:
        return conceal(value)
    if isinstance(value, tuple):
        return tuple(concealed(item, conceal) for item in value)
    if is_dataclass(value) and not isinstance(value, type):
        return replace(value, **{one.name: concealed(getattr(value, one.name), conceal) for one in fields(value)})
    return value
