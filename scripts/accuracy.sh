#!/usr/bin/env bash
# Compares every model and every bound with the simulated device: rewrites the tables of docs/accuracy.md and the files
# beside it. Fails when a time lies outside its bounds.
# Sets up a fresh Debian or Ubuntu machine first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

install_packages "${packages[@]}"
cmake --preset release
say "Building the comparisons"
cmake --build build/release --target accuracy tightness --parallel "$(nproc)"
tables=$(mktemp)
trap 'rm -f "$tables"' EXIT

# put_tables NAME: between the marks of that name.
put_tables() {
  {
    sed "/<!-- $1 -->/q" docs/accuracy.md
    cat "$tables"
    sed -n "/<!-- end of $1 -->/,\$p" docs/accuracy.md
  } >docs/accuracy.md.new
  mv docs/accuracy.md.new docs/accuracy.md
}

say "Comparing models and simulated device"
build/release/tests/accuracy/accuracy docs/accuracy >"$tables"
put_tables tables
say "Comparing bounds and simulated device"
build/release/tests/accuracy/tightness docs/accuracy/bounds.csv >"$tables"
put_tables bounds
say "docs/accuracy.md and the files in docs/accuracy are written"
