"""The page docs/how-to/use-from-python.md: its Python runs, and prints what the page shows."""

import contextlib
import io
import os
import re
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


class Page(unittest.TestCase):
    def test_prints_what_it_shows(self):
        text = (ROOT / "docs" / "how-to" / "use-from-python.md").read_text()
        blocks = re.findall(r"^```(python|text)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        self.assertEqual([language for language, _ in blocks], ["python", "text", "python", "text"])
        before = os.getcwd()
        names = {}
        with tempfile.TemporaryDirectory() as folder:
            os.symlink(ROOT / "examples", Path(folder) / "examples")
            os.chdir(folder)
            try:
                for (_, code), (_, shown) in zip(blocks[::2], blocks[1::2]):
                    printed = io.StringIO()
                    with contextlib.redirect_stdout(printed):
                        exec(compile(code, "use-from-python.md", "exec"), names)
                    self.assertEqual(printed.getvalue(), shown)
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
