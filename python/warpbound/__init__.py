"""Timing bounds for GPU kernels: typed functions around the program warpbound.

    import warpbound
    report = warpbound.bound("app.cubin", gpu="turing-t4", grid=(32, 32), block=(16, 16), arguments={"n": 512})
    print(report.bounds.upper, report.verdict)
"""

from .campaign import Run, Series, read_campaign, read_series
from .commands import analyze, bound, predict, simulate
from .errors import (
    FactsNeeded,
    InputRefused,
    LimitReached,
    ProgramNotFound,
    UnexpectedResult,
    UsageError,
    WarpboundError,
)
from .observed import Observations, Simulation
from .predicted import Estimate, Prediction, Refusal
from .program import find_program
from .report import Assumption, Bounds, Claim, Deadline, Report

__version__ = "0.1.0"
__all__ = [
    "Assumption", "Bounds", "Claim", "Deadline", "Estimate", "FactsNeeded", "InputRefused", "LimitReached", "Observations",
    "Prediction", "ProgramNotFound", "Refusal", "Report", "Run", "Series", "Simulation", "UnexpectedResult", "UsageError",
    "WarpboundError", "analyze", "bound", "find_program", "predict", "read_campaign", "read_series", "simulate",
]  # fmt: skip
