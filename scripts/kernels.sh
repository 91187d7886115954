#!/usr/bin/env bash
# Holds bounds, simulated times and published models against times of whole kernels measured on cards: rewrites the
# tables of docs/accuracy/whole-kernels.md. Fails when a measured time lies outside its bounds and
# tests/data/silicon/whole_exceptions.csv states no reason. No network, no GPU, some minutes.
# Sets up a fresh Debian or Ubuntu machine first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

install_packages "${packages[@]}"
[ -f build/release/build.ninja ] || cmake --preset release
say "Building the comparison"
cmake --build build/release --target whole_kernels --parallel "$(nproc)"
page=docs/accuracy/whole-kernels.md
tables=$(mktemp)
summary=$(mktemp)
trap 'rm -f "$tables" "$summary"' EXIT
code=0
build/release/tests/silicon/whole_kernels --summary "$summary" tests/data/silicon models/architecture/data \
  tests/data/silicon/whole_kernels.csv >"$tables" || code=$?
[ "$code" -le 1 ] || exit "$code"
{
  sed "/<!-- tables -->/q" "$page"
  cat "$tables"
  sed -n "/<!-- end of tables -->/,\$p" "$page"
} >"$page.new"
mv "$page.new" "$page"
merge_comparisons whole-kernels "$summary"
say "$page is written"
exit "$code"
