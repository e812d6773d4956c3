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

case $(uname -s)/$(uname -m) in
Linux/x86_64) target=x86_64-unknown-linux-musl ;;
Linux/aarch64) target=aarch64-unknown-linux-musl ;;
Darwin/x86_64) target=x86_64-apple-darwin ;;
Darwin/arm64) target=aarch64-apple-darwin ;;
*) fail "there is no binary for $(uname -s) on $(uname -m): build one (\`cargo install --locked mcp-errconf\`) and give it as \`binary\`" ;;
esac
sha256() { if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1; }
folder=$RUNNER_TEMP/mcp-errconf-$VERSION
name=mcp-errconf-$VERSION-$target
mkdir -p "$folder"
fetch() { curl --fail --silent --show-error --location --retry 3 --output "$folder/$1" "$RELEASES/v$VERSION/$1"; }
fetch "$name.tar.gz" || fail "version $VERSION has no $name.tar.gz"
if [[ -z $SHA256 ]]; then
    fetch SHA256SUMS || fail "version $VERSION has no SHA256SUMS"
    SHA256=$(sed -n "s/^\([0-9a-f]\{64\}\)  $name\.tar\.gz\$/\1/p" "$folder/SHA256SUMS")
    [[ -n $SHA256 ]] || fail "SHA256SUMS of version $VERSION does not name $name.tar.gz"
fi
actual=$(sha256 "$folder/$name.tar.gz")
[[ $actual == "$SHA256" ]] || fail "$name.tar.gz has the SHA-256 $actual, not $SHA256"
tar -xzf "$folder/$name.tar.gz" -C "$folder"
found "$folder/$name/mcp-errconf"
