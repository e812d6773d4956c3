#!/bin/bash -eu
# Builds the fuzz targets into $OUT, each with its first inputs beside it. ClusterFuzzLite sets SRC, WORK and OUT, and runs what
# it finds in $OUT. `shop` stays away: its server has a fault on purpose.
cd "$SRC/mcp-errconf"
# Without symbols a sanitizer cannot say where it was.
export CARGO_PROFILE_RELEASE_STRIP=none CARGO_PROFILE_RELEASE_LTO=off
cargo fuzz build -O --target-dir "$WORK"
for target in $(cargo fuzz list | grep -vx shop); do
    cp "$WORK/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
    zip -q -j -r "$OUT/${target}_seed_corpus.zip" "fuzz/seeds/$target"
done
