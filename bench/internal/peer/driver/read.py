"""Reads files of numbers for the harness.

    (no argument)       say "ready", then answer each line "WAY<tab>PATH" with
                        {"seconds": of reading the file into memory alone}
    version MODULE      print it
"""
import json
import sys
import time


def reader(way):
    if way.startswith("numpy"):
        import numpy as np
        return {
            "numpy load": np.load,
            "numpy load X": lambda path: np.load(path)["X"],
            "numpy load, float32": lambda path: np.load(path).astype(np.float32),
            "numpy fromfile, / 255": lambda path: np.fromfile(path, np.uint8, offset=16).astype(np.float32) / np.float32(255),
            "numpy loadtxt": lambda path: np.loadtxt(path, np.float32, delimiter=",", skiprows=1),
        }[way]
    if way.startswith("pandas"):
        import pandas
        return {
            "pandas read_csv": pandas.read_csv,
            "pandas read_csv, pyarrow": lambda path: pandas.read_csv(path, engine="pyarrow"),
        }[way]
    import pyarrow.csv
    return {"pyarrow read_csv": pyarrow.csv.read_csv}[way]


def main():
    if sys.argv[1:2] == ["version"]:
        print(__import__(sys.argv[2]).__version__)
        return
    print("ready", flush=True)
    for line in sys.stdin:
        way, path = line.rstrip("\n").split("\t")
        try:
            read = reader(way)
            begin = time.perf_counter()
            found = read(path)
            seconds = time.perf_counter() - begin
            del found
            print(json.dumps({"seconds": seconds}), flush=True)
        except Exception as error:  # the harness goes on with the next one
            print(json.dumps({"error": repr(error)[:300]}), flush=True)


main()
