#!/usr/bin/env bash
# Makes the listings of these kernels again, in another folder. Wants nvcc and nvdisasm on PATH.
set -euo pipefail

out=${1:?usage: make_listings.sh FOLDER}
mkdir -p "$out"
cd "$(dirname "$0")"
for source in *.cu; do
    kernel=${source%.cu}
    nvcc -O3 -arch=sm_75 -cubin -o "$out/$kernel.sm_75.cubin" "$source"
    nvdisasm -c -hex "$out/$kernel.sm_75.cubin" >"$out/$kernel.sm_75.sass"
    rm "$out/$kernel.sm_75.cubin"
done
