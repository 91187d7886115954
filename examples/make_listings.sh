#!/usr/bin/env bash
# Makes the listings of an example again, in another folder: the kept listings are bound to their flow facts by digest.
# Wants nvcc, cuobjdump and, where the example keeps forms of it, nvdisasm of one CUDA release on PATH; makes those
# targets of the kept listings that this nvcc knows.
set -euo pipefail

example=${1:?usage: make_listings.sh EXAMPLE FOLDER}
out=${2:?usage: make_listings.sh EXAMPLE FOLDER}
mkdir -p "$out"
known=$(nvcc --list-gpu-arch)

for target in $(find "$example" -name 'sm_*.sass' | sed -E 's/.*sm_([0-9]+).*/\1/' | sort -nu); do
    if ! grep -qx "compute_$target" <<<"$known"; then
        echo "skipped sm_$target: this nvcc does not know it" >&2
        continue
    fi
    nvcc -arch="sm_$target" -cubin -o "$out/sm_$target.cubin" "$example"/*.cu
    cuobjdump -sass "$out/sm_$target.cubin" >"$out/sm_$target.sass"
    if compgen -G "$example/forms/*nvdisasm*" >/dev/null || compgen -G "$example/*nvdisasm*" >/dev/null; then
        nvdisasm -c -hex "$out/sm_$target.cubin" >"$out/sm_$target.nvdisasm-hex.sass"
        nvdisasm -c "$out/sm_$target.cubin" >"$out/sm_$target.nvdisasm.sass"
    fi
done
