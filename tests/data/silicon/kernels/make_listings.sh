#!/usr/bin/env bash
# Makes the listings of these kernels again, in another folder. Wants nvcc and nvdisasm on PATH.
set -euo pipefail

out=${1:?usage: make_listings.sh FOLDER}
mkdir -p "$out"
cd "$(dirname "$0")"

# SOURCE NAME TARGET OPTIONS..: a listing
list() {
    local source=$1 listing=$out/$2.$3
    nvcc -O3 -arch="$3" "${@:4}" -cubin -o "$listing.cubin" "$source"
    nvdisasm -c -hex "$listing.cubin" >"$listing.sass"
    rm "$listing.cubin"
}

for source in *.cu; do
    case $source in
    convolution.cu) ;;
    polybench_*)
        list "$source" "${source%.cu}" sm_75 -Xptxas=-dlcm=cg
        xz -9e -f "$out/${source%.cu}.sm_75.sass"
        ;;
    *) list "$source" "${source%.cu}" sm_75 ;;
    esac
done
# Target; threads of a block and results of a thread, in x and y.
for shape in "80 16 8 1 1" "80 32 2 2 2" "80 32 4 1 1" "80 48 4 1 1" "80 64 2 2 4" "80 64 4 1 2" \
  "75 16 32 1 1" "75 64 4 1 1" "75 32 2 2 2"; do
    read -r sm bx by tx ty <<<"$shape"
    name=convolution_${bx}x${by}_${tx}x${ty}
    list convolution.cu "$name" "sm_$sm" -DBLOCK_X="$bx" -DBLOCK_Y="$by" -DTILE_X="$tx" -DTILE_Y="$ty"
    xz -9e -f "$out/$name.sm_$sm.sass"
done
