#!/usr/bin/env bash
# Unit tests under the address and undefined-behaviour sanitizers: scripts/sanitize.sh [--quick] [FOLDER..], folders of
# tests/unit, all by default. --quick leaves out those that repeat one thing over many machines, runs or random cases for most
# of the time. Sets up a fresh Debian or Ubuntu machine first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

install_packages "${packages[@]}"
left_out=()
if [[ ${1:-} == --quick ]]; then
  shift
  left_out=(--exclude-regex '^(Suite\.RunsOnEveryDescribedMachine|Ptx\.IsAssembledForEvery|Contract\.HoldsOn|RecordedTrace\.Replays|Random(Grids|Workloads|Accesses)\.|Lanes\.|Emission\.LetsConsumers|(Amd)?Calibrat(e|ion|eEncoded)\.)')
fi
folders=("$@")
if (( $# == 0 )); then folders=(assembly models harness analyzer certification cli); fi
targets=()
for folder in "${folders[@]}"; do targets+=("tests/unit/$folder/all"); done
cmake --preset asan
cmake --build build/asan --parallel "$(nproc)" --target "${targets[@]}"
for folder in "${folders[@]}"; do
  ctest --test-dir "build/asan/tests/unit/$folder" --output-on-failure --no-tests=error --parallel "$(nproc)" \
    "${left_out[@]}"
done
