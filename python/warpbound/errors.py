"""What ends without a result. Each exception has the program's message and exit code."""

from __future__ import annotations

from typing import Optional, Sequence, Tuple


class WarpboundError(Exception):
    """The program gave no result.

    message: what the program wrote to standard error.
    exit_code: as the program ended; None if it did not run; negative: ended by that signal.
    command: the command line.
    """

    def __init__(self, message: str, exit_code: Optional[int] = None, command: Sequence[str] = ()) -> None:
        super().__init__(message if exit_code is None else f"{message} (exit code {exit_code})")
        self.message = message
        self.exit_code = exit_code
        self.command: Tuple[str, ...] = tuple(command)


class ProgramNotFound(WarpboundError):
    """There is no program `warpbound`."""


class UsageError(WarpboundError):
    """Exit code 2: an option is unknown or does not fit the others."""


class InputRefused(WarpboundError):
    """Exit code 3: an input is wrong, or something is not known."""


class FactsNeeded(InputRefused):
    """A bound needs what only the user can state.

    needs: for each fact what is missing, and what states it.
    """

    def __init__(self, kernel: str, needs: Sequence[Tuple[str, str]], exit_code: int, command: Sequence[str]) -> None:
        lines = "; ".join(f"{what}: state {state}" for what, state in needs)
        super().__init__(f"{kernel}: no bound yet: {lines}", exit_code, command)
        self.kernel = kernel
        self.needs: Tuple[Tuple[str, str], ...] = tuple(needs)


class LimitReached(WarpboundError):
    """Exit code 4 without a result: a limit was reached before there was one."""


class UnexpectedResult(WarpboundError):
    """The program printed no JSON of the form that this package reads: it is of another version, or it failed."""


def error_of(message: str, exit_code: int, command: Sequence[str]) -> WarpboundError:
    """The exception for a command that printed no result."""
    kinds = {2: UsageError, 3: InputRefused, 4: LimitReached}
    return kinds.get(exit_code, UnexpectedResult)(message, exit_code, command)
