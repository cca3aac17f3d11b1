"""The second opinion on models: true of what training writes, false of what was changed."""

import ast
import gzip
import hashlib
import json
import os
import struct
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from fenchel import _engine, check

pytestmark = pytest.mark.every_change

RNG = np.random.RandomState(3)


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """Return a folder with rows of every kind."""
    folder = tmp_path_factory.mktemp("check")
    X = RNG.randn(90, 5)
    X[RNG.rand(90, 5) < 0.3] = 0
    f = X @ [2, -1, 0.5, 0, 0] + 0.7 * RNG.randn(90)
    targets = {"two": np.where(f > 0, "+1", "-1"), "three": np.digitize(f, [-1, 1]).astype(str), "words": np.where(f > 0, "yes", "no"), "numbers": [f"{v:.17g}" for v in f], "counts": RNG.poisson(np.exp(f / 3)).astype(str)}
    for name, labels in targets.items():
        lines = [f"{y} " + " ".join(f"{j + 1}:{v:.17g}" for j, v in enumerate(x) if v) + " # a row" for y, x in zip(labels, X)]
        (folder / f"{name}.svm").write_text("\n".join(lines) + "\n")
    (folder / "words.svm.gz").write_bytes(gzip.compress((folder / "words.svm").read_bytes()))
    np.save(folder / "last.npy", np.column_stack([X, f]))
    np.save(folder / "x.npy", X.astype(np.float32))
    np.save(folder / "y.npy", f)
    np.save(folder / "far.npy", np.column_stack([X * [1, 1e-41, 1, 1, 1] + [1.7e9, 0, 0, 0, 0], f]))
    (folder / "y.txt").write_text("\n".join(targets["words"]))
    table = ["age,colour,weight,y"] + [f"{'' if v > 1.2 else v + 1e6},{'rgb'[k % 3]},{1 + k % 2},{t}" for k, (v, t) in enumerate(zip(X[:, 0], targets["three"]))]
    (folder / "table.csv").write_text("\n".join(table) + "\n")
    run("convert", folder / "table.csv", folder / "table.fen", "--weights", "weight")
    run("convert", folder / "two.svm", folder / "two.fen")
    return folder


