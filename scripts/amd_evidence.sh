#!/usr/bin/env bash
# Certifies and verifies every kernel of tests/data/amd for a processor on its described machine at 8 work-groups of 256,
# and prints a table with what each takes: nothing, a bound of 9 for each loop that has none, or why it is refused. Fails
# where a claim is not the bound of `analyze`, or `verify` does not accept. Needs a built build/release with LLVM; minutes.
#   scripts/amd_evidence.sh [PROCESSOR] [--assume PATH=VALUE ..]   gfx90a; values that nobody has published, as of atomics
#   scripts/amd_evidence.sh all    one line for each processor, with made-up numbers for all that is unknown of its machine
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
program=build/release/cli/warpbound
processor=gfx90a
case ${1:-} in gfx* | all) processor=$1 && shift ;; esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# bounds JSON: lower and upper bound of the execution time, as `analyze` states them.
bounds() { python3 -c 'import json,sys; c={x["side"]: x["value"] for x in json.load(sys.stdin)["claims"] if x["quantity"] == "execution-time" and x["kind"] != "observed"}; print(c["lower"], c["upper"])'; }

# made_up MACHINE: a number for each value that its description lacks.
made_up() {
  python3 - "models/architecture/data/$1.xml" <<'PYTHON'
import sys, xml.etree.ElementTree as tree
machine = tree.parse(sys.argv[1]).getroot()
ranges = {"l1": "60..200", "l2": "120..400", "dram": "300..1200", "load-constant": "20..1200", "clock-read": "20..200"}
for group in list(machine.find("classes")) + list(machine.find("memories")):
    kind = "memories" if group.tag == "memory" else "classes"
    name = group.get("name")
    missing = [v.get("name") for v in group if v.get("grade") == "unknown"]
    if "shared" in name or name == "shuffle": ranges[name] = "4..128"
    for value in missing:
        if value == "size" or name in ("texture", "special-register", "reconvergence"): continue
        numbers = ranges.get(name, "4..1200") if value == "latency" else "1..64"
        print(f"--assume\n{kind}/{name}/{value}={numbers}")
    if kind == "classes" and "atomic" in name and missing: print(f"--assume\nclasses/{name}/pass-cost=1..64")
print("--assume\nmemories/l2/atomic=1..64")
PYTHON
}

# one_processor PROCESSOR OPTION..: the table of its kernels, then a line with the counts.
one_processor() {
  local file=tests/data/amd/$1.s.xz accepted=0 total=0 alone=0
  [ ! -f "tests/data/amd/$1.hsaco.xz" ] || file=tests/data/amd/$1.hsaco.xz
  local launch=(--gpu "$1" --grid 8 --block 256 "${@:2}")
  for kernel in $("$program" inspect "$file" --format json 2>/dev/null | python3 -c 'import json,sys; print(*[k["name"] for k in json.load(sys.stdin)["kernels"]])'); do
    total=$((total + 1)) facts=() given=-
    rm -rf "$work/evidence"
    if ! "$program" certify "$file" --kernel "$kernel" "${launch[@]}" -o "$work/evidence" >/dev/null 2>"$work/refusal"; then
      "$program" flow-facts "$file" --kernel "$kernel" "${launch[@]}" 2>/dev/null |
        sed -E '/<memory .*"\?"/d; s/max="\?"/max="9"/; s/min="\?"/min="1"/' >"$work/facts.xml" || true
      facts=(--flow-facts "$work/facts.xml") given=loops
      if ! "$program" certify "$file" --kernel "$kernel" "${launch[@]}" "${facts[@]}" -o "$work/evidence" >/dev/null 2>"$work/refusal"; then
        printf '%-26s refused: %s\n' "$kernel" "$(head -c 150 "$work/refusal" | head -1)"
        continue
      fi
    fi
    claimed=$(bounds <"$work/evidence/claims.json")
    analyzed=$("$program" analyze "$file" --kernel "$kernel" "${launch[@]}" "${facts[@]}" --format json 2>/dev/null | bounds)
    verdict=$("$program" verify "$work/evidence" 2>/dev/null | tail -1 || true)
    [ "$claimed" = "$analyzed" ] || { echo "$kernel: claims $claimed, analyze bounds $analyzed"; exit 1; }
    [[ $verdict == *"the evidence checks"* ]] || { echo "$kernel: $verdict"; exit 1; }
    accepted=$((accepted + 1))
    [ "$given" != - ] || alone=$((alone + 1))
    printf '%-26s %8s %8s  facts: %s\n' "$kernel" $claimed "$given"
  done
  echo "$1: $accepted of $total kernels certified and verified, $alone of them without a fact"
}

if [ "$processor" != all ]; then
  one_processor "$processor" "$@"
  exit
fi
for processor in gfx906 gfx90a gfx942 gfx1011 gfx1030 gfx1100 gfx1151; do
  machine=$("$program" architectures "$processor" 2>/dev/null | sed -n '1s/:.*//p')
  readarray -t stated < <(made_up "$machine")
  one_processor "$processor" "${stated[@]}" >"$work/table" || { cat "$work/table" && exit 1; }
  tail -1 "$work/table"
  grep refused "$work/table" | sed 's/^/  /' || true
done
