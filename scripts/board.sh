#!/usr/bin/env bash
# The silicon campaign in one command: device facts, calibration, contract experiments, kernels against their bounds, one
# archive to bring home. Needs no root, sets nothing on the card. What was interrupted goes on with the same command.
set -uo pipefail

usage() {
  cat <<'TEXT'
Usage: board.sh [--device cuda:0] [--gpu NAME] [--out board] [--kernels FILE] [--steps LIST]
                [--minutes 10] [--limit SECONDS] [--program PATH]
       board.sh --open ARCHIVE --out FOLDER [--gpu NAME] [--program PATH]

  --device   device of `warpbound devices`; default cuda:0
  --gpu      description that the runs are held against; default that of the device
  --out      folder of the results; the archive is FOLDER.tar.gz
  --kernels  kernels to measure, one a line; default examples/board/kernels.txt
  --steps    only these: limits, contract, scheduling, kernels, calibration, separated by commas
  --minutes  steps that have not begun by then are left out
  --limit    no step lasts longer
  --program  warpbound; default $WARPBOUND, else one beside this script or on PATH
  --open     checks an archive and makes its campaigns, verdicts and reports again

Exit code: 0 all steps done; 1 a rule is violated, or a kernel outside its bounds; 3 nothing could begin; 4 a step failed.
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
start=$SECONDS
device=cuda:0 gpu='' out='' kernels='' minutes=10 longest=600 program=${WARPBOUND:-} archive=''
all_steps=limits,contract,scheduling,kernels,calibration
chosen=$all_steps
die() { printf 'board.sh: %s\n' "$2" >&2; exit "$1"; }

while [ $# -gt 0 ]; do
  case $1 in
    --help | -h) usage; exit 0 ;;
    --device | --gpu | --out | --kernels | --steps | --minutes | --limit | --program | --open)
      [ $# -ge 2 ] || die 2 "$1 needs a value (try --help)"
      case $1 in
        --device) device=$2 ;; --gpu) gpu=$2 ;; --out) out=$2 ;; --kernels) kernels=$2 ;;
        --steps) chosen=$2 ;; --minutes) minutes=$2 ;; --limit) longest=$2 ;; --program) program=$2 ;; --open) archive=$2 ;;
      esac
      shift 2 ;;
    *) die 2 "unknown argument '$1' (try --help)" ;;
  esac