def run(*arguments):
    """Run the program: a limit that was reached, 3, is no error."""
    done = subprocess.run([_engine.program(), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode in (0, 3), done.stderr
    return done


def opinion(capsys, *arguments):
    code = check.main([str(a) for a in arguments])
    out = capsys.readouterr()
    return code, out.out + out.err


LOSSES = ["hinge", "squared-hinge", "huber-hinge:width=0.4", "logistic"]
OF_NUMBERS = ["squared", "absolute", "quantile:tau=0.3", "epsilon-insensitive", "squared-epsilon-insensitive:epsilon=0.2", "huber:delta=0.5"]
KERNELS = ["--kernel linear", "--kernel rbf --gamma 0.3 --gap 1e-7", "--kernel poly --degree 2 --gamma 0.3 --coef0 1"]
TRUE = [
    *[f"two.svm --loss {loss}" for loss in LOSSES], *[f"numbers.svm --loss {loss}" for loss in OF_NUMBERS], "counts.svm --loss poisson --task regression",
    *[f"{data} {kernel}" for kernel in KERNELS for data in ("two.svm --loss logistic", "three.svm", "numbers.svm")], "counts.svm --loss poisson --task regression --kernel rbf --gamma 0.1",
    *[f"two.svm --loss logistic --bias {b} {k}" for b in ("free", "none", "feature") for k in ("", "--kernel rbf --gamma 0.3")], "numbers.svm --bias feature:value=10", "two.svm --bias feature:value=0.3 --penalty l1 --loss logistic",
    "two.svm --loss logistic --penalty l1 --C 1 --gap 1e-8", "numbers.svm --penalty l1 --C 1", "two.svm --penalty elastic-net:ratio=0.3", "numbers.svm --penalty elastic-net",
    "two.fen --scale std", "two.svm --scale max", "last.npy --scale std", "far.npy", "far.npy --kernel rbf --gamma 0.3", "words.svm.gz", "x.npy --labels y.txt", "x.npy --labels y.npy", "table.fen --loss logistic", "table.fen --scale std --kernel rbf --gamma 0.2",
    "three.svm --scheme one-against-one", "three.svm --scheme one-against-one --kernel rbf --gamma 0.3 --class-weight balanced", "three.svm --class-weight 1=3 --loss logistic", "two.svm --class-weight balanced --gap 1e-10 --loss squared-hinge",
    "counts.svm --task regression --loss squared --kernel rbf --gamma 1 --C 1000", "two.svm --gap 1e-13 --epochs 2",
]  # fmt: skip


@pytest.mark.parametrize("command", TRUE)
def test_true(rows, capsys, command):
    data, *flags = command.split()
    labels = ["--labels", rows / flags[1]] if "--labels" in flags else []
    run("train", rows / data, *labels, *flags[2 if labels else 0 :], "-o", rows / "m")
    code, text = opinion(capsys, rows / "m", rows / data, *labels)
    assert code == 0 and text.endswith("true: objective and bound were computed independently, and hold\n"), text


@pytest.mark.parametrize("command, why", [
    ("two.svm --no-dual", "no dual variables"), ("three.svm --loss softmax", "a loss of all classes"), ("two.svm --radius 1", "radius"), ("two.svm --hidden 3 --epochs 2", "network"), ("two.svm --stream", "one_pass"),
    ("two.svm --kernel rbf --gamma 0.3 --nu 0.2", "nu"), ("two.svm --kernel rbf --gamma 0.3 --map nystrom:rank=20", "map"), ("two.svm --penalty fused", "penalty fused"), ("two.svm --kernel laplacian:gamma=1", "kernel laplacian"),
    ("two.svm --kernel rbf --gamma 0.3 --task one-class --nu 0.2", "task"), ("pca two.svm -k 2", "kind"),
])  # fmt: skip
def test_unproved(rows, capsys, command, why):
    *verb, data = command.split(" -")[0].split()
    run(*(verb or ["train"]), rows / data, *command.split()[len(verb) + 1 :], "-o", rows / "m")
    code, text = opinion(capsys, rows / "m", rows / data)
    assert code == 3 and text.startswith("unproved: ") and why in text and text.count("\n") == 1, text


def forge(source, target, change):
    """Write a model of which change(meta, tensors) altered parts and numbers, with digests that fit, as Go spells them."""
    raw = source.read_bytes()
    (length,) = struct.unpack_from("<Q", raw)
    header = json.loads(raw[8 : 8 + length])
    meta = header.pop("__metadata__")
    types = {"F64": "<f8", "F32": "<f4", "U32": "<u4", "I64": "<i8"}
    tensors = {k: np.frombuffer(raw[8 + length :][slice(*t["data_offsets"])], types[t["dtype"]]).reshape(t["shape"]).copy() for k, t in header.items()}
    parts = {k: json.loads(meta[k]) for k in ("problem", "certificates")}
    change(parts, tensors)
    meta.update({k: json.dumps(v) for k, v in parts.items()})
    h, at, order = hashlib.sha256(), 0, sorted(tensors, key=lambda k: (-tensors[k].itemsize, k))
    for k in order:
        raw_tensor = tensors[k].tobytes()
        h.update(f'"{k}" {header[k]["dtype"]} [{" ".join(map(str, tensors[k].shape))}]\n'.encode() + raw_tensor)
        header[k]["data_offsets"] = [at, at := at + len(raw_tensor)]
    meta["tensors_digest"] = "sha256:" + h.hexdigest()
    listed = "".join(f"{json.dumps(k)} {json.dumps(v, ensure_ascii=False)}\n" for k, v in sorted(meta.items()) if k != "metadata_digest")
    meta["metadata_digest"] = "sha256:" + hashlib.sha256(listed.encode()).hexdigest()
    text = json.dumps({"__metadata__": meta, **header}).encode()
    text += b" " * (-len(text) % 8)
    target.write_bytes(struct.pack("<Q", len(text)) + text + b"".join(tensors[k].tobytes() for k in order))


def weights(parts, tensors):
    tensors["weights" if "weights" in tensors else "coefficients"][0, 0] += 1e-4


def bound(parts, tensors):
    c = parts["certificates"][0]
    c["dual"] += 0.5 * (c["primal"] - c["dual"])


def primal(parts, tensors):
    c = parts["certificates"][-1]
    c["primal"] -= 0.5 * (c["primal"] - c["dual"])


def both(parts, tensors):
    """Raise the bound by a hundred millionth, which is more than rounding explains."""
    parts["certificates"][0]["dual"] += 1e-8 * abs(parts["certificates"][0]["dual"])


def zero(parts, tensors):
    parts["certificates"][0]["zero"] *= 1.001


def lam(parts, tensors):
    parts["problem"]["lambda"] *= 1.01


def gap(parts, tensors):
    c = parts["certificates"][0]
    parts["problem"]["gap"], c["status"] = 0.9 * (c["primal"] - c["dual"]) / c["primal"], "converged"


def domain(parts, tensors):
    """Put a dual variable far outside of where its conjugate is finite."""
    a = tensors["dual"][0]
    a[np.abs(a).argmax()] *= -1e3


def loss(parts, tensors):
    parts["problem"]["loss"] = "squared-hinge"


def bias(parts, tensors):
    tensors["bias"][0] += 0.01


@pytest.mark.parametrize("command", ["two.svm", "two.svm --kernel rbf --gamma 0.3", "three.svm --bias feature", "three.svm --kernel linear --scheme one-against-one"])
def test_forged(rows, capsys, command):
    data, *flags = command.split()
    run("train", rows / data, *flags, "-o", rows / "m")
    forge(rows / "m", rows / "forged", lambda parts, tensors: None)
    assert opinion(capsys, rows / "forged", rows / data)[0] == 0
    assert run("verify", rows / "forged", rows / data).returncode == 0  # so that the forgeries below have digests that fit
    for change in (weights, bound, primal, both, zero, lam, gap, domain, loss, bias):
        forge(rows / "m", rows / "forged", change)
        code, text = opinion(capsys, rows / "forged", rows / data)
        assert code == 5 and text.splitlines()[-1].startswith("false: "), (change.__name__, text)


def test_forged_support(rows, capsys):
    run("train", rows / "two.svm", "--kernel", "rbf", "--gamma", "0.3", "-o", rows / "m")

    def value(parts, tensors):
        tensors["support.values"].flat[3] += 0.1

    forge(rows / "m", rows / "forged", value)
    assert opinion(capsys, rows / "forged", rows / "two.svm") == (5, "false: the support vectors are not the rows that they are said to be\n")


def test_other_rows(rows, capsys):
    """A label, a value, an order: each has another digest."""
    run("train", rows / "two.svm", "-o", rows / "m")
    lines = (rows / "two.svm").read_text().splitlines()
    for k, other in enumerate((lines[1:], lines[1:] + lines[:1], [("-1" if lines[0][0] == "+" else "+1") + lines[0][2:]] + lines[1:], [lines[0].replace(":", ":1", 1)] + lines[1:])):
        (rows / "other.svm").write_text("\n".join(other))
        code, text = opinion(capsys, rows / "m", rows / "other.svm")
        assert code == 5 and "false: found" in text, (k, text)


def test_bad_input(rows, capsys):
    run("train", rows / "two.svm", "-o", rows / "m")
    (rows / "bad.svm").write_text("1 1:2 2:x\n")
    (rows / "short").write_bytes((rows / "m").read_bytes()[:400])
    (rows / "cut.fen").write_bytes((rows / "two.fen").read_bytes()[:-90])
    (rows / "cut.gz").write_bytes((rows / "words.svm.gz").read_bytes()[:-90])
    np.save(rows / "cube.npy", np.zeros((2, 2, 2)))
    for arguments, expected, why in (
        ([], 1, "found no arguments"), (["m"], 1, "expected MODEL DATA"), (["m", "two.svm", "--labels"], 1, "expected MODEL DATA"), (["m", "two.svm", "more"], 1, "expected MODEL DATA"),
        (["none", "two.svm"], 2, "No such file"), (["m", "none"], 2, "No such file"), (["two.svm", "two.svm"], 2, "expected a model file"), (["short", "two.svm"], 2, "expected a model file"),
        (["m", "bad.svm"], 2, "line 1: found 2:x"), (["m", "table.csv"], 2, "a table is to be converted"), (["m", "m"], 2, "expected LIBSVM text"), (["m", "cut.fen"], 2, "found a cache"), (["m", "cut.gz"], 2, "cut.gz"), (["m", "cube.npy"], 2, "shape (2, 2, 2)"),
        (["m", "x.npy", "--labels", "bad.svm"], 2, "targets of shape"), (["m", "x.npy", "--labels", "none"], 2, "No such file"),
    ):  # fmt: skip
        code, text = opinion(capsys, *[a if a.startswith("-") else rows / a for a in arguments])
        assert code == expected and why in text and text.startswith("check: ") and text.count("\n") == 1, (arguments, code, text)

    def shapes(parts, tensors):
        tensors["support.rows"][-1] = 4_000_000

    run("train", rows / "two.svm", "--kernel", "linear", "-o", rows / "m")
    forge(rows / "m", rows / "forged", shapes)
    assert opinion(capsys, rows / "forged", rows / "two.svm")[0] == 2


def test_single():
    """Decimals in the middle of two numbers of single precision, after rounding to double, go to the nearest."""
    for text, expected in (("1.00000005960464477539062500001", 1 + 2.0**-23), ("1.00000005960464477539062499999", 1.0), ("1.000000059604644775390625", 1.0), ("-1.00000005960464477539062500001", -1 - 2.0**-23)):
        assert check.single([text])[0] == np.float32(expected), text


def test_balanced():
    """Sums are 0 exactly, in whole numbers, and nothing grows or changes its sign."""
    for v in (RNG.randn(1000), np.array([1.0, -1e-20, 1e20]), np.array([0.0, 0.0]), np.array([3.0, 2.0]), np.repeat([1e-300, -1.0], 5), np.array([0.1, 0.2, -0.30000000000000004])):
        out = check.balanced(v)
        assert sum(map(Fraction, out)) == 0 and (np.abs(out) <= np.abs(v)).all() and (out * v >= 0).all()


def test_alone():
    """It shares no line with the package, is short, and runs as a program."""
    source = Path(check.__file__).read_text()
    assert source.count("\n") < 400
    names = {a.name for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Import) for a in n.names} | {n.module for n in ast.walk(ast.parse(source)) if isinstance(n, ast.ImportFrom)}
    assert "numpy" in names and names - {"numpy", "__future__"} <= set(sys.stdlib_module_names if hasattr(sys, "stdlib_module_names") else names)
    done = subprocess.run([sys.executable, "-W", "error", "-m", "fenchel.check", "none", "none"], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(Path(check.__file__).parents[1])})
    assert done.returncode == 2 and done.stderr == "check: none: No such file or directory\n" and done.stdout == ""
