"""The functions: each runs one command of the program and returns its result."""

from __future__ import annotations

import os
from typing import List, Mapping, Optional, Sequence, Union

from .errors import FactsNeeded, error_of
from .observed import Simulation, simulation_of
from .options import Arguments, Assumptions, Shape, kernel_options, launch_options, option, pairs, repeated
from .predicted import Prediction, prediction_of
from .program import PathLike, run
from .report import Report, report_of

as_json = ["--format=json", "--quiet"]


def bound(
    file: PathLike,
    *,
    gpu: PathLike,
    launch: Optional[str] = None,
    grid: Optional[Shape] = None,
    block: Optional[Shape] = None,
    dynamic_shared_memory: Optional[int] = None,
    kernel: Optional[str] = None,
    target: Optional[str] = None,
    arguments: Optional[Arguments] = None,
    flow_facts: Optional[PathLike] = None,
    source: Optional[PathLike] = None,
    assume: Optional[Assumptions] = None,
    policy: Optional[str] = None,
    multiprocessors: Optional[Union[int, str]] = None,
    clock: Optional[str] = None,
    deadline: Optional[str] = None,
    time_limit: Optional[float] = None,
    program: Optional[PathLike] = None,
) -> Report:
    """Bounds a launch: `warpbound bound`. Raises FactsNeeded with all that is missing.

    arguments: {"n": 512}, {1: 512} or {"0x178": 512}. deadline: "10ms". A deadline that is not met is a verdict, no
    exception. Options that are None have the program's default.
    """
    ended = run(
        [
            "bound",
            os.fspath(file),
            *launch_options(gpu, launch, grid, block, dynamic_shared_memory, assume),
            *kernel_options(kernel, target, flow_facts, source, arguments),
            *option("policy", policy),
            *option("multiprocessors", multiprocessors),
            *option("clock", clock),
            *option("deadline", deadline),
            *option("time-limit", time_limit),
            *as_json,
        ],
        program,
    )
    answer = ended.result("warpbound-bound/1")["kernels"][0]
    if "report" in answer:
        return report_of(answer["report"], ended.exit_code)
    if "refusal" in answer:
        raise error_of(answer["refusal"], ended.exit_code, ended.command)
    needs = [(each["what"], each["state"]) for each in answer["needs"]]
    raise FactsNeeded(answer["kernel"], needs, ended.exit_code, ended.command)


def analyze(
    file: PathLike,
    *,
    gpu: PathLike,
    launch: Optional[str] = None,
    grid: Optional[Shape] = None,
    block: Optional[Shape] = None,
    dynamic_shared_memory: Optional[int] = None,
    kernel: Optional[str] = None,
    target: Optional[str] = None,
    arguments: Optional[Arguments] = None,
    flow_facts: Optional[PathLike] = None,
    source: Optional[PathLike] = None,
    assume: Optional[Assumptions] = None,
    policy: Optional[str] = None,
    multiprocessors: Optional[Union[int, str]] = None,
    clock: Optional[str] = None,
    deadline: Optional[str] = None,
    time_limit: Optional[float] = None,
    runs: Optional[int] = None,
    seed: Optional[int] = None,
    draw: Optional[str] = None,
    campaign: Optional[PathLike] = None,
    program: Optional[PathLike] = None,
) -> Report:
    """Bounds a launch and compares with observed times: `warpbound analyze`. runs: simulated; campaign: recorded."""
    ended = run(
        [
            "analyze",
            os.fspath(file),
            *launch_options(gpu, launch, grid, block, dynamic_shared_memory, assume),
            *kernel_options(kernel, target, flow_facts, source, arguments),
            *option("policy", policy),
            *option("multiprocessors", multiprocessors),
            *option("clock", clock),
            *option("deadline", deadline),
            *option("time-limit", time_limit),
            *option("runs", runs),
            *option("seed", seed),
            *option("draw", draw),
            *option("campaign", campaign),
            *as_json,
        ],
        program,
    )
    return report_of(ended.result("warpbound-report/1"), ended.exit_code)


def simulate(
    file: PathLike,
    *,
    gpu: PathLike,
    launch: Optional[str] = None,
    grid: Optional[Shape] = None,
    block: Optional[Shape] = None,
    dynamic_shared_memory: Optional[int] = None,
    kernel: Optional[str] = None,
    target: Optional[str] = None,
    arguments: Optional[Arguments] = None,
    flow_facts: Optional[PathLike] = None,
    source: Optional[PathLike] = None,
    assume: Optional[Assumptions] = None,
    policy: Optional[str] = None,
    multiprocessors: Optional[Union[int, str]] = None,
    clock: Optional[str] = None,
    runs: Optional[int] = None,
    seed: Optional[int] = None,
    draw: Optional[str] = None,
    campaign: Optional[PathLike] = None,
    execute: bool = False,
    outputs: Optional[Mapping[str, PathLike]] = None,
    program: Optional[PathLike] = None,
) -> Simulation:
    """Runs a launch on the simulated device: `warpbound simulate`. campaign: records every run in this file.

    execute: on the data of its arguments, as {"0x160": "buffer:f32:128x128:iota"}; outputs: the files for buffers.
    """
    ended = run(
        [
            "simulate",
            os.fspath(file),
            *launch_options(gpu, launch, grid, block, dynamic_shared_memory, assume),
            *kernel_options(kernel, target, flow_facts, source, arguments),
            *option("policy", policy),
            *option("multiprocessors", multiprocessors),
            *option("clock", clock),
            *option("runs", runs),
            *option("seed", seed),
            *option("draw", draw),
            *option("campaign", campaign),
            *(["--execute"] if execute else []),
            *repeated("output", [f"{name}={os.fspath(path)}" for name, path in (outputs or {}).items()]),
            *as_json,
        ],
        program,
    )
    return simulation_of(ended.result("warpbound-simulation/1"), ended.exit_code)


def predict(
    file: Optional[PathLike] = None,
    *,
    gpu: PathLike,
    profiles: Sequence[PathLike] = (),
    launch: Optional[str] = None,
    grid: Optional[Shape] = None,
    block: Optional[Shape] = None,
    dynamic_shared_memory: Optional[int] = None,
    kernel: Optional[str] = None,
    flow_facts: Optional[PathLike] = None,
    source: Optional[PathLike] = None,
    assume: Optional[Assumptions] = None,
    policy: Optional[str] = None,
    model: Optional[str] = None,
    parameters: Optional[str] = None,
    values: Optional[Mapping[str, Union[int, float, str]]] = None,
    sweep: Optional[str] = None,
    seed: Optional[int] = None,
    program: Optional[PathLike] = None,
) -> Prediction:
    """Estimates a time by published formulas: `warpbound predict`.

    file: a listing, or else profiles. values: {"l1-miss-rate": 1}. sweep: "warps=1:48".
    """
    files: List[str] = [] if file is None else [os.fspath(file)]
    ended = run(
        [
            "predict",
            *files,
            *launch_options(gpu, launch, grid, block, dynamic_shared_memory, assume),
            *kernel_options(kernel, None, flow_facts, source, None),
            *repeated("profile", [os.fspath(path) for path in profiles]),
            *option("policy", policy),
            *option("model", model),
            *option("parameters", parameters),
            *repeated("set", pairs(values)),
            *option("sweep", sweep),
            *option("seed", seed),
            *as_json,
        ],
        program,
    )
    return prediction_of(ended.result("warpbound-prediction/1"), ended.exit_code)
