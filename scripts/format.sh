#!/usr/bin/env bash
# Checks the layout of every C++ file (clang-format 14); with --fix rewrites them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
mode=(--dry-run -Werror)
[ "${1:-}" = --fix ] && mode=(-i)
format=$(command -v clang-format-14 || command -v clang-format)
find . -path './build*' -prune -o \( -name '*.cpp' -o -name '*.hpp' \) -print0 | xargs -0 "$format" "${mode[@]}"
