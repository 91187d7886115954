#!/usr/bin/env bash
# Checks random programs against their bounds: scripts/property.sh [CASES] [FIRST_SEED], a million by default.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export WARPBOUND_PROPERTY_CASES=${1:-1000000}
export WARPBOUND_PROPERTY_SEED=${2:-1}
[ -x build/release/tests/property/property_test ] || bash scripts/test.sh
echo "$WARPBOUND_PROPERTY_CASES random programs and launches from seed $WARPBOUND_PROPERTY_SEED"
build/release/tests/property/property_test --gtest_filter='Soundness.*:Launches.*'
