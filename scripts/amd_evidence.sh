#!/usr/bin/env bash
# Certifies and verifies every kernel of tests/data/amd/gfx90a.hsaco.xz on an MI210 at 8 work-groups of 256, and prints a
# table with what each takes: nothing, a bound of 9 for each loop that has none, or why it is refused. Fails where a
# claim is not the bound of `analyze`, or `verify` does not accept. Needs a built build/release with LLVM; a minute.
#   scripts/amd_evidence.sh [--assume PATH=VALUE ..]   values that nobody has published, as of atomics
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=build/release/cli/warpbound
file=tests/data/amd/gfx90a.hsaco.xz
launch=(--gpu mi210 --grid 8 --block 256 "$@")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# bounds JSON: lower and upper bound of the execution time, as `analyze` states them.
bounds() { python3 -c 'import json,sys; c={x["side"]: x["value"] for x in json.load(sys.stdin)["claims"] if x["quantity"] == "execution-time" and x["kind"] != "observed"}; print(c["lower"], c["upper"])'; }

accepted=0 total=0
for kernel in $("$program" inspect "$file" --format json | python3 -c 'import json,sys; print(*[k["name"] for k in json.load(sys.stdin)["kernels"]])'); do
  total=$((total + 1)) facts=() given=-
  if ! "$program" certify "$file" --kernel "$kernel" "${launch[@]}" -o "$work/$kernel" >/dev/null 2>"$work/refusal"; then
    "$program" flow-facts "$file" --kernel "$kernel" "${launch[@]}" 2>/dev/null |
      sed -E '/<memory .*"\?"/d; s/max="\?"/max="9"/; s/min="\?"/min="1"/' >"$work/facts.xml" || true
    facts=(--flow-facts "$work/facts.xml") given=loops
    if ! "$program" certify "$file" --kernel "$kernel" "${launch[@]}" "${facts[@]}" -o "$work/$kernel" >/dev/null 2>"$work/refusal"; then
      printf '%-26s refused: %s\n' "$kernel" "$(head -c 110 "$work/refusal" | head -1)"
      continue
    fi
  fi
  claimed=$(bounds <"$work/$kernel/claims.json")
  analyzed=$("$program" analyze "$file" --kernel "$kernel" "${launch[@]}" "${facts[@]}" --format json 2>/dev/null | bounds)
  verdict=$("$program" verify "$work/$kernel" 2>/dev/null | tail -1)
  [ "$claimed" = "$analyzed" ] || { echo "$kernel: claims $claimed, analyze bounds $analyzed"; exit 1; }
  [[ $verdict == *"the evidence checks"* ]] || { echo "$kernel: $verdict"; exit 1; }
  accepted=$((accepted + 1))
  printf '%-26s %8s %8s  facts: %s\n' "$kernel" $claimed "$given"
done
echo "$accepted of $total kernels certified and verified"
