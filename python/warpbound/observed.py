"""Observed times: of the simulated device or of a campaign. They prove nothing about runs that were not made."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Dict, Optional, Tuple

from .program import Json


@dataclass(frozen=True)
class Observations:
    """values: each time with how often it was observed. outside_bounds: None where nothing was compared."""

    count: int
    best: int
    mean: float
    median: int
    worst: int
    unit: str
    values: Tuple[Tuple[int, int], ...]
    outside_bounds: Optional[int]


@dataclass(frozen=True)
class Simulation:
    """Runs on the simulated device. observations: by quantity; times in core cycles."""

    kernel: str
    launch: str
    machine: str
    multiprocessors: int
    policy: str
    seed: int
    draw: str
    runs: int
    observations: Dict[str, Observations]
    exit_code: int
    json: Json = field(repr=False, compare=False)

    @property
    def execution_time(self) -> Observations:
        return self.observations["execution-time"]


def observations_of(json: Json) -> Observations:
    return Observations(
        json["count"],
        json["best"],
        json["mean"],
        json["median"],
        json["worst"],
        json["unit"],
        tuple((each["value"], each["count"]) for each in json["values"]),
        json.get("outside-bounds"),
    )


def simulation_of(json: Json, exit_code: int) -> Simulation:
    return Simulation(
        kernel=json["kernel"]["name"],
        launch=json["launch"],
        machine=json["architecture"]["name"],
        multiprocessors=json["multiprocessors"],
        policy=json["policy"],
        seed=json["seed"],
        draw=json["draw"],
        runs=json["runs"],
        observations={quantity: observations_of(each) for quantity, each in json["observations"].items()},
        exit_code=exit_code,
        json=json,
    )
