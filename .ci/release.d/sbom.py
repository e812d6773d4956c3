"""The bill of materials, CycloneDX 1.6 as JSON: every crate that is compiled into the program on Linux or macOS, with version,
licence and checksum as Cargo.lock has them, and which one needs which."""

import json
import re
import time
import uuid

from common import ROOT, run

PLATFORMS = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-musl", "x86_64-apple-darwin", "aarch64-apple-darwin")


def make(release, folder, _):
    platforms = [word for target in PLATFORMS for word in ("--filter-platform", target)]
    told = json.loads(run("cargo", "metadata", "--locked", "--format-version", "1", *platforms))
    packages = {package["id"]: package for package in told["packages"]}
    needs = {node["id"]: sorted(needed["pkg"] for needed in node["deps"] if is_compiled_in(needed))
             for node in told["resolve"]["nodes"]}
    (own,) = (id for id, package in packages.items() if package["name"] == release.name)
    found, open_ids = {own}, [own]
    while open_ids:
        fresh = set(needs[open_ids.pop()]) - found
        found |= fresh
        open_ids += fresh
    checksums = lock_checksums()
    parts = [component(packages[id], checksums) for id in found - {own}]
    bom = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": uuid.uuid5(uuid.NAMESPACE_URL, f"{reference(packages[own])}#{release.time}").urn,
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(release.time)),
            "component": {**component(packages[own], checksums), "type": "application"},
        },
        "components": sorted(parts, key=lambda part: part["bom-ref"]),
        "dependencies": sorted(
            ({"ref": reference(packages[id]), "dependsOn": sorted({reference(packages[needed]) for needed in needs[id]})}
             for id in found), key=lambda entry: entry["ref"]),
    }
    file = folder / f"{release.name}-{release.version}.cdx.json"
    file.write_text(json.dumps(bom, indent=1) + "\n", encoding="utf-8", newline="\n")
    return [file]


def is_compiled_in(needed):
    """Neither for tests alone nor for build scripts alone."""
    return any(kind["kind"] is None for kind in needed["dep_kinds"])


def lock_checksums():
    """(name, version) -> SHA-256 of the crate, of every crate that came from a registry."""
    entries = re.findall(r'^name = "(.+)"\nversion = "(.+)"\nsource = ".+"\nchecksum = "(.+)"$',
                         (ROOT / "Cargo.lock").read_text(encoding="utf-8"), re.MULTILINE)
    return {(name, version): checksum for name, version, checksum in entries}


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, checksums):
    purl = reference(package)
    said = {"type": "library", "bom-ref": purl, "name": package["name"], "version": package["version"], "purl": purl}
    if package["license"]:
        # Some still separate a choice of licences in the way that was usual before SPDX.
        said["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    checksum = checksums.get((package["name"], package["version"]))
    if checksum:
        said["hashes"] = [{"alg": "SHA-256", "content": checksum}]
    if package["repository"]:
        said["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
    return said
