"""Campaigns: recorded runs as dataclasses, as dictionaries or as a data frame."""

from __future__ import annotations

import importlib.util
import os
from dataclasses import dataclass
from typing import Any, Dict, List, Optional, Tuple

from .errors import UnexpectedResult, error_of
from .program import Json, PathLike, run

version = 4  # Of the form that is read.


@dataclass(frozen=True)
class Run:
    """times: one per warp where warps are timed apart; empty where an anomaly excludes times.

    anomaly: None for an undisturbed run, else its kind; remark: what was said of it.
    """

    number: int
    seed: int
    times: Tuple[int, ...]
    anomaly: Optional[str]
    remark: Optional[str]


@dataclass(frozen=True)
class Series:
    """Runs of one kernel on one device in one launch.

    conditions: what is known of the device, such as its clock, each with the first run that it holds for.
    """

    name: str
    device: str
    device_detail: str
    protocol: str
    kernel_digest: str
    facts_digest: str
    launch: str
    quantity: str
    conditions: Tuple[Tuple[int, Dict[str, str]], ...]
    runs: Tuple[Run, ...]

    def rows(self) -> List[Dict[str, Any]]:
        """One dictionary per time; a run without times has one with time None."""
        key = {
            "name": self.name,
            "device": self.device,
            "launch": self.launch,
            "quantity": self.quantity,
            "protocol": self.protocol,
        }
        return [
            {**key, "run": each.number, "seed": each.seed, "index": index, "time": time, "anomaly": each.anomaly}
            for each in self.runs
            for index, time in (enumerate(each.times) if each.times else [(0, None)])
        ]


def run_of(json: Json) -> Run:
    return Run(json["run"], int(json["seed"]), tuple(json["times"]), json.get("anomaly"), json.get("remark"))


def series_of(json: Json) -> Series:
    return Series(
        name=json["name"],
        device=json["device"],
        device_detail=json["device-detail"],
        protocol=json["protocol"],
        kernel_digest=json["kernel-digest"],
        facts_digest=json["facts-digest"],
        launch=json["launch"],
        quantity=json["quantity"],
        conditions=tuple((each["first-run"], each["values"]) for each in json["conditions"]),
        runs=tuple(run_of(each) for each in json["runs"]),
    )


def read_series(path: PathLike, program: Optional[PathLike] = None) -> Tuple[Series, ...]:
    """Every series of a campaign."""
    ended = run(["campaign", "export", os.fspath(path), "--format=json", "--quiet"], program)
    if ended.exit_code != 0:  # What was written before a refusal is incomplete.
        raise error_of(ended.message, ended.exit_code, ended.command)
    content = ended.parsed()
    if content.get("format") != "warpbound-campaign" or content.get("version") != version:
        raise UnexpectedResult(
            f"{content.get('format')}, version {content.get('version')}; expected warpbound-campaign, version {version}",
            ended.exit_code,
            ended.command,
        )
    return tuple(series_of(each) for each in content["series"])


def read_campaign(path: PathLike, frame: Optional[bool] = None, program: Optional[PathLike] = None) -> Any:
    """Every recorded time of a campaign, one row each: a pandas.DataFrame, or a list of dictionaries.

    frame: True needs pandas; False gives dictionaries; None takes pandas where it is installed.
    """
    rows = [row for series in read_series(path, program) for row in series.rows()]
    if frame is None:
        frame = importlib.util.find_spec("pandas") is not None
    if not frame:
        return rows
    import pandas

    columns = ["name", "device", "launch", "quantity", "protocol", "run", "seed", "index", "time", "anomaly"]
    table = pandas.DataFrame(rows, columns=columns)
    # Whole numbers stay whole beside a run without time; seeds need all 64 bits.
    return table.astype({"run": "int64", "index": "int64", "time": "Int64", "seed": "uint64"})
