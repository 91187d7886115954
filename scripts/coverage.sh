#!/usr/bin/env bash
# Scores the program on each twelfth kernel and target of examples/coverage: rewrites the tables of docs/coverage.md.
# `coverage.sh all` scores every one, `coverage.sh N` each N-th, and prints the tables.
# `coverage.sh all --shard I/N --scores FILE` scores a part, `coverage.sh all --join FILE --join FILE ..` prints the tables of
# all parts; so with a number in place of all.
# Needs no CUDA toolkit; some minutes on two cores.
# Fails when a simulated run lies outside its bounds.
# Sets up a fresh Debian or Ubuntu machine first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

install_packages "${packages[@]}"
[ -f build/release/build.ninja ] || cmake --preset release
say "Building the program"
cmake --build build/release --target coverage warpbound --parallel "$(nproc)"
score() { build/release/tests/coverage/coverage build/release/cli/warpbound examples/coverage "$@"; }
case ${1:-} in
'') ;;
all) score "${@:2}"; exit ;;
*) score --every "$1" "${@:2}"; exit ;;
esac
tables=$(mktemp)
trap 'rm -f "$tables"' EXIT
code=0
say "Scoring the kernels"
score --every 12 >"$tables" || code=$?
{
  sed "/<!-- tables -->/q" docs/coverage.md
  cat "$tables"
  sed -n "/<!-- end of tables -->/,\$p" docs/coverage.md
} >docs/coverage.md.new
mv docs/coverage.md.new docs/coverage.md
say "docs/coverage.md is written"
exit "$code"
