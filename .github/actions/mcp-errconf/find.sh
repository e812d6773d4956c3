# Finds the program: the one that is given, one of this version on the path, or the release's archive, whose checksum must be
# right. Reads BINARY, RELEASES, SHA256 and VERSION; writes the output `binary`.
set -euo pipefail

fail() {
    echo "::error title=mcp-errconf::$*"
    exit 1
}

found() {
    echo "mcp-errconf: $("$1" --version), $1"
    echo "binary=$1" >>"$GITHUB_OUTPUT"
    exit 0
}

if [[ -n $BINARY ]]; then
    command -v "$BINARY" >/dev/null || fail "\`binary\`: there is no program $BINARY"
    found "$(command -v "$BINARY")"
fi

on_path=$(command -v mcp-errconf || true)
if [[ -n $on_path && $("$on_path" --version) == "mcp-errconf $VERSION" ]]; then found "$on_path"; fi

end=tar.gz program=mcp-errconf
case $(uname -s)/$(uname -m) in
Linux/x86_64) target=x86_64-unknown-linux-musl ;;
Linux/aarch64) target=aarch64-unknown-linux-musl ;;
Darwin/x86_64) target=x86_64-apple-darwin ;;
Darwin/arm64) target=aarch64-apple-darwin ;;
# Git's own shell, which is the `bash` of Windows runners.
MINGW*/x86_64 | MSYS*/x86_64) target=x86_64-pc-windows-gnu end=zip program=mcp-errconf.exe ;;
*) fail "there is no binary for $(uname -s) on $(uname -m): build one (\`cargo install --locked mcp-errconf\`) and give it as \`binary\`" ;;
esac
sha256() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; }
# Slashes alone, which the programs of Windows take as well.
if command -v cygpath >/dev/null; then RUNNER_TEMP=$(cygpath --mixed "$RUNNER_TEMP"); fi
folder=$RUNNER_TEMP/mcp-errconf-$VERSION
name=mcp-errconf-$VERSION-$target
archive=$name.$end
mkdir -p "$folder"
fetch() { curl --fail --silent --show-error --location --retry 3 --output "$folder/$1" "$RELEASES/v$VERSION/$1"; }
fetch "$archive" || fail "version $VERSION has no $archive"
if [[ -z $SHA256 ]]; then
    fetch SHA256SUMS || fail "version $VERSION has no SHA256SUMS"
    SHA256=$(sed -n "s/^\([0-9a-f]\{64\}\)  ${archive//./\\.}\$/\1/p" "$folder/SHA256SUMS")
    [[ -n $SHA256 ]] || fail "SHA256SUMS of version $VERSION does not name $archive"
fi
actual=$(sha256 "$folder/$archive")
[[ $actual == "$SHA256" ]] || fail "$archive has the SHA-256 $actual, not $SHA256"
case $end in
zip) unzip -q -o "$folder/$archive" -d "$folder" ;;
*) tar -xzf "$folder/$archive" -C "$folder" ;;
esac
found "$folder/$name/$program"
