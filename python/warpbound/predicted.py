"""Estimates of published formulas. An estimate is no bound: it is a class of its own, with a float."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Tuple

from .program import Json


@dataclass(frozen=True)
class Estimate:
    """variant: the path that it is for. at: value of the parameter that is swept; None without a sweep."""

    model: str
    variant: str
    value: float
    unit: str
    source: str
    at: Optional[float]


@dataclass(frozen=True)
class Refusal:
    """A formula that gives no estimate here. missing: what it needs, as the program names it."""

    model: str
    variant: str
    why: str
    missing: Tuple[str, ...]
    at: Optional[float]


@dataclass(frozen=True)
class Prediction:
    """swept: the parameter of a sweep."""

    kernel: str
    launch: str
    machine: str
    estimates: Tuple[Estimate, ...]
    refused: Tuple[Refusal, ...]
    swept: Optional[str]
    exit_code: int
    json: Json = field(repr=False, compare=False)

    def estimate(self, model: str, variant: str = "typical", at: Optional[float] = None) -> Estimate:
        """That of a model. KeyError where there is none, with the reason if the model was refused."""
        for one in self.estimates:
            if (one.model, one.variant, one.at) == (model, variant, at):
                return one
        for refusal in self.refused:
            if (refusal.model, refusal.variant, refusal.at) == (model, variant, at):
                raise KeyError(f"{model}, {variant}: {refusal.why}")
        raise KeyError(f"no estimate of {model}, {variant}")


def prediction_of(json: Json, exit_code: int) -> Prediction:
    swept = json.get("swept")
    return Prediction(
        kernel=json["kernel"],
        launch=json["launch"],
        machine=json["architecture"]["name"],
        estimates=tuple(
            Estimate(
                each["model"],
                each["variant"],
                each["value"],
                each["unit"],
                each["source"],
                None if swept is None else each[swept],
            )
            for each in json["estimates"]
        ),
        refused=tuple(
            Refusal(
                each["model"],
                each["variant"],
                each["why"],
                tuple(each["missing"]),
                None if swept is None else each[swept],
            )
            for each in json["refused"]
        ),
        swept=swept,
        exit_code=exit_code,
        json=json,
    )
