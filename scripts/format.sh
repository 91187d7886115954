#!/usr/bin/env bash
# Checks the layout of every C++ file (clang-format 14); with --fix rewrites them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

command -v clang-format-14 >/dev/null || install_packages clang-format-14
mode=(--dry-run -Werror)
[ "${1:-}" = --fix ] && mode=(-i)
find . -path './build*' -prune -o \( -name '*.cpp' -o -name '*.hpp' \) -print0 | xargs -0 clang-format-14 "${mode[@]}"
