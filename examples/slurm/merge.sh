#!/usr/bin/env bash
# Merges the campaigns of all tasks into runs.db.
set -euo pipefail
exec "${WARPBOUND:-warpbound}" campaign merge runs/*.db --plan examples/slurm/plan.xml -o runs.db
