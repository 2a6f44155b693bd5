"""The files of dprof that a replay needs, as an archive that Spark gives to executors: their machines have Node only."""

import json
import os
import tarfile

FILES = ["bin/dprof", "package.json", "dist/command", "build/lib/dprof_engine.node"]
# Packages that the compiled commands load from node_modules.
PACKAGES = ["lz4-napi", "piscina"]


def write_archive(dprof, archive):
    """`dprof`: the command's path, in its installation."""
    root = os.path.dirname(os.path.dirname(os.path.realpath(dprof)))
    if not os.path.exists(os.path.join(root, FILES[-1])):
        raise RuntimeError(f"{root} has no {FILES[-1]}: build dprof first (npm run setup)")
    with tarfile.open(archive, "w:gz", compresslevel=1) as tar:
        for name in FILES + [os.path.join("node_modules", package) for package in installed(root, PACKAGES)]:
            tar.add(os.path.join(root, name), name, filter=without_maps)


def without_maps(file):
    return None if file.name.endswith(".map") else file


def installed(root, wanted):
    """These packages, and those that they depend on, as far as they are there: optional ones are of other systems."""
    found, ahead = [], list(wanted)
    while ahead:
        package = ahead.pop()
        described = os.path.join(root, "node_modules", package, "package.json")
        if package in found or not os.path.exists(described):
            continue
        found.append(package)
        with open(described, encoding="utf-8") as file:
            read = json.load(file)
        ahead += [*read.get("dependencies", {}), *read.get("optionalDependencies", {})]
    return found
