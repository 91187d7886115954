#!/usr/bin/env bash
# Makes the listings of these kernels again, in another folder. Wants nvcc and nvdisasm on PATH.
set -euo pipefail

out=${1:?usage: make_listings.sh FOLDER}
mkdir -p "$out"
cd "$(dirname "$0")"
for source in *.cu; do
    kernels=${source%.cu}
    nvcc -O3 -arch=sm_87 -lineinfo -cubin -o "$out/$kernels.sm_87.cubin" "$source"
    nvdisasm -c -hex "$out/$kernels.sm_87.cubin" >"$out/$kernels.sm_87.sass"
done
