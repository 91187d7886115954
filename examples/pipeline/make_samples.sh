#!/usr/bin/env bash
# Makes monitor.csv again: own times of `observe` in 1000 runs on the simulated device. Wants warpbound on PATH, or in WARPBOUND.
set -euo pipefail

out=${1:?usage: make_samples.sh FOLDER}
warpbound=${WARPBOUND:-warpbound}
mkdir -p "$out"
cd "$(dirname "$0")"
rm -f "$out/monitor.db"
"$warpbound" simulate control.sm_87.sass --kernel observe --architecture ampere-orin --launch 1x64 --multiprocessors 4 \
    --policy gto --runs 1000 --campaign "$out/monitor.db" --quiet >"$out/monitor.txt"
"$warpbound" campaign export "$out/monitor.db" -o "$out/monitor.runs.csv"
{
    echo "# Made by make_samples.sh: cycles of 1000 simulated runs of observe at 1200 MHz, and 15 us of the launch."
    echo "ns"
    # Rounded up to whole nanoseconds.
    awk -F, '$1 == "run" { printf "%d\n", int(($6 * 1000 + 1199) / 1200) + 15000 }' "$out/monitor.runs.csv"
} >"$out/monitor.csv"
