#!/usr/bin/env bash
# Makes the listings of these kernels again, in another folder. Wants nvcc, nvdisasm and xz on PATH.
# Every source for sm_75 (ampere.cu for sm_80), some also for sm_80, sm_86, sm_90 and sm_100.
set -euo pipefail

out=${1:?usage: make_listings.sh FOLDER [SOURCE...]}
shift
mkdir -p "$out"
cd "$(dirname "$0")"
[ $# -gt 0 ] || set -- *.cu
for source in "$@"; do
    name=${source%.cu}
    case $name in
    ampere) targets="80 90" ;;
    linear | reduce | warps) targets="75 80 86 90 100" ;;
    scan | control | counts) targets="75 86 90 100" ;;
    matrix_units | precision | texture) targets="75 86 90" ;;
    stencil | neural | points) targets="75 86" ;;
    *) targets="75" ;;
    esac
    for target in $targets; do
        nvcc -O3 -arch="sm_$target" -lineinfo -cubin -o "$out/$name.cubin" "$source"
        # Line markers name the folder /coverage in place of the one that this ran in.
        nvdisasm -c -hex -g "$out/$name.cubin" | sed "s|\"$PWD/|\"/coverage/|" | xz -9e >"$out/$name.sm_$target.sass.xz"
        rm "$out/$name.cubin"
    done
done
