#!/usr/bin/env bash
# A campaign in eight shards (SHARDS) on one machine with GNU parallel, four at a time, on the server in mcp-errconf.toml. Started
# again, it goes on with the shards that were killed and leaves alone those that ended, whatever they found: those leave 0 for
# `--resume-failed`. Arguments take the place of `--duration 30m`. For mcp-errconf==0.1.0.
set -euo pipefail
[ $# -gt 0 ] || set -- --duration 30m
export SHARDS=${SHARDS:-8}
shard() {
    local number=$1 code=0
    shift
    mkdir -p "shards/$number"
    mcp-errconf fuzz --quiet --seed 1 "$@" --shard "$number/$SHARDS" --findings "shards/$number/findings" \
        --corpus "shards/$number/corpus" --report "json=shards/$number/report.json" || code=$?
    case $code in 0 | 1 | 3 | 4) ;; *) return "$code" ;; esac
}
export -f shard
if ! seq "$SHARDS" | parallel --will-cite --jobs 4 --joblog shards.log --resume-failed shard {} "$@"; then
    echo "some shards did not end: the same command goes on with them alone" >&2
    exit 70
fi
mcp-errconf merge shards/* --into merged --report human --report html=merged.html
