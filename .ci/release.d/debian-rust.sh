# Read by scripts that build for targets for which rustup has no standard library here: Debian ships it as source, with the
# compiler that it belongs to (Debian 12).

# unpack_rust FOLDER PACKAGE...: unpacks compiler, sources and these packages into a folder. Nothing is installed.
unpack_rust() {
    local root=$1 packages
    shift
    packages=(rustc-web rust-web-src "$@")
    mkdir -p "$root/packages"
    needed() { apt-cache depends --important --recurse --no-conflicts --no-breaks --no-replaces --no-enhances "$@"; }
    # With what the compiler needs, whatever version of LLVM that is today.
    mapfile -t -O "${#packages[@]}" packages < <(needed rustc-web | grep -E '^(libstd-rust-web|libLLVM|libllvm)' | sort -u)
    (cd "$root/packages" && apt-get download -qq "${packages[@]}")
    local package
    for package in "$root"/packages/*.deb; do dpkg-deb -x "$package" "$root"; done
    rm -r "$root/packages"
}

# use_rust FOLDER: what is built from now on, is built with it.
use_rust() {
    export RUSTC=$1/usr/bin/rustc RUSTC_BOOTSTRAP=1 LD_LIBRARY_PATH=$1/usr/lib/x86_64-linux-gnu
}
