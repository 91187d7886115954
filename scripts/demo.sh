#!/usr/bin/env bash
# Builds warpbound and bounds the rows kernel of the convolution example on the built-in device, against 500 simulated
# runs. Ends with an HTML report. Sets up a fresh Debian or Ubuntu machine first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

install_packages "${packages[@]}"
configure_and_build release -DWARPBOUND_TESTS=OFF -DWARPBOUND_BENCHMARKS=OFF
warpbound=build/release/cli/warpbound
out=build/demo
mkdir -p "$out"
rm -f "$out/campaign.db" "$out/convolution_rows.html"
kernel=(examples/convolution/sm_75.sass --kernel convolution_rows --architecture turing-t4 --launch 1x32
        --flow-facts examples/convolution/sm_75.rows.flow-facts.xml)

say "Measuring: 500 runs of convolution_rows on the simulated device, recorded in $out/campaign.db"
"$warpbound" simulate "${kernel[@]}" --runs 500 --campaign "$out/campaign.db"
say "Analyzing: bounds from the assembly, compared with the recorded runs and the published formula"
"$warpbound" analyze "${kernel[@]}" --campaign "$out/campaign.db" -o "$out/convolution_rows.html"
say "The report is $PWD/$out/convolution_rows.html"