done
[[ $minutes =~ ^[1-9][0-9]{0,3}$ ]] || die 2 "--minutes: expected a whole number from 1 to 9999"
[[ $longest =~ ^[1-9][0-9]{0,4}$ ]] || die 2 "--limit: expected a whole number of seconds from 1 to 99999"
for one in ${chosen//,/ }; do
  [[ ",$all_steps," == *",$one,"* ]] || die 2 "--steps: no step '$one'; expected some of $all_steps"
done
is_chosen() { [[ ",$chosen," == *",$1,"* ]]; }

# The program: as named, beside the script (built or installed), or on PATH.
if [ -z "$program" ]; then
  for candidate in "$here/../build/release/cli/warpbound" "$here/../../../bin/warpbound" "$(command -v warpbound)"; do
    if [ -x "$candidate" ]; then program=$candidate; break; fi
  done
fi
[ -n "$program" ] && [ -x "$program" ] || die 3 "no program warpbound; build it, or name it by --program"
program=$(realpath "$program")
for tool in sha256sum tar gzip timeout awk; do
  command -v "$tool" >/dev/null || die 3 "needs the program $tool"
done
has() { "$program" "$@" --help >/dev/null 2>&1; }

# ------------------------------------------------------------------------------------------------------------- steps
declare -A status why
steps=() child='' stopped=''
# The child ends its run and keeps what it recorded; no further step begins.
trap 'stopped=1; [ -n "$child" ] && kill -INT "$child" 2>/dev/null' INT TERM

# remember STEP STATUS WHY: also where the disk is full.
remember() {
  status[$1]=$2 why[$1]=$3
  { printf '%s\t%s\n' "$2" "$3" >"$out/state/$1.new" && mv "$out/state/$1.new" "$out/state/$1"; } 2>/dev/null ||
    why[$1]="${3:+$3; }its state could not be written"
  printf '%-12s %-8s %s\n' "$1" "$2" "${why[$1]}" >&2
}

# The last line that a step said on standard error, which is the program's own reason.
reason_of() { sed -n '/[^[:space:]]/h; ${x;s/^warpbound: //;p;}' "$out/log/$1.err" 2>/dev/null | cut -c1-300; }

# step NAME SECONDS COMMAND..: runs it once; a step that is done is not repeated. Standard output goes to log/NAME.out.
step() {
  local name=$1 limit=$2 code left
  shift 2
  steps+=("$name")
  if [ -n "$stopped" ]; then remember "$name" left-out "interrupted before it began"; return 4; fi
  if [ -r "$out/state/$name" ]; then
    IFS=$'\t' read -r status[$name] why[$name] <"$out/state/$name"
    case ${status[$name]} in
      'done' | finding) printf '%-12s %-8s %s\n' "$name" "${status[$name]}" "as before" >&2; return 0 ;;
    esac
  fi
  left=$((60 * minutes - (SECONDS - start)))
  if [ "$left" -le 0 ]; then remember "$name" left-out "the time of $minutes minutes was over"; return 4; fi
  [ "$left" -lt "$limit" ] && limit=$left
  [ "$longest" -lt "$limit" ] && limit=$longest
  # A shell that cannot open the logs does not run the command.
  timeout -s INT -k 10 "$limit" "$@" >"$out/log/$name.out" 2>"$out/log/$name.err" &
  child=$!
  wait "$child"; code=$?
  while [ -n "$stopped" ] && kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done
  child=''
  if [ -n "$stopped" ]; then remember "$name" failed "interrupted; the next call repeats it"; return 4; fi
  case $code in
    0) remember "$name" 'done' "" ;;
    1) if [ -s "$out/log/$name.out" ]; then remember "$name" finding "see log/$name.out"
       else remember "$name" failed "exit code 1, and no result: $(reason_of "$name")"; fi ;;
    4) remember "$name" failed "undecided: $(reason_of "$name")" ;;
    124 | 137) remember "$name" failed "did not end within $limit s; the next call goes on with it" ;;
    *) remember "$name" failed "exit code $code: $(reason_of "$name")" ;;
  esac
  [ "$code" -le 1 ]
}
# again NAME SECONDS COMMAND..: a step made of others' results, which is always made again.
again() { rm -f "$out/state/$1"; step "$@"; }

# ------------------------------------------------------------------------------------------------------------- facts
show() { printf '\n== %s\n' "$*"; timeout 20 "$@" 2>&1 || printf '(absent: exit code %s)\n' "$?"; }
show_files() {
  local file
  for file in "$@"; do
    [ -r "$file" ] && [ -f "$file" ] && printf '%s: %s\n' "$file" "$(tr -d '\0' <"$file" 2>/dev/null | head -c 2000)"
  done
}
# Reads only. Serial numbers stay on the board.
facts() {
  show "$program" --version
  show uname -srm
  show nproc
  show nvidia-smi -q | grep -viE 'serial|uuid'
  command -v nvpmodel >/dev/null && show nvpmodel -q
  printf '\n== files\n'
  show_files /etc/os-release /proc/driver/nvidia/version /proc/device-tree/model /etc/nv_tegra_release \
    /sys/class/devfreq/*/{cur_freq,min_freq,max_freq,governor,available_frequencies} \
    /sys/devices/gpu.0/devfreq/*/{cur_freq,min_freq,max_freq,governor} /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor
  printf '\n== devices\n'
  "$program" devices --format json
}

# What `devices` says of the device: KEY of its entry in the JSON.
entry() {
  awk -F'"' -v name="$device" -v key="$1" '/"name":/ { at = ($4 == name) } at && $2 == key { print $4; exit }' \
    "$out/log/facts.out" 2>/dev/null
}

