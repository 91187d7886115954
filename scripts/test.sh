#!/usr/bin/env bash
# Builds warpbound in release mode and runs every test. Sets up a fresh Debian or Ubuntu machine first.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

install_packages "${packages[@]}"
configure_and_build release "$@"
say "Running all tests"
ctest --test-dir build/release --output-on-failure --no-tests=error --parallel "$(nproc)"
