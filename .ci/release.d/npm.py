"""npm: one package with a launcher, and one with the binary for each platform, of which npm installs the one that fits."""

import json

from common import LICENCES, ROOT, executable, run

# Static where there is a choice: it runs on every Linux, so that no libc has to be told apart.
PLATFORMS = {
    "x86_64-unknown-linux-musl": ("linux", "x64"),
    "aarch64-unknown-linux-musl": ("linux", "arm64"),
    "x86_64-apple-darwin": ("darwin", "x64"),
    "aarch64-apple-darwin": ("darwin", "arm64"),
    "x86_64-pc-windows-gnu": ("win32", "x64"),
}
FILES = ["bin", *LICENCES]


def manifest(release, name, description, **more):
    said = {"name": name, "version": release.version, "description": description, "license": release.licence,
            "author": release.authors, "keywords": release.keywords}
    if release.repository:
        said["repository"] = {"type": "git", "url": f"git+{release.repository}.git"}
    return {**said, **more}


def pack(package, folder, content, scratch):
    """Lays a package out and packs it: `content` is (path inside, bytes, mode)."""
    at = scratch / "npm" / package["name"]
    licences = [(name, (ROOT / name).read_bytes(), 0o644) for name in LICENCES]
    for path, data, mode in [*content, *licences, ("package.json", json.dumps(package, indent=2).encode(), 0o644)]:
        (at / path).parent.mkdir(parents=True, exist_ok=True)
        (at / path).write_bytes(data)
        (at / path).chmod(mode)
    told = json.loads(run("npm", "pack", "--json", "--ignore-scripts", "--pack-destination", str(folder), cwd=at))
    # Since version 12 an object by name, before it a list.
    (packed,) = told.values() if isinstance(told, dict) else told
    return [folder / packed["filename"]]


def of_target(release, target, binary, folder, scratch):
    if target not in PLATFORMS:
        return []
    system, machine = PLATFORMS[target]
    package = manifest(
        release, f"{release.name}-{system}-{machine}", f"The program of {release.name} for {system} on {machine}",
        os=[system], cpu=[machine], preferUnplugged=True, files=FILES,
    )
    readme = f"# {package['name']}\n\n{package['description']}: it is installed by `{release.name}`.\n"
    content = [(f"bin/{executable(release, target)}", binary.read_bytes(), 0o755), ("README.md", readme.encode(), 0o644)]
    return pack(package, folder, content, scratch)


def launcher(release, folder, scratch):
    names = [f"{release.name}-{system}-{machine}" for system, machine in PLATFORMS.values()]
    package = manifest(
        release, release.name, release.description, bin={release.name: f"bin/{release.name}.js"}, files=FILES,
        engines={"node": ">=18"}, optionalDependencies={name: release.version for name in names},
    )
    script = (ROOT / ".ci/release.d/npm/launcher.js").read_bytes()
    content = [(f"bin/{release.name}.js", script, 0o755), ("README.md", (ROOT / "README.md").read_bytes(), 0o644)]
    return pack(package, folder, content, scratch)
