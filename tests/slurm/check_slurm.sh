#!/usr/bin/env bash
# A Slurm of one node, run from a folder without systemd and without root's files: an array of four tasks records a plan,
# one task is killed with its whole step and requeued, and the merged campaign has the bytes of one process.
# Usage: check_slurm.sh WARPBOUND ROOT FOLDER. Ends with 77 where Slurm or MUNGE is not installed.
set -euo pipefail
readonly program=$(realpath "$1") root=$(realpath "$2") folder=$3
PATH=$PATH:/usr/sbin:/sbin
for tool in munged slurmctld slurmd sbatch scontrol squeue; do
  command -v "$tool" >/dev/null || { echo "skipped: $tool is not installed (Debian: slurm-wlm)"; exit 77; }
done
rm -rf "$folder"
mkdir -p "$folder"/{state,spool,log,jobs/runs}
chmod 755 "$folder"
# MUNGE and the daemons refuse folders that others may write, and sockets with long names.
run=$(mktemp -d /tmp/warpbound-slurm.XXXXXX)
chmod 755 "$run"
readonly run
daemons=()
stop() {
  for process in "${daemons[@]}"; do kill "$process" 2>/dev/null || true; done
  for process in "${daemons[@]}"; do wait "$process" 2>/dev/null || true; done
  rm -rf "$run"
}
trap stop EXIT
fail() {
  echo "failed: $*" >&2
  tail -n 20 "$folder"/log/* "$folder"/jobs/slurm-*.out >&2 2>/dev/null || true
  exit 1
}
# wait_until SECONDS COMMAND..
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || fail "waited too long for: $*"
    sleep 0.2
  done
}

user=$(id -un)
host=$(hostname -s)
# Two ports that nobody listens on; a collision with a later process ends the test, it does not pass it.
port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
head -c 1024 /dev/urandom >"$run/munge.key"
chmod 400 "$run/munge.key"
munged --foreground --force --key-file="$run/munge.key" --socket="$run/munge" --pid-file="$run/munged.pid" \
  --log-file="$run/munged.log" --seed-file="$run/munged.seed" --num-threads=1 >"$folder/log/munged.log" 2>&1 &
daemons+=($!)
wait_until 20 test -S "$run/munge"
cat >"$folder/slurm.conf" <<END
ClusterName=warpbound
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$(port)
SlurmdPort=$(port)
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
# A requeued task starts when the credential of its first start is no longer valid; 120 s without this.
AuthInfo=socket=$run/munge,cred_expire=5
CredType=cred/munge
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$run/slurmctld.pid
SlurmdPidFile=$run/slurmd.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
JobRequeue=1
MinJobAge=600
SchedulerParameters=bf_interval=1,sched_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=bench Nodes=$host Default=YES MaxTime=10 State=UP
END
export SLURM_CONF=$folder/slurm.conf
slurmctld -D >/dev/null 2>&1 &
daemons+=($!)
wait_until 30 scontrol ping
slurmd -D -N "$host" >/dev/null 2>&1 &
daemons+=($!)
wait_until 60 bash -c 'sinfo -h -o %T | grep -qx idle'

# The files of examples/slurm as they are, with so many runs that a task can be killed meanwhile.
cd "$folder/jobs"
mkdir -p examples/slurm
ln -s "$root/examples/saxpy" examples/saxpy
cp "$root"/examples/slurm/{array.sbatch,merge.sh} examples/slurm/
sed 's/runs="100"/runs="2000"/' "$root/examples/slurm/plan.xml" >examples/slurm/plan.xml
export WARPBOUND=$program
job=$(sbatch --parsable --array=1-4 examples/slurm/array.sbatch)
readonly victim=runs/2-of-4.db
recorded() { "$program" campaign export "$1" 2>/dev/null | wc -l; }
has_runs() { (($(recorded "$victim") > 100)); }
# field TASK NAME: what Slurm says of a task.
field() { scontrol show job "${job}_$1" --oneliner | tr ' ' '\n' | sed -n "s/^$2=//p"; }
in_state() { [[ $(field "$1" JobState) == "$2" ]]; }
wait_until 60 has_runs
# As a host that runs out of memory does: without a word to the program or to Slurm.
processes=$(scontrol listpids "$(field 2 JobId)" | awk 'NR > 1 && $1 > 0 { print $1 }')
kill -KILL $processes
wait_until 30 in_state 2 FAILED # COMPLETED: it ended before the signal, and nothing was shown.
readonly before=$(recorded "$victim")
"$program" campaign merge runs/*.db --plan examples/slurm/plan.xml -o early.db >early.txt 2>&1 &&
  fail "a merge without the killed task is accepted"
scontrol requeue "${job}_2"
for task in 1 2 3 4; do wait_until 120 in_state "$task" COMPLETED; done
[[ $(field 2 Restarts) == 1 ]] || fail "task 2 was not requeued once"
readonly after=$(recorded "$victim")
((before < after)) || fail "task 2 had all its $after lines when it was killed"

bash examples/slurm/merge.sh
"$program" simulate --plan examples/slurm/plan.xml --shard 1/1 --campaign one.db --quiet >/dev/null
"$program" campaign export runs.db >array.csv
"$program" campaign export one.db >one.csv
cmp array.csv one.csv || fail "four tasks give other bytes than one process"
echo "task 2 was killed with $before of $after lines and requeued; $(wc -l <array.csv) lines equal those of one process"
