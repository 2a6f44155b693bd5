"""A dataset of `dprof export --to dataset` (docs/datasets.md) as a DataFrame."""

import json
import os

SCHEMA = "dprof.dataset/1"


class DatasetError(Exception):
    """What is wrong with a dataset, in one line."""


def read_manifest(folder):
    """The manifest of a whole dataset: each of its files is there, as it was written."""
    path = os.path.join(folder, "manifest.json")
    try:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
    except (OSError, ValueError) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from None
    if manifest.get("schema") != SCHEMA:
        raise DatasetError(f"{path} says schema {manifest.get('schema')}, and this package reads {SCHEMA}")
    for file in manifest["files"]:
        whole = os.path.join(folder, file["path"])
        found = os.path.getsize(whole) if os.path.exists(whole) else None
        if found is None:
            raise DatasetError(f"{whole} is missing")
        if found != file["bytes"]:
            raise DatasetError(f"{whole} has {found} bytes instead of {file['bytes']}")
    return manifest


def read_references(spark, folder, columns):
    """Only these columns of the dataset's references; `DatasetError` if it lacks one."""
    manifest = read_manifest(folder)
    names = [column["name"] for column in manifest["columns"]] + ["thread"]
    made = {}
    if "cacheLine" not in names and "address" in names:
        made["cacheLine"] = f"address div {manifest['machine']['lineBytes']} * {manifest['machine']['lineBytes']}"
    for column in columns:
        if column not in names and column not in made:
            asked = ",".join(name for name in columns if name != "number")
            raise DatasetError(f"{folder} has no column {column}: export it with --columns {asked}")
    files = [os.path.join(folder, file["path"]) for file in manifest["files"]]
    refs = spark.read.parquet(*files)
    # Spark takes unsigned numbers of 64 bits for decimals, which are slow. These are below 2^53.
    wide = [field.name for field in refs.schema if field.dataType.simpleString() == "decimal(20,0)"]
    refs = refs.withColumns({name: refs[name].cast("long") for name in wide})
    return refs.selectExpr(*(f"{made[name]} as {name}" if name in made else f"`{name}`" for name in columns))
