#!/usr/bin/env bash
# A campaign in eight shards on one machine with GNU parallel, four at a time, on the server in mcp-errconf.toml. Started again,
# it goes on with the shards that were killed and leaves alone those that ended, whatever they found: every shard leaves 0 for
# `--resume-failed`, but where another try may help. Arguments take the place of `--duration 30m`. For mcp-errconf==0.1.0.
set -euo pipefail
[ $# -gt 0 ] || set -- --duration 30m
shard() {
    local number=$1
    shift
    mkdir -p "shards/$number"
    mcp-errconf fuzz --quiet --seed 1 "$@" --shard "$number/8" --findings "shards/$number/findings" \
        --corpus "shards/$number/corpus" --report "json=shards/$number/report.json" || [ $? -le 4 ]
}
export -f shard
parallel --will-cite --jobs 4 --joblog shards.log --resume-failed shard {} "$@" ::: 1 2 3 4 5 6 7 8
mcp-errconf merge shards/* --into merged --report human --report html=merged.html
