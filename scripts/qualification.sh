#!/usr/bin/env bash
# Runs the verification cases of docs/qualification/requirements.md and writes the result document:
# scripts/qualification.sh [RESULT], docs/qualification/result.md by default. Builds them first, unless
# WARPBOUND_BUILD names a build. --check only asks whether all cases exist.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
# shellcheck source=scripts/common.sh
. scripts/common.sh

build=${WARPBOUND_BUILD:-build/release}
if [ "${1:-}" != --check ] && [ -z "${WARPBOUND_BUILD:-}" ]; then
  install_packages "${packages[@]}"
  configure_and_build release
fi
table=docs/qualification/requirements.md
known=$(mktemp)
outcome=$(mktemp)
trap 'rm -f "$known" "$outcome"' EXIT
ctest --test-dir "$build" -N | awk '/Test +#/ {sub(/^.*Test +#[0-9]+: /, ""); print}' >"$known"

# Prints "id case" for every verification case.
cases() {
  awk -F'|' '/^\| TOR-/ {
    gsub(/ /, "", $2); n = split($4, parts, "`")
    for (i = 2; i <= n; i += 2) print $2, parts[i]
    if (n < 2) print $2, "-"
  }' "$table"
}
# The tests that a case names.
tests_of() {
  case $1 in
  *\*) awk -v prefix="${1%\*}" 'index($0, prefix) == 1' "$known" ;;
  *) grep -Fx -- "$1" "$known" || true ;;
  esac
}

missing=0
while read -r id name; do
  if [ -z "$(tests_of "$name")" ]; then
    echo "$id: no test is named $name" >&2
    missing=1
  fi
done < <(cases)
[ "$missing" -eq 0 ] || exit 1
[ "${1:-}" != --check ] || exit 0

result=${1:-docs/qualification/result.md}
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[^=]*=//p' "$build/CMakeCache.txt")
all=$(cases | while read -r _ name; do tests_of "$name"; done | sort -u)
pattern=$(sed 's/[].[*^$()+?{|\\/]/\\&/g' <<<"$all" | paste -sd'|')
ctest --test-dir "$build" -R "^($pattern)\$" -j "$(nproc)" >"$outcome" || true
{
  echo "# Qualification result"
  echo
  echo "Tool: $("$build/cli/warpbound" --version). System: $(uname -srm). Compiler: $("$compiler" --version | head -1)."
  echo "Sources: $(git rev-parse HEAD 2>/dev/null || echo unknown)$(git diff --quiet HEAD 2>/dev/null || echo ', changed')."
  echo
  echo "| requirement | cases | passed | skipped | not passed |"
  echo "|---|---:|---:|---:|---|"
  for id in $(cases | cut -d' ' -f1 | sort -u); do
    names=$(cases | awk -v id="$id" '$1 == id {print $2}' | while read -r name; do tests_of "$name"; done | sort -u)
    total=0 passed=0 skipped=0 bad=""
    while read -r test; do
      total=$((total + 1))
      line=$(awk -v test="$test" '/Test +#/ { for (i = 1; i <= NF; ++i) if ($i == test) { print; exit } }' "$outcome")
      case $line in
      *" Passed "*) passed=$((passed + 1)) ;;
      *Skipped*) skipped=$((skipped + 1)) ;;
      *) bad="$bad $test" ;;
      esac
    done <<<"$names"
    echo "| $id | $total | $passed | $skipped |${bad:- none} |"
  done
} >"$result"
echo "wrote $result"
! grep -qv '| none |$' <(grep '^| TOR-' "$result")
