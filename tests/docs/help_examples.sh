#!/bin/bash
# Runs the examples at the end of each command's --help.
# Run as: help_examples.sh PROGRAM ROOT SCRATCH
#
# They run in SCRATCH, where what lies in ROOT lies, too, as links. An example is a line that begins with
# "warpbound" and those below it that are indented further; a line in parentheses is a remark. It must end
# with 0; of `hypotheses`, to which 1 is an answer, with 0 or 1. What needs a card, files of a user or another
# program is listed below, and only its options are compared with those of the command.
set -uo pipefail
program=$(realpath "$1") root=$(realpath "$2") scratch=$3
needs_more='cuda:0|app\.(cubin|hsaco)|traces/|card\.|board\.json|mt4g\.json|results/|man -l|<\('

rm -rf "$scratch"
mkdir -p "$scratch/bin"
ln -s "$program" "$scratch/bin/warpbound"
for entry in "$root"/*; do
  [ "$(basename "$entry")" = build ] || ln -s "$entry" "$scratch/"
done
cd "$scratch" || exit 1
export PATH=$PWD/bin:$PATH

examples_of() {
  warpbound "$1" --help | awk '
    /^Examples?: / { inside = 1; sub(/^Examples?: /, "         ") }
    !inside || /^ *\(/ { next }
    /^ *warpbound / || /^ *source / { if (example) print example; sub(/^ */, ""); example = $0; next }
    /^ / { sub(/^ */, ""); example = example " " $0; next }
    { if (example) print example; example = "" }
    END { if (example) print example }'
}

run=0 failed=0
fail() {
  printf '%s --help: %s\n  %s\n' "$1" "$2" "$3"
  failed=$((failed + 1))
}
# Measurements come first: other examples read what they record.
for command in measure $(warpbound --help | sed -n '/^Subcommands/,$s/^  \([a-z-]*\) .*/\1/p'); do
  help=$(warpbound "$command" --help)
  while IFS= read -r example; do
    if [[ $example =~ $needs_more ]]; then
      for option in $(grep -o -- ' --[a-z-]*' <<<"$example"); do
        grep -q -- "$option\b" <<<"$help" || fail "$command" "$option is no option" "$example"
      done
      continue
    fi
    output=$(bash -c "$example" 2>&1 </dev/null)
    code=$?
    [ $code -eq 0 ] || [ "$command $code" = "hypotheses 1" ] ||
      fail "$command" "exit $code of" "$example: $(tail -n 3 <<<"$output")"
    run=$((run + 1))
  done < <(examples_of "$command")
done
echo "$run examples ran, $failed failed"
[ "$run" -ge 15 ] && [ "$failed" -eq 0 ]
