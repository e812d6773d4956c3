"""What every package says of itself, and files that come out the same each time."""

import gzip
import hashlib
import io
import json
import os
import subprocess
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path
from time import gmtime

ROOT = Path(__file__).resolve().parents[2]
# No package is larger than this, packed.
LARGEST = 8_000_000
LICENCES = ("LICENSE-MIT", "LICENSE-APACHE")


@dataclass(frozen=True)
class Release:
    """Name, version and the rest of the manifest, and the commit's time in seconds since 1970."""

    name: str
    version: str
    description: str
    licence: str
    authors: str
    keywords: list
    repository: str | None
    time: int

    @staticmethod
    def of_checkout():
        told = json.loads(run("cargo", "metadata", "--no-deps", "--locked", "--format-version", "1"))
        (said,) = (package for package in told["packages"] if package["name"] == "mcp-errconf")
        time = os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct")
        repository = os.environ.get("REPOSITORY")
        if not repository and "GITHUB_REPOSITORY" in os.environ:
            repository = "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}".format_map(os.environ)
        return Release(
            name=said["name"], version=said["version"], description=said["description"], licence=said["license"],
            authors=", ".join(said["authors"]), keywords=said["keywords"], repository=repository or None,
            time=int(time),
        )


def executable(release, target):
    """The program's file name on a target."""
    return f"{release.name}.exe" if "-windows-" in target else release.name


def run(*command, cwd=ROOT, env=None):
    """What a command prints; what it complains of goes where ours does."""
    made = subprocess.run(command, cwd=cwd, env=env and {**os.environ, **env}, check=True, stdout=subprocess.PIPE)
    return made.stdout.decode().strip()


def tar_gz(file, members, time):
    """Writes an archive of (path inside, bytes, mode), owned by root, all of one time."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content, mode in members:
            member = tarfile.TarInfo(name)
            member.size, member.mode, member.mtime = len(content), mode, time
            member.uname = member.gname = "root"
            tar.addfile(member, io.BytesIO(content))
    file.write_bytes(gzipped(packed.getvalue()))
    return file


def zipped(file, members, time):
    """Writes a zip archive of (path inside, bytes, mode), all of one time."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
        for path, content, mode in members:
            entry = zipfile.ZipInfo(path, gmtime(time)[:6])
            # A plain file with its mode, as a Unix system makes it; and packed: `writestr` goes by the entry.
            entry.create_system, entry.external_attr = 3, (0o100000 | mode) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, content)
    return file


def gzipped(content):
    """As small as gzip makes it, with neither a name nor the time of packing."""
    return gzip.compress(content, compresslevel=9, mtime=0)


def sums(folder):
    """SHA256SUMS over what stands in the folder, as `sha256sum --check` reads it."""
    files = sorted(file for file in folder.iterdir() if file.is_file() and file.name != "SHA256SUMS")
    lines = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in files]
    (folder / "SHA256SUMS").write_text("".join(lines), encoding="utf-8", newline="\n")
    return [folder / "SHA256SUMS"]
