#!/usr/bin/env bash
# Makes the listings of search.cu again, in the folder named by the argument and never beside this script:
# the kept listings are bound to their flow facts by digest.
# Wants nvcc and cuobjdump of one CUDA release on PATH; makes the targets that this nvcc knows.
set -euo pipefail

out=${1:?usage: make_listings.sh FOLDER}
source=$(dirname "$0")/search.cu
mkdir -p "$out"
known=$(nvcc --list-gpu-arch)

for target in 75 90; do
    if ! grep -qx "compute_$target" <<<"$known"; then
        echo "skipped sm_$target: this nvcc does not know it" >&2
        continue
    fi
    nvcc -arch="sm_$target" -cubin -o "$out/sm_$target.cubin" "$source"
    cuobjdump -sass "$out/sm_$target.cubin" >"$out/sm_$target.sass"
done
