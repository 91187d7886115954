#!/usr/bin/env bash
# Makes the listings of these kernels again, in another folder. Wants nvcc and nvdisasm on PATH.
set -euo pipefail

out=${1:?usage: make_listings.sh FOLDER}
mkdir -p "$out"
cd "$(dirname "$0")"

# SOURCE NAME TARGET DEFINES..: a listing
list() {
    local source=$1 listing=$out/$2.$3
    nvcc -O3 -arch="$3" "${@:4}" -cubin -o "$listing.cubin" "$source"
    nvdisasm -c -hex "$listing.cubin" >"$listing.sass"
    rm "$listing.cubin"
}

for source in *.cu; do
    [ "$source" = convolution.cu ] || list "$source" "${source%.cu}" sm_75
done
# Threads of a block and results of a thread, in x and y.
for shape in "16 8 1 1" "32 2 2 2" "32 4 1 1" "48 4 1 1" "64 2 2 4" "64 4 1 2"; do
    read -r bx by tx ty <<<"$shape"
    name=convolution_${bx}x${by}_${tx}x${ty}
    list convolution.cu "$name" sm_80 -DBLOCK_X="$bx" -DBLOCK_Y="$by" -DTILE_X="$tx" -DTILE_Y="$ty"
    xz -9e -f "$out/$name.sm_80.sass"
done
