#!/usr/bin/env bash
# A campaign in four shards as an array of Slurm, on the server in mcp-errconf.toml, and a job that merges them. Run it in a folder
# that all nodes share: it submits both and waits; its exit code is that of the merged campaign. A task whose node fails is queued
# again by Slurm, one that was killed or failed itself by this script, three times at most; both go on where they were.
# Arguments take the place of `--duration 30m`. For mcp-errconf==0.1.0.
set -euo pipefail
if [ -z "${SLURM_ARRAY_TASK_ID:-}" ]; then
    [ $# -gt 0 ] || set -- --duration 30m
    mkdir -p shards
    array=$(sbatch --parsable --array=1-4 --requeue --open-mode=append --output=shards/%a.log "$0" "$@")
    exec sbatch --wait --dependency="afterany:$array" --output=merge.log \
        --wrap 'mcp-errconf merge shards/*/ --into merged --report human --report html=merged.html'
fi
shard=shards/$SLURM_ARRAY_TASK_ID
mkdir -p "$shard"
code=0
mcp-errconf fuzz --quiet --seed 1 "$@" --shard auto --findings "$shard/findings" --corpus "$shard/corpus" \
    --report "json=$shard/report.json" || code=$?
if [ "$code" -gt 4 ] && [ "${SLURM_RESTART_COUNT:-0}" -lt 3 ]; then
    scontrol requeue "$SLURM_JOB_ID"
fi
[ "$code" -le 4 ]
