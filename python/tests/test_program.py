"""Programs that are absent, old or that fail: each ends in an exception with what was said."""

import os
import stat
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import warpbound
from warpbound.program import run


class Program(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def script(self, body):
        """A program that does this instead."""
        path = Path(self.folder.name) / "warpbound"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def bound(self, body):
        return warpbound.bound("x.sass", gpu="turing-t4", launch="1x32", program=self.script(body))

    def test_is_found_on_path_unless_the_environment_names_another(self):
        path = str(self.script("exit 0"))
        with mock.patch.dict(os.environ, {"PATH": self.folder.name}):
            os.environ.pop("WARPBOUND_PROGRAM", None)
            self.assertEqual(warpbound.find_program(), path)
            os.environ["WARPBOUND_PROGRAM"] = "/bin/sh"
            self.assertEqual(warpbound.find_program(), "/bin/sh")
            os.environ["WARPBOUND_PROGRAM"] = self.folder.name
            with self.assertRaisesRegex(warpbound.ProgramNotFound, "names no program"):
                warpbound.find_program()

    def test_that_is_absent_is_named(self):
        with mock.patch.dict(os.environ, {"PATH": "/nowhere"}):
            os.environ.pop("WARPBOUND_PROGRAM", None)
            with self.assertRaisesRegex(warpbound.ProgramNotFound, "on PATH"):
                warpbound.bound("x.sass", gpu="turing-t4")
        with self.assertRaisesRegex(warpbound.ProgramNotFound, "does not run"):
            run(["bound"], program="/nowhere/warpbound")

    def test_arguments_arrive_as_they_are(self):
        ended = run(["a b", "$HOME", ""], program=self.script('printf "%s|" "$@"'))
        self.assertEqual(ended.output, "a b|$HOME||")

    def test_of_another_version_is_refused_by_its_form(self):
        with self.assertRaisesRegex(warpbound.UnexpectedResult, "warpbound-bound/9; expected warpbound-bound/1"):
            self.bound("""echo '{"schema": "warpbound-bound/9"}'""")

    def test_that_prints_no_json_or_no_object_is_refused(self):
        with self.assertRaisesRegex(warpbound.UnexpectedResult, "no JSON"):
            self.bound("echo '{\"schema\": '")
        with self.assertRaisesRegex(warpbound.UnexpectedResult, "no object"):
            self.bound("echo 7")
        with self.assertRaisesRegex(warpbound.UnexpectedResult, "printed nothing"):
            self.bound("exit 0")

    def test_that_a_signal_ends_has_a_negative_exit_code(self):
        with self.assertRaises(warpbound.UnexpectedResult) as raised:
            self.bound("kill -9 $$")
        self.assertEqual(raised.exception.exit_code, -9)

    def test_a_limit_without_result_has_the_programs_message(self):
        with self.assertRaises(warpbound.LimitReached) as raised:
            self.bound("echo 'warpbound: the time limit of 1 s was reached' >&2; exit 4")
        self.assertEqual(raised.exception.message, "the time limit of 1 s was reached")
        self.assertEqual(raised.exception.command[1:3], ("bound", "x.sass"))


if __name__ == "__main__":
    unittest.main()
