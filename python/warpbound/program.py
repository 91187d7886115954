"""Finds the program, runs a command, reads its JSON."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Union

from .errors import ProgramNotFound, UnexpectedResult, error_of

Json = Dict[str, Any]
PathLike = Union[str, "os.PathLike[str]"]


def find_program() -> str:
    """The program: what WARPBOUND_PROGRAM names, else `warpbound` on PATH."""
    named = os.environ.get("WARPBOUND_PROGRAM")
    if named:
        if not os.access(named, os.X_OK) or not Path(named).is_file():
            raise ProgramNotFound(f"WARPBOUND_PROGRAM names no program: {named}")
        return named
    found = shutil.which("warpbound")
    if found is None:
        raise ProgramNotFound("no program warpbound on PATH; install it, or name it by WARPBOUND_PROGRAM")
    return found


@dataclass(frozen=True)
class Completed:
    """A command that ended."""

    command: Sequence[str]
    exit_code: int
    output: str
    message: str  # Standard error, without the name of the program in front.

    def parsed(self) -> Json:
        """The object that was printed; raises what the program said where there is none."""
        if not self.output.strip():
            raise error_of(self.message or "it printed nothing", self.exit_code, self.command)
        try:
            result = json.loads(self.output)
        except json.JSONDecodeError as error:
            raise UnexpectedResult(f"no JSON: {error}; {self.message}", self.exit_code, self.command) from error
        if not isinstance(result, dict):
            raise UnexpectedResult("JSON, but no object", self.exit_code, self.command)
        return result

    def result(self, schema: str) -> Json:
        """The result, which has this form."""
        result = self.parsed()
        if result.get("schema") != schema:
            raise UnexpectedResult(
                f"a result of the form {result.get('schema')}; expected {schema}", self.exit_code, self.command
            )
        return result


def run(arguments: Sequence[str], program: Optional[PathLike] = None) -> Completed:
    """Runs `warpbound ARGUMENTS`. program: another one than find_program()."""
    command: List[str] = [find_program() if program is None else os.fspath(program), *arguments]
    try:
        ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise ProgramNotFound(f"{command[0]} does not run: {error}", None, command) from error
    message = ended.stderr.decode("utf-8", "replace").strip()
    if message.startswith("warpbound: "):
        message = message[len("warpbound: ") :]
    return Completed(command, ended.returncode, ended.stdout.decode("utf-8", "replace"), message)
