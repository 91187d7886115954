#!/usr/bin/env bash
# Checks random programs against their bounds: scripts/property.sh [CASES] [FIRST_SEED], a million by default.
# Sets up a fresh Debian or Ubuntu machine first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

install_packages "${packages[@]}"
cmake --preset release
cmake --build build/release --target property_test --parallel "$(nproc)"
export WARPBOUND_PROPERTY_CASES=${1:-1000000}
export WARPBOUND_PROPERTY_SEED=${2:-1}
echo "$WARPBOUND_PROPERTY_CASES random programs and launches from seed $WARPBOUND_PROPERTY_SEED"
build/release/tests/property/property_test --gtest_filter='Soundness.*:Launches.*:Divergence.*:InfeasiblePaths.*:Caches.*:EndToEnd.*'
