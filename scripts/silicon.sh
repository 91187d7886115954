#!/usr/bin/env bash
# Holds every machine description against rows measured on silicon: rewrites the tables of docs/silicon.md.
# With a file of such rows: prints the tables for those rows instead. Fails when a measured number lies outside the
# interval of its value and tests/data/silicon/exceptions.csv states no reason. No network, no GPU, some seconds.
# Sets up a fresh Debian or Ubuntu machine first.
set -euo pipefail
rows=${1:+$(realpath "$1")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

install_packages "${packages[@]}"
[ -f build/release/build.ninja ] || cmake --preset release
say "Building the comparison"
cmake --build build/release --target silicon --parallel "$(nproc)"
hold() { build/release/tests/silicon/silicon tests/data/silicon models/architecture/data "$1"; }
if [ -n "$rows" ]; then
  hold "$rows"
  exit
fi
tables=$(mktemp)
trap 'rm -f "$tables"' EXIT
code=0
hold tests/data/silicon/rows.csv >"$tables" || code=$?
[ "$code" -le 1 ] || exit "$code"
{
  sed "/<!-- tables -->/q" docs/silicon.md
  cat "$tables"
  sed -n "/<!-- end of tables -->/,\$p" docs/silicon.md
} >docs/silicon.md.new
mv docs/silicon.md.new docs/silicon.md
say "docs/silicon.md is written"
exit "$code"
