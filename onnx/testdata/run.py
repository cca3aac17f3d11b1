"""Runs DIR/*/model.onnx in ONNX Runtime on the rows beside it, x.f32, x.wide or table.csv.

Writes each output of numbers as NAME.f64, and labels as labels.json, and prints the
versions. Numbers are little-endian, row by row.
"""

import csv
import datetime
import json
import pathlib
import re
import sys

import numpy
import onnxruntime


def days(field):
    """The days from the beginning of 1970; not a number for a missing field."""
    if not field:
        return numpy.nan
    apart = datetime.datetime.fromisoformat(field) - datetime.datetime(1970, 1, 1)
    return apart / datetime.timedelta(days=1)


def number(field):
    if field in ("", "NA", "?"):
        return numpy.nan
    return days(field) if re.match(r"\d{4}-", field) else float(field)


def inputs(session, folder):
    wanted = session.get_inputs()
    for name, kind in ("x.f32", "<f4"), ("x.wide", "<f8"):
        if (folder / name).exists():
            return {"x": numpy.fromfile(folder / name, kind).reshape(-1, wanted[0].shape[1])}
    with open(folder / "table.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    feed = {}
    for i in wanted:
        column = [row[i.name] for row in rows]
        if i.type == "tensor(string)":
            feed[i.name] = numpy.array(column, dtype=object).reshape(-1, 1)
        else:
            kind = numpy.float64 if "double" in i.type else numpy.float32
            feed[i.name] = numpy.array([number(f) for f in column], dtype=kind).reshape(-1, 1)
    return feed


def main():
    for folder in sorted(p for p in pathlib.Path(sys.argv[1]).iterdir() if p.is_dir()):
        path = str(folder / "model.onnx")
        try:
            import onnx
            onnx.checker.check_model(path, full_check=True)
        except ImportError:
            pass
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
        for o, value in zip(session.get_outputs(), session.run(None, inputs(session, folder))):
            if "string" in o.type or "int64" in o.type:
                (folder / "labels.json").write_text(json.dumps(value.tolist()))
            else:
                if value.dtype != numpy.float64:
                    sys.exit(f"{folder.name}: output {o.name}: found {value.dtype}, expected float64")
                value.astype("<f8").tofile(folder / (o.name + ".f64"))
    print("ONNX Runtime", onnxruntime.__version__)


main()
