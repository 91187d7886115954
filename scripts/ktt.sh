#!/usr/bin/env bash
# Holds configurations of the convolution of Kernel Tuner and KTT, compiled from its MIT source, against hardware
# counters of an RTX 2080 Ti: rewrites the tables of docs/accuracy/tuned-kernels.md. The source and what is made of it
# stay outside of the repository. Wants nvcc and nvdisasm on PATH. No network, no GPU, some minutes.
#   scripts/ktt.sh SOURCE_OR_FOLDER [ROWS.csv]
# SOURCE_OR_FOLDER: convolution_milo.cu of github.com/AutoTuningAssociation/benchmark_hub, or a folder that has it.
# ROWS.csv: rows as tests/data/silicon/ktt_sample.csv has them, by default those; of another table the page is printed.
set -euo pipefail
source=$(realpath "${1:?usage: scripts/ktt.sh SOURCE_OR_FOLDER [ROWS.csv]}")
rows=${2:+$(realpath "$2")}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

[ -f "$source" ] || source=$source/convolution_milo.cu
sample=tests/data/silicon/ktt_sample.csv
rows=${rows:-$sample}
[ -f build/release/build.ninja ] || cmake --preset release
say "Building the comparison"
cmake --build build/release --target tuned_kernels --parallel "$(nproc)"
code=$(mktemp -d)
trap 'rm -rf "$code"' EXIT

say "Compiling each configuration with its defines"
# The names of KTT for what the source calls otherwise. PADDING does nothing there: the measured shared memory is that
# without padding in all 862 configurations.
declare -A names=([BLOCK_SIZE_X]=block_size_x [BLOCK_SIZE_Y]=block_size_y [TILE_SIZE_X]=tile_size_x
  [TILE_SIZE_Y]=tile_size_y [READ_ONLY]=read_only)
number=0
while read -r configuration; do
  number=$((number + 1))
  defines=(-Duse_padding=0)
  for define in ${configuration//;/ }; do
    name=${define%%=*}
    value=${define#*=}
    if [ "$name" = HFS ]; then
      defines+=("-Dfilter_width=$((2 * value + 1))" "-Dfilter_height=$((2 * value + 1))")
    elif [ -n "${names[$name]-}" ]; then
      defines+=("-D${names[$name]}=$value")
    fi
  done
  nvcc -O3 -arch=sm_75 -cubin "${defines[@]}" -o "$code/$number.cubin" "$source"
done < <(awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "config") at = i; next } { print $at }' "$rows")

tables=$code/tables.md
build/release/tests/silicon/tuned_kernels "$code" turing-rtx2080ti "$rows" "$code/summary" >"$tables"
if [ "$rows" != "$sample" ]; then
  cat "$tables"
  exit
fi
page=docs/accuracy/tuned-kernels.md
{
  sed "/<!-- tables -->/q" "$page"
  echo
  cat "$tables"
  sed -n "/<!-- end of tables -->/,\$p" "$page"
} >"$page.new"
mv "$page.new" "$page"
merge_comparisons tuned-kernels "$code/summary"
say "$page is written"
