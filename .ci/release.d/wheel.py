"""A wheel whose one script is the program: `uvx mcp-errconf`, `pipx run mcp-errconf`, `pip install mcp-errconf`.

By the binary distribution format (PEP 427), with core metadata 2.4 (PEP 639) and platform tags of PEP 600, 656 and 425.
"""

import base64
import hashlib

import elf
from common import LICENCES, ROOT, executable, zipped

WINDOWS = {"x86_64": "win_amd64"}
MACOS = {"x86_64": "macosx_10_12_x86_64", "aarch64": "macosx_11_0_arm64"}


def tags(target, binary):
    """The platforms that this binary runs on. A static one needs no libc, so any of them will do."""
    machine = target.split("-")[0]
    if target.endswith("-apple-darwin"):
        return [MACOS[machine]]
    if "-windows-" in target:
        return [WINDOWS[machine]]
    least = elf.least_glibc(binary)
    if least is None:
        return [f"manylinux_2_17_{machine}", f"musllinux_1_1_{machine}"]
    return [f"manylinux_{least[0]}_{least[1]}_{machine}"]


def metadata(release):
    heads = [
        "Metadata-Version: 2.4", f"Name: {release.name}", f"Version: {release.version}",
        f"Summary: {release.description}", f"Author: {release.authors}",
        f"License-Expression: {release.licence}",
        *(f"License-File: {licence}" for licence in LICENCES),
        f"Keywords: {','.join(release.keywords)}",
        "Classifier: Environment :: Console", "Classifier: Intended Audience :: Developers",
        "Classifier: Programming Language :: Rust", "Classifier: Topic :: Software Development :: Testing",
        "Requires-Python: >=3.8", "Description-Content-Type: text/markdown; charset=UTF-8; variant=GFM",
    ]
    if release.repository:
        heads.insert(-2, f"Project-URL: Source, {release.repository}")
    return "\n".join(heads) + "\n\n" + (ROOT / "README.md").read_text(encoding="utf-8")


def of_target(release, target, binary, folder, _):
    platforms = tags(target, binary)
    name = f"{release.name.replace('-', '_')}-{release.version}"
    about = f"{name}.dist-info"
    wheel = "Wheel-Version: 1.0\nGenerator: mcp-errconf .ci/release\nRoot-Is-Purelib: false\n"
    wheel += "".join(f"Tag: py3-none-{platform}\n" for platform in platforms)
    members = [(f"{name}.data/scripts/{executable(release, target)}", binary.read_bytes(), 0o755)]
    members += [(f"{about}/licenses/{licence}", (ROOT / licence).read_bytes(), 0o644) for licence in LICENCES]
    members += [(f"{about}/METADATA", metadata(release).encode(), 0o644), (f"{about}/WHEEL", wheel.encode(), 0o644)]
    record = "".join(f"{path},sha256={digest(content)},{len(content)}\n" for path, content, _ in members)
    members.append((f"{about}/RECORD", f"{record}{about}/RECORD,,\n".encode(), 0o644))
    file = folder / f"{name}-py3-none-{'.'.join(platforms)}.whl"
    return [zipped(file, members, release.time)]


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
