"""The report of `bound` and `analyze`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Tuple

from .observed import Observations, observations_of
from .program import Json


@dataclass(frozen=True)
class Bounds:
    """A proved interval: every run under the assumptions takes at least lower and at most upper."""

    lower: int
    upper: int
    unit: str

    def contains(self, value: float) -> bool:
        return self.lower <= value <= self.upper


@dataclass(frozen=True)
class Claim:
    """One side of a bound."""

    id: str
    quantity: str
    side: str
    value: int
    unit: str
    kind: str
    proof: str
    assumptions: Tuple[str, ...]


@dataclass(frozen=True)
class Assumption:
    """A sentence that a reviewer can deny. status: proved, measured, reviewed or unchecked."""

    id: str
    text: str
    status: str
    about: str


@dataclass(frozen=True)
class Deadline:
    """verdict: met, violated or undecided. margin: from the upper bound to the limit, negative behind it."""

    limit: int
    unit: str
    verdict: str
    margin: Optional[int]


@dataclass(frozen=True)
class Report:
    """Bounds of a launch and what they rest on.

    bounds: of the execution time in core cycles. time: the same in nanoseconds, rounded outward; None without a clock.
    exit_code: 0 holds, 1 violated or refuted, 4 undecided.
    """

    kernel: str
    kernel_digest: str
    isa: str
    launch: str
    machine: str
    policy: str
    verdict: str
    bounds: Bounds
    time: Optional[Bounds]
    deadline: Optional[Deadline]
    claims: Tuple[Claim, ...]
    assumptions: Tuple[Assumption, ...]
    observations: Optional[Observations]
    undecided: Tuple[str, ...]
    exit_code: int
    json: Json = field(repr=False, compare=False)

    def unchecked(self) -> Tuple[Assumption, ...]:
        """The assumptions that nobody has checked."""
        return tuple(each for each in self.assumptions if each.status == "unchecked")


def claim_of(json: Json) -> Claim:
    return Claim(
        json["id"],
        json["quantity"],
        json["side"],
        json["value"],
        json["unit"],
        json["kind"],
        json["proof"],
        tuple(json["assumptions"]),
    )


def bounds_of(claims: Tuple[Claim, ...], quantity: str) -> Bounds:
    sides = {claim.side: claim for claim in claims if claim.quantity == quantity}
    return Bounds(sides["lower"].value, sides["upper"].value, sides["upper"].unit)


def report_of(json: Json, exit_code: int) -> Report:
    claims = tuple(claim_of(each) for each in json["claims"])
    time = json.get("time")
    deadline = json.get("deadline")
    observed = json.get("observations")
    return Report(
        kernel=json["kernel"]["name"],
        kernel_digest=json["kernel"]["digest"],
        isa=json["kernel"]["isa"],
        launch=json["launch"]["text"],
        machine=json["architecture"]["name"],
        policy=json["policy"],
        verdict=json["verdict"],
        bounds=bounds_of(claims, "execution-time"),
        time=None if time is None else Bounds(time["lower_ns"], time["upper_ns"], "ns"),
        deadline=None
        if deadline is None
        else Deadline(deadline["limit"], deadline["unit"], deadline["verdict"], deadline.get("margin")),
        claims=claims,
        assumptions=tuple(
            Assumption(each["id"], each["text"], each["status"], each["about"]) for each in json["assumptions"]
        ),
        observations=None if observed is None else observations_of(observed),
        undecided=tuple(json.get("undecided", ())),
        exit_code=exit_code,
        json=json,
    )
