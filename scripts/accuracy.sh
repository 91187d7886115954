#!/usr/bin/env bash
# Compares every model with the simulated device: rewrites the tables of docs/accuracy.md and the plots beside it.
# Sets up a fresh Debian or Ubuntu machine first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

install_packages "${packages[@]}"
cmake --preset release
say "Building the comparison"
cmake --build build/release --target accuracy --parallel "$(nproc)"
say "Comparing models and simulated device"
tables=$(mktemp)
trap 'rm -f "$tables"' EXIT
build/release/tests/accuracy/accuracy docs/accuracy >"$tables"
{
  sed '/<!-- tables -->/q' docs/accuracy.md
  cat "$tables"
  sed -n '/<!-- end of tables -->/,$p' docs/accuracy.md
} >docs/accuracy.md.new
mv docs/accuracy.md.new docs/accuracy.md
say "docs/accuracy.md and docs/accuracy/*.svg are written"
