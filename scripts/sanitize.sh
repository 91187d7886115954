#!/usr/bin/env bash
# Unit tests under the address and undefined-behaviour sanitizers: scripts/sanitize.sh [FOLDER..], folders of tests/unit,
# all by default. Sets up a fresh Debian or Ubuntu machine first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

install_packages "${packages[@]}"
folders=("$@")
if (( $# == 0 )); then folders=(assembly models harness analyzer certification cli); fi
targets=()
for folder in "${folders[@]}"; do targets+=("tests/unit/$folder/all"); done
cmake --preset asan
cmake --build build/asan --parallel "$(nproc)" --target "${targets[@]}"
for folder in "${folders[@]}"; do
  ctest --test-dir "build/asan/tests/unit/$folder" --output-on-failure --no-tests=error --parallel "$(nproc)"
done
