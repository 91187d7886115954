#!/usr/bin/env bash
# Holds bounds, simulated times and published models against times of whole kernels measured on cards: rewrites the
# tables of docs/accuracy/whole-kernels.md. Fails when a measured time lies outside its bounds and
# tests/data/silicon/whole_exceptions.csv states no reason. No network, no GPU, some minutes.
# Sets up a fresh Debian or Ubuntu machine first.
#   scripts/kernels.sh [FOLDER]
# FOLDER: listings of the tuned convolution, conv_16x8_t1x1_*.sm_80.sass and so on. They take the place of the own ones,
# and the tables of the A100 are printed; nothing is kept.
set -euo pipefail
listings=${1:+$(realpath "$1")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

install_packages "${packages[@]}"
[ -f build/release/build.ninja ] || cmake --preset release
say "Building the comparison"
cmake --build build/release --target whole_kernels --parallel "$(nproc)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
program=build/release/tests/silicon/whole_kernels
data=tests/data/silicon

# instructions FILE: their number, padding included.
instructions() { grep -cE '^[[:space:]]+/\*[0-9a-f]{4,5}\*/' "$1"; }

if [ -n "$listings" ]; then
  cp -r "$data" "$work/tables"
  for file in "$listings"/conv_*.sm_80.sass; do
    shape=$(basename "$file" | sed -E 's/^conv_([0-9x]+)_t([0-9x]+)_.*/\1_\2/')
    given=$work/tables/kernels/convolution_$shape.sm_80.sass
    awk '/Function :/ { keep = /convolution_kernel/ } NR <= 3 || keep' "$file" >"$given"
    xz -dc "$given.xz" >"$work/own"
    say "convolution_$shape: $(instructions "$given") instructions, the own one has $(instructions "$work/own")"
  done
  sed -i -E '/^convolution_/ { s/\.xz//; s/(0x168=[^ ,]*)/\1 0x170=buffer:f32:225:zero/ }' "$work/tables/kernels/kernels.csv"
  sed '1b; /^A100/!d' "$data/whole_kernels.csv" >"$work/rows.csv"
  "$program" "$work/tables" models/architecture/data "$work/rows.csv"
  exit
fi

page=docs/accuracy/whole-kernels.md
code=0
"$program" --summary "$work/summary" "$data" models/architecture/data "$data/whole_kernels.csv" >"$work/tables" || code=$?
[ "$code" -le 1 ] || exit "$code"
{
  sed "/<!-- tables -->/q" "$page"
  cat "$work/tables"
  sed -n "/<!-- end of tables -->/,\$p" "$page"
} >"$page.new"
mv "$page.new" "$page"
merge_comparisons whole-kernels "$work/summary"
say "$page is written"
exit "$code"
