#!/usr/bin/env bash
# Makes the listings of these kernels again, in another folder. Wants nvcc and nvdisasm on PATH.
set -euo pipefail

out=${1:?usage: make_listings.sh FOLDER}
mkdir -p "$out"
cd "$(dirname "$0")"
for source in *.cu; do
    kernel=${source%.cu}
    for target in 75 80 87 89 90 100 110; do
        nvcc -O3 -arch="sm_$target" -lineinfo -cubin -o "$out/$kernel.sm_$target.cubin" "$source"
        nvdisasm -c -hex "$out/$kernel.sm_$target.cubin" >"$out/$kernel.sm_$target.sass"
    done
done
