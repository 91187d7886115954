"""Options that several commands have, as arguments of a command line."""

from __future__ import annotations

import os
from typing import Any, Iterable, List, Mapping, Optional, Sequence, Union

from .program import PathLike

Shape = Union[int, str, Sequence[int]]
Arguments = Mapping[Union[str, int], Union[int, str]]
Assumptions = Mapping[str, Union[int, str]]


def shape_text(shape: Shape) -> str:
    """32, "32x8" or (32, 8) as the program reads it."""
    if isinstance(shape, (int, str)):
        return str(shape)
    return "x".join(str(extent) for extent in shape)


def option(name: str, value: Union[None, int, float, str, PathLike]) -> List[str]:
    """Nothing for None. `--name=value`, so that a value may begin with a dash."""
    if value is None:
        return []
    return [f"--{name}={value if isinstance(value, (int, float)) else os.fspath(value)}"]


def repeated(name: str, values: Iterable[str]) -> List[str]:
    return [f"--{name}={value}" for value in values]


def pairs(values: Optional[Mapping[Any, Any]]) -> List[str]:
    return [f"{key}={value}" for key, value in (values or {}).items()]


def launch_options(
    gpu: PathLike,
    launch: Optional[str],
    grid: Optional[Shape],
    block: Optional[Shape],
    dynamic_shared_memory: Optional[int],
    assume: Optional[Assumptions],
) -> List[str]:
    """The machine and the size of the launch."""
    return [
        *option("gpu", gpu),
        *option("launch", launch),
        *option("grid", None if grid is None else shape_text(grid)),
        *option("block", None if block is None else shape_text(block)),
        *option("dynamic-shared-memory", dynamic_shared_memory),
        *repeated("assume", pairs(assume)),
    ]


def kernel_options(
    kernel: Optional[str], target: Optional[str], flow_facts: Optional[PathLike], source: Optional[PathLike], arguments: Optional[Arguments]
) -> List[str]:
    """Which kernel of the file, and what is known of it."""
    return [
        *option("kernel", kernel),
        *option("target", target),
        *option("flow-facts", flow_facts),
        *option("source", source),
        *repeated("arg", pairs(arguments)),
    ]
