#!/usr/bin/env bash
# Certifies PLAN and verifies the evidence. The exit code is that of `certify`, else that of `verify`; the summary of the
# job has the lines on requirements, loose bounds and what differs from the baseline.
set -euo pipefail
arguments=(--plan "$PLAN" --runs "$RUNS")
[ -z "${REQUIREMENTS:-}" ] || arguments+=(--requirements "$REQUIREMENTS")
[ -z "${BASELINE:-}" ] || arguments+=(--baseline "$BASELINE")
[ -z "${CHECK:-}" ] || arguments+=(--check "$CHECK")
code=0
text=$(warpbound certify "${arguments[@]}" -o "$OUTPUT") || code=$?
printf '%s\n' "$text"
if [ -d "$OUTPUT" ]; then
  verified=0
  warpbound verify "$OUTPUT" || verified=$?
  [ "$code" -ne 0 ] || code=$verified
fi
{
  echo "### Timing evidence: exit code $code"
  echo '```text'
  printf '%s\n' "$text" | grep -E '^(requirement|too loose|verdict|since|  )' || true
  echo '```'
} >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
echo "exit-code=$code" >>"${GITHUB_OUTPUT:-/dev/null}"
exit "$code"
