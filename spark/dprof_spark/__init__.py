"""Kernels over datasets of dprof, on Apache Spark. docs/datasets.md."""
