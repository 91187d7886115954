"""Campaigns: every time that was recorded, once."""

import dataclasses
import importlib.util
import tempfile
import unittest
from pathlib import Path

import warpbound

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


class Campaign(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = Path(self.folder.name) / "runs.db"
        self.simulation = warpbound.simulate(
            EXAMPLES / "saxpy" / "sm_75.sass",
            gpu="turing-t4",
            launch="1x32",
            flow_facts=EXAMPLES / "saxpy" / "sm_75.flow-facts.xml",
            runs=12,
            campaign=self.file,
        )

    def test_has_every_run(self):
        (series,) = warpbound.read_series(self.file)
        self.assertEqual((series.name, series.device, series.launch), ("saxpy_loop", "simulated:turing-t4", "1x32"))
        self.assertEqual(series.quantity, "execution-time")
        self.assertEqual([run.number for run in series.runs], list(range(12)))
        self.assertEqual(len({run.seed for run in series.runs}), 12)
        self.assertTrue(all(run.anomaly is None for run in series.runs))
        times = sorted(time for run in series.runs for time in run.times)
        observed = [value for value, count in self.simulation.execution_time.values for _ in range(count)]
        self.assertEqual(times, observed)

    def test_gives_dictionaries_without_pandas(self):
        rows = warpbound.read_campaign(self.file, frame=False)
        self.assertEqual(len(rows), 12)
        self.assertEqual(max(row["time"] for row in rows), self.simulation.execution_time.worst)
        self.assertEqual(rows[3]["run"], 3)

    @unittest.skipUnless(importlib.util.find_spec("pandas"), "pandas is not installed")
    def test_gives_a_data_frame_with_pandas(self):
        frame = warpbound.read_campaign(self.file)
        self.assertEqual(int(frame["time"].max()), self.simulation.execution_time.worst)
        (series,) = warpbound.read_series(self.file)
        self.assertEqual([int(seed) for seed in frame["seed"]], [run.seed for run in series.runs])
        self.assertEqual(str(frame["time"].dtype), "Int64")

    def test_a_run_without_times_is_a_row(self):
        (series,) = warpbound.read_series(self.file)
        disturbed = warpbound.Run(0, 1, (), "time-out", "took too long")
        rows = dataclasses.replace(series, runs=(disturbed, *series.runs[1:])).rows()
        self.assertEqual((rows[0]["time"], rows[0]["anomaly"], len(rows)), (None, "time-out", 12))

    def test_refuses_what_is_no_campaign(self):
        other = Path(self.folder.name) / "other.db"
        other.write_text("no campaign")
        for path in (other, Path(self.folder.name) / "absent.db"):
            with self.assertRaises(warpbound.InputRefused) as raised:
                warpbound.read_campaign(path)
            self.assertIn(str(path), raised.exception.message)


if __name__ == "__main__":
    unittest.main()
