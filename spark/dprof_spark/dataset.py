"""A dataset of `dprof export --to dataset` (docs/datasets.md) as a DataFrame."""

import json
import os
import re

SCHEMA = "dprof.dataset/1"
# In every dataset, whatever --columns says.
WRITTEN = ["thread", "number"]
# Paths go down from the folder, by names that no glob is in: Spark takes them as patterns.
FILE = re.compile(r"([\w=-]+/)+[\w-]+\.parquet", re.ASCII)


class DatasetError(Exception):
    """What is wrong with a dataset, in one line."""

    hint = "make it anew: dprof export RUN.dptrace --to dataset -o FOLDER"


def read_manifest(folder):
    """The manifest of a whole dataset: each of its files is there, as it was written."""
    path = os.path.join(folder, "manifest.json")
    try:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
    except (OSError, ValueError) as error:
        raise DatasetError(f"{path} cannot be read: {error}") from None
    if not isinstance(manifest, dict):
        raise DatasetError(f"{path} is no object")
    if manifest.get("schema") != SCHEMA:
        raise DatasetError(f"{path} says schema {manifest.get('schema')}, and this package reads {SCHEMA}")
    if not is_list_of(manifest.get("files"), is_file) or not is_list_of(manifest.get("columns"), is_column):
        raise DatasetError(f"{path} names no files and columns, or a file that is not in the folder")
    for file in manifest["files"]:
        whole = os.path.join(folder, file["path"])
        found = os.path.getsize(whole) if os.path.exists(whole) else None
        if found is None:
            raise DatasetError(f"{whole} is missing")
        if found != file["bytes"]:
            raise DatasetError(f"{whole} has {found} bytes instead of {file['bytes']}")
    return manifest


def is_list_of(found, is_right):
    return isinstance(found, list) and all(isinstance(item, dict) and is_right(item) for item in found)


def is_file(item):
    path = item.get("path")
    return isinstance(path, str) and len(path) < 1000 and FILE.fullmatch(path) and isinstance(item.get("bytes"), int)


def is_column(item):
    return isinstance(item.get("name"), str)


def check_dataset(folder, columns):
    """The manifest, if the dataset is whole and has what these columns are made of."""
    manifest = read_manifest(folder)
    names = names_of(manifest)
    for column in columns:
        if column not in names and not (column == "cacheLine" and "address" in names):
            asked = ",".join(name for name in columns if name not in WRITTEN)
            raise DatasetError(f"{folder} has no column {column}: export it with --columns {asked}")
    return manifest


def names_of(manifest):
    return {column["name"] for column in manifest["columns"]}


def read_references(spark, folder, columns):
    """Only these columns of the dataset's references; `DatasetError` if it lacks one."""
    manifest = check_dataset(folder, columns)
    refs = spark.read.parquet(*(os.path.join(folder, file["path"]) for file in manifest["files"]))
    # Spark takes unsigned numbers of 64 bits for decimals, which are slow. These are below 2^53.
    wide = [field.name for field in refs.schema if field.dataType.simpleString() == "decimal(20,0)"]
    refs = refs.withColumns({name: refs[name].cast("long") for name in wide})
    if "cacheLine" not in names_of(manifest) and "cacheLine" in columns:
        line_bytes = manifest["machine"]["lineBytes"]
        refs = refs.selectExpr("*", f"address div {line_bytes} * {line_bytes} as cacheLine")
    return refs.select(*columns)