# ------------------------------------------------------------------------------------------------------ derived results
verdicts() {
  local from=() name result=4 code
  [ -s "$out/contract.db" ] && from+=(--campaign "$out/contract.db")
  [ -s "$out/scheduling.json" ] && from+=(--recording "$out/scheduling.json")
  [ ${#from[@]} -gt 0 ] || { echo "nothing was recorded" >&2; return 3; }
  for name in contract.json $(has bound && echo contract.html) contract.txt; do
    "$program" contract --quiet "${from[@]}" ${gpu:+--gpu "$gpu"} -o "$out/$name"; code=$?
    result=$code
    [ "$code" -eq 2 ] || [ "$code" -eq 3 ] && return "$code"
  done
  cat "$out/contract.txt"
  [ "$result" -ne 4 ] || echo "no rule could be tested; contract.txt says why" >&2
  return "$result"
}
pages() {
  local db failed=0
  for db in "$out"/*.db; do
    [ -s "$db" ] || continue
    "$program" campaign report --quiet "$db" -o "${db%.db}.html" || failed=3
  done
  return "$failed"
}
texts() {
  local db failed=0
  for db in "$out"/*.db; do
    [ -s "$db" ] || continue
    "$program" campaign export --quiet "$db" -o "${db%.db}.csv" || { rm -f "${db%.db}.csv"; failed=3; }
  done
  return "$failed"
}
export -f show show_files facts has verdicts pages texts
export program out gpu device

report() {
  local name
  printf 'device       %s\ndescription  %s\n\nsteps\n' "$device${detail:+, $detail}" "${gpu:-none}"
  for name in "${steps[@]}"; do printf '  %-12s %-8s %s\n' "$name" "${status[$name]}" "${why[$name]}"; done
  printf '\n'
  # Rules that were tested; contract.txt says why the others were not.
  if [ -s "$out/contract.txt" ]; then
    awk '/^C[0-9]/ { shown = !/^C[0-9a-z]* +not tested/ } /^$/ { shown = 0 } shown || /^[0-9]+ hold/' "$out/contract.txt"
  fi
  for name in "$out"/log/kernel-*.out; do [ -s "$name" ] && { printf '\n'; cat "$name"; }; done
  return 0
}

# The exit code of what the steps came to.
ended() {
  local name failed=0
  for name in "${steps[@]}"; do
    case ${status[$name]} in finding) return 1 ;; 'done') ;; *) failed=4 ;; esac
  done
  return "$failed"
}

# --------------------------------------------------------------------------------------------------------------- open
open_archive() {
  local listing entry csv
  [ -n "$out" ] || die 2 "--open needs --out FOLDER"
  [ -e "$out" ] && die 3 "$out: is there already; expected a new folder"
  listing=$(tar -tvzf "$archive" 2>/dev/null) || die 3 "$archive: no archive of board.sh, or damaged"
  # Files and folders below one folder only.
  if ! awk '{ if ($1 !~ /^[-d]/ || $NF !~ /^board\/[A-Za-z0-9._\/-]*$/ || $NF ~ /\.\./ || NF != 6) bad = 1 }
            END { exit bad || NR == 0 }' <<<"$listing"; then die 3 "$archive: has entries that board.sh does not write"; fi
  mkdir -p "$out" && tar -xzf "$archive" -C "$out" --strip-components=1 --no-same-owner --no-same-permissions ||
    die 3 "$archive: cannot be unpacked into $out"
  out=$(realpath "$out")
  (cd "$out" && [ -s manifest.txt ] && sha256sum --check --strict --quiet manifest.txt >&2) ||
    die 3 "$archive: its manifest does not agree with its files"
  if ! diff <(cd "$out" && find . -type f ! -name manifest.txt | LC_ALL=C sort) \
            <(sed 's/^[0-9a-f]* [ *]//' "$out/manifest.txt" | LC_ALL=C sort) >&2; then
    die 3 "$archive: has files that its manifest does not name"
  fi
  cp "$out/report.txt" "$out/report-of-the-board.txt"
  [ -s "$out/contract.json" ] && cp "$out/contract.json" "$out/contract-of-the-board.json"
  rm -rf "$out/state" && mkdir "$out/state"
  device=$(sed -n '1s/^device *\([^,]*\).*/\1/p' "$out/report.txt") detail=$(sed -n '1s/^device *[^,]*, //p' "$out/report.txt")
  [ -n "$gpu" ] || gpu=$(sed -n '2s/^description *//p' "$out/report.txt")
  [ "$gpu" != none ] || gpu=''
  for csv in "$out"/*.csv; do
    [ -s "$csv" ] || continue
    entry=$(basename "${csv%.csv}")
    step "import-$entry" 600 "$program" campaign import --quiet "$csv" -o "${csv%.csv}.db"
  done
  step verdicts 600 bash -c verdicts
  if has campaign report; then step pages 600 bash -c pages; fi
  report >"$out/report.txt"
  cat "$out/report.txt"
  if [ -s "$out/contract-of-the-board.json" ] && cmp -s "$out/contract-of-the-board.json" "$out/contract.json"; then
    echo "the verdicts are those of the board"
  fi
}

# ---------------------------------------------------------------------------------------------------------- the board
# Each line of the table is a step of its own.
measure_kernels() {
  local name line words table=${kernels:-$here/../examples/board/kernels.txt}
  if ! [ -r "$table" ]; then
    steps+=(kernels)
    remember kernels failed "$table: cannot be read"
    return
  fi
  while read -r name line; do
    case $name in '' | '#'*) continue ;; esac
    if ! [[ $name =~ ^[A-Za-z0-9_]+$ ]]; then
      steps+=(kernels)
      remember kernels failed "$table: '$name' is no name; expected letters, digits and _"
      continue
    fi
    read -ra words <<<"$line"
    has bound && [ -n "$gpu" ] && words+=(--gpu "$gpu")
    step "kernel-$name" 60 env -C "$(dirname "$table")" "$program" measure "${words[@]}" --device "$device" \
      --repetitions 100 --campaign "$out/kernels.db"
  done <"$table"
}

measure_board() {
  local held
  out=${out:-board}
  mkdir -p "$out/state" "$out/log" 2>/dev/null && : >"$out/state/writable" 2>/dev/null ||
    die 3 "$out: cannot be written; name another folder by --out"
  out=$(realpath "$out")
  held=$(cat "$out/state/device" 2>/dev/null)
  [ "${held%%,*}" = "${held:+$device}" ] || die 3 "$out: holds runs of '$held'; name another folder by --out"
  again facts 120 bash -c facts
  detail=$(entry detail)
  [ -n "$gpu" ] || gpu=$(entry description)
  [ -n "$gpu" ] || { [ "${device#simulated:}" != "$device" ] && gpu=${device#simulated:}; }
  if [ -n "$detail$gpu" ] && [ -n "$held" ]; then
    [ "$held" = "$device${detail:+, $detail}" ] || die 3 "$out: holds runs of '$held'; name another folder by --out"
  elif [ -n "$detail$gpu" ]; then
    printf '%s\n' "$device${detail:+, $detail}" >"$out/state/device" || true
  fi

  is_chosen limits && step limits 60 "$program" measure --device "$device" --limits
  is_chosen contract &&
    step contract 120 "$program" measure --device "$device" --suite contract --campaign "$out/contract.db"
  is_chosen scheduling && step scheduling 90 "$program" hypotheses --device "$device" --runs 20 --record "$out/scheduling.json"
  is_chosen kernels && measure_kernels
  is_chosen calibration && step calibration 240 "$program" measure --device "$device" --suite calibration --repetitions 200 \
    --campaign "$out/calibration.db"

  if [ -s "$out/calibration.db" ]; then
    again calibrate 60 "$program" calibrate --campaign "$out/calibration.db" ${gpu:+--base "$gpu"} --name board -o "$out/card.xml"
  fi
  if is_chosen contract || is_chosen scheduling; then again verdicts 60 bash -c verdicts; fi
  if has campaign report; then again pages 120 bash -c pages; fi
  again texts 120 bash -c texts
  report >"$out/report.txt" || printf 'board.sh: %s\n' "$out/report.txt: cannot be written" >&2
  pack
  cat "$out/report.txt"
}

# One archive: text of the campaigns, reports, logs, and the digest of each file.
pack() {
  local excluded=() db
  for db in "$out"/*.db; do [ -s "${db%.db}.csv" ] && excluded+=(! -name "$(basename "$db")"); done
  if (
    cd "$out" || exit 1
    find . -type f ! -name manifest.txt ! -name '*.new' ! -name '*.db-*' "${excluded[@]}" -print0 | LC_ALL=C sort -z |
      xargs -0 sha256sum >manifest.txt || exit 1
    { sed 's/^[0-9a-f]* [ *]//' manifest.txt; echo ./manifest.txt; } |
      tar -c --no-recursion --mtime=@0 --owner=0 --group=0 --numeric-owner --mode=0644 --transform='s,^\./,board/,' -T - |
      gzip -n >"$out.tar.gz.new" && mv "$out.tar.gz.new" "$out.tar.gz"
  ); then
    printf '\nthe archive is %s; at home: board.sh --open %s --out FOLDER\n' "$out.tar.gz" "$(basename "$out").tar.gz" >&2
  else
    rm -f "$out.tar.gz.new"
    steps+=(archive); remember archive failed "could not be written; the results are in $out"
  fi
}

detail=''
if [ -n "$archive" ]; then open_archive; else measure_board; fi
[ -z "$stopped" ] || exit 130
ended
