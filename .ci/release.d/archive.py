"""The archive of one target: the program, its licences, man pages, completions, and what to read first. `cargo binstall` takes it too."""

from common import LICENCES, ROOT, executable, tar_gz, zipped
from manual import pages


def of_target(release, target, binary, folder, _):
    name = f"{release.name}-{release.version}-{target}"
    members = [(f"{name}/{executable(release, target)}", binary.read_bytes(), 0o755)]
    members += [(f"{name}/{file}", (ROOT / file).read_bytes(), 0o644)
                for file in (*LICENCES, "README.md", "CHANGELOG.md")]
    members += [(f"{name}/{file}", content, 0o644) for file, content in pages(binary).items()]
    # Windows unpacks a zip archive by itself.
    if "-windows-" in target:
        return [zipped(folder / f"{name}.zip", members, release.time)]
    return [tar_gz(folder / f"{name}.tar.gz", members, release.time)]
