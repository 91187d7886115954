#!/usr/bin/env python3
"""Bounds each kernel of tests/data/amd/gfx90a.hsaco.xz on the described MI210 and holds nine simulated runs against it.

Prints a table as docs/coverage.md has it: facts (loops that get a bound of 9), upper bound and longest run, lower bound
over shortest run. Launch: 8 work-groups of 256, no arguments. Values that nobody has published are made up.
Fails when a run lies outside its bounds. Needs a built build/release with LLVM; a minute.
"""
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CODE = "tests/data/amd/gfx90a.hsaco.xz"
MADE_UP = {
    "classes/atomic-shared/latency": "4..128",
    "classes/atomic-shared/initiation": "1..64",
    "classes/atomic-shared/pass-cost": "1..64",
    "classes/atomic-global/latency": "4..1200",
    "classes/atomic-global/initiation": "1..64",
    "classes/atomic-global/pass-cost": "1..64",
    "memories/l2/atomic": "1..64",
    "blocks/most-room": "1",
    "classes/memory-fence/latency": "4..1200",
    "classes/memory-fence/initiation": "1..64",
}
LAUNCH = ["--gpu", "mi210", "--grid", "8", "--block", "256"]
LAUNCH += [word for path, value in MADE_UP.items() for word in ("--assume", f"{path}={value}")]


def run(*arguments):
    return subprocess.run(["build/release/cli/warpbound", *arguments], capture_output=True, text=True, cwd=ROOT)


def bounds_of(options):
    """The bounds by side, or none with the reason."""
    answered = run("bound", *options, "--format", "json")
    try:
        kernel = json.loads(answered.stdout)["kernels"][0]
    except (ValueError, LookupError):
        return None, answered.stderr.split("\n")[0]
    claims = kernel.get("report", {}).get("claims", [])
    bounds = {c["side"]: c["value"] for c in claims if c["quantity"] == "execution-time" and c["kind"] != "observed"}
    return (bounds, "") if "upper" in bounds else (None, kernel.get("refusal", "needs facts"))


def runs_of(options):
    """Shortest and longest of nine runs."""
    best, worst = [], []
    for draw in ("uniform", "all-high", "all-low"):
        ran = run("simulate", *options, "--runs", "3", "--draw", draw, "--format", "json")
        observed = json.loads(ran.stdout)["observations"]["execution-time"]
        best.append(observed["best"])
        worst.append(observed["worst"])
    return min(best), max(worst)


def score(kernel, facts_file):
    options, facts = [CODE, "--kernel", kernel, *LAUNCH], 0
    bounds, why = bounds_of(options)
    if not bounds:
        template = re.sub(r'<memory .*"\?".*\n', "", run("flow-facts", *options).stdout)
        facts = len(re.findall(r'<loop [^>]*max="\?"', template))
        facts_file.write_text(template.replace('max="?"', 'max="9"').replace('min="?"', 'min="1"'))
        options += ["--flow-facts", str(facts_file)]
        bounds, why = bounds_of(options)
    if not bounds:
        return None, why
    shortest, longest = runs_of(options)
    return (facts, bounds["upper"], longest, bounds["lower"], shortest), ""


def main():
    listed = json.loads(run("inspect", CODE, "--format", "json").stdout)["kernels"]
    rows, outside = [], False
    print("| kernel | facts | upper | longest run | ratio | lower over shortest |\n|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for kernel in listed:
            found, why = score(kernel["name"], pathlib.Path(folder) / "facts.xml")
            if not found:
                print(f"| {kernel['name']} | | | | | |", flush=True)
                print(f"{kernel['name']}: {why}", file=sys.stderr)
                continue
            facts, upper, longest, lower, shortest = found
            rows.append(found)
            outside |= longest > upper or shortest < lower
            print(f"| {kernel['name']} | {facts} | {upper} | {longest} | {upper / longest:.2f} | {lower / shortest:.2f} |", flush=True)
    alone = sum(facts == 0 for facts, *_ in rows)
    print(f"\n{len(rows)} of {len(listed)} bounded, {alone} without a fact")
    print(f"upper over longest, median {statistics.median(u / l for _, u, l, _, _ in rows):.2f}")
    print(f"lower over shortest, median {statistics.median(l / s for _, _, _, l, s in rows):.2f}")
    return 1 if outside else 0


if __name__ == "__main__":
    sys.exit(main())
