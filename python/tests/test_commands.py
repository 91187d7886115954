"""The functions against the program: numbers are those that it prints, refusals those that it writes."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import warpbound

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
PRODUCT = EXAMPLES / "everyday" / "matrix_product.sm_75.sass"
SAXPY = EXAMPLES / "saxpy" / "sm_75.sass"
FACTS = EXAMPLES / "saxpy" / "sm_75.flow-facts.xml"


def printed(*arguments):
    """What the program prints as JSON for this command line."""
    ended = subprocess.run([warpbound.find_program(), *map(str, arguments)], capture_output=True, check=False)
    return json.loads(ended.stdout)


class Bound(unittest.TestCase):
    def test_gives_the_bounds_that_the_program_prints(self):
        report = warpbound.bound(
            PRODUCT, gpu="turing-t4", grid=(4, 4), block=(16, 16), arguments={"0x178": 64}, deadline="1ms"
        )
        expected = printed(
            "bound", PRODUCT, "--gpu", "turing-t4", "--grid", "4x4", "--block", "16x16",
            "--arg", "0x178=64", "--deadline", "1ms", "--format", "json",
        )["kernels"][0]["report"]  # fmt: skip
        self.assertEqual(report.json, expected)
        sides = {claim["side"]: claim["value"] for claim in expected["claims"]}
        self.assertEqual((report.bounds.lower, report.bounds.upper), (sides["lower"], sides["upper"]))
        self.assertEqual(report.bounds.unit, "cycles")
        self.assertIsInstance(report.bounds.upper, int)
        self.assertGreater(report.time.upper, report.time.lower)
        self.assertEqual(report.kernel, "matrix_product")
        self.assertEqual((report.verdict, report.deadline.verdict, report.exit_code), ("holds", "met", 0))
        self.assertEqual(report.deadline.margin, 1_000_000 - report.time.upper)
        self.assertEqual(len(report.unchecked()), expected["unchecked-assumptions"])
        self.assertTrue(report.bounds.contains(report.bounds.lower))
        self.assertFalse(report.bounds.contains(report.bounds.upper + 1))

    def test_a_deadline_that_is_not_met_is_a_verdict(self):
        options = dict(gpu="turing-t4", grid=(4, 4), block=(16, 16), arguments={"0x178": 64})
        undecided = warpbound.bound(PRODUCT, deadline="20us", **options)
        self.assertEqual((undecided.deadline.verdict, undecided.exit_code), ("undecided", 4))
        self.assertLess(undecided.deadline.margin, 0)
        violated = warpbound.bound(PRODUCT, deadline="10ns", **options)
        self.assertEqual((violated.verdict, violated.exit_code), ("violated", 1))

    def test_names_the_facts_that_are_needed(self):
        with self.assertRaises(warpbound.FactsNeeded) as raised:
            warpbound.bound(SAXPY, gpu="turing-t4", launch="1x32")
        self.assertEqual(raised.exception.exit_code, 3)
        what, state = raised.exception.needs[0]
        self.assertIn("loop at 0x0100", what)
        self.assertIn("--arg 0x164=VALUE", state)
        stated = warpbound.bound(SAXPY, gpu="turing-t4", launch="1x32", arguments={"0x164": 7})
        self.assertGreater(stated.bounds.upper, 0)

    def test_raises_the_programs_refusal(self):
        with self.assertRaises(warpbound.InputRefused) as raised:
            warpbound.bound("/no/such.sass", gpu="turing-t4", launch="1x32")
        self.assertIn("/no/such.sass: cannot be opened", raised.exception.message)
        self.assertEqual(raised.exception.exit_code, 3)
        self.assertIn("exit code 3", str(raised.exception))
        with self.assertRaises(warpbound.InputRefused) as raised:
            warpbound.bound(SAXPY, gpu="turing-t4", grid=1, block=2048)
        self.assertIn("'2048' is no block shape", raised.exception.message)
        with self.assertRaises(warpbound.UsageError) as raised:
            warpbound.bound(SAXPY, gpu="turing-t4", launch="1x32", grid=1)
        self.assertEqual(raised.exception.exit_code, 2)

    def test_a_value_that_begins_with_a_dash_is_no_option(self):
        with self.assertRaises(warpbound.InputRefused) as raised:
            warpbound.bound(SAXPY, gpu="--help", launch="1x32")
        self.assertIn("--help", raised.exception.message)


class Analyze(unittest.TestCase):
    def test_compares_with_simulated_runs(self):
        report = warpbound.analyze(SAXPY, gpu="turing-t4", launch="1x32", flow_facts=FACTS, runs=20, seed=3)
        self.assertEqual(report.observations.count, 20)
        self.assertEqual(report.observations.outside_bounds, 0)
        self.assertEqual(sum(count for _, count in report.observations.values), 20)
        self.assertLessEqual(report.bounds.lower, report.observations.best)
        self.assertGreaterEqual(report.bounds.upper, report.observations.worst)


class Simulate(unittest.TestCase):
    def test_same_seed_same_times_and_all_inside_the_bounds(self):
        options = dict(gpu="turing-t4", launch="1x32", flow_facts=FACTS, runs=10)
        one = warpbound.simulate(SAXPY, seed=5, **options)
        self.assertEqual(one.execution_time, warpbound.simulate(SAXPY, seed=5, **options).execution_time)
        self.assertNotEqual(one.execution_time, warpbound.simulate(SAXPY, seed=6, **options).execution_time)
        bounds = warpbound.bound(SAXPY, gpu="turing-t4", launch="1x32", flow_facts=FACTS).bounds
        self.assertTrue(bounds.contains(one.execution_time.best) and bounds.contains(one.execution_time.worst))
        self.assertIsNone(one.execution_time.outside_bounds)

    def test_executes_on_data(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "transposed.bin"
            warpbound.simulate(
                EXAMPLES / "everyday" / "transpose.sm_75.sass",
                gpu="turing-t4",
                grid=(2, 2),
                block=(32, 8),
                execute=True,
                runs=1,
                arguments={"0x160": "buffer:u32:64x64:iota", "0x168": "buffer:u32:64x64:zero", "0x170": 64, "0x174": 64},
                outputs={"0x168": out},
            )
            data = out.read_bytes()
        self.assertEqual(len(data), 64 * 64 * 4)
        self.assertEqual([int.from_bytes(data[4 * i : 4 * i + 4], "little") for i in (0, 1, 64)], [0, 64, 1])


class Predict(unittest.TestCase):
    def test_gives_the_published_estimate(self):
        prediction = warpbound.predict(
            profiles=[EXAMPLES / "profiles" / "voudouris-rows.xml"],
            gpu="fermi-gtx470",
            launch="1x32",
            parameters="reconstruction-a",
        )
        estimate = prediction.estimate("voudouris", "best")
        self.assertEqual((estimate.value, estimate.unit), (2856.0, "cycles"))
        self.assertNotIsInstance(estimate, warpbound.Bounds)
        with self.assertRaisesRegex(KeyError, "no estimate of nothing"):
            prediction.estimate("nothing")

    def test_sweeps_a_parameter_and_says_what_a_model_lacks(self):
        prediction = warpbound.predict(
            EXAMPLES / "saxpy" / "sm_52.sass",
            gpu="maxwell-gtx970",
            launch="1x32",
            flow_facts=EXAMPLES / "saxpy" / "sm_52.flow-facts.xml",
            model="gpumech",
            values={"l1-miss-rate": 1, "l2-miss-rate": 1},
            sweep="warps=1:3",
        )
        self.assertEqual([each.at for each in prediction.estimates if each.variant == "best"], [1, 2, 3])
        self.assertIn("memories/dram/line", " ".join(prediction.refused[0].missing))
        with self.assertRaisesRegex(KeyError, "needs miss-registers"):
            prediction.estimate("gpumech", "worst", 1)


class Package(unittest.TestCase):
    def test_has_the_version_of_the_program(self):
        printed_version = subprocess.run([warpbound.find_program(), "--version"], capture_output=True, text=True, check=True)
        self.assertEqual(printed_version.stdout.strip(), f"warpbound {warpbound.__version__}")
        self.assertIn(f'version = "{warpbound.__version__}"', (ROOT / "python" / "pyproject.toml").read_text())


if __name__ == "__main__":
    unittest.main()
