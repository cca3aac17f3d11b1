"""A second opinion on a model: ``python -m fenchel.check MODEL DATA [--labels FILE]``.

It computes objective and lower bound of a model of ``fenchel train`` from the rows it was trained on, and compares them with what the file claims. It shares
no line with the program, and rests on numpy and the formulas of docs/certificates.md.
Models: linear ones with the penalties l2, l1 and elastic-net, kernel machines with the kernels linear, rbf and poly. Of others it says 3. Names, columns, calibrations,
thresholds, facts and regions of a model, how its scaling came about, and the digests of the file are not read.
Rows: LIBSVM text, a cache of ``fenchel convert`` (which reads tables), or an array of NPY, less the offsets of the model, with targets in its last column or in ``--labels``.
Exit codes are those of ``fenchel verify``: 0 every claim is true, 3 neither proved nor refuted, 5 one is false; 2 bad files, 1 bad usage.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import math
import struct
import sys
import zlib
from fractions import Fraction
from typing import Any, Callable, Iterator

import numpy as np

U = 2.0**-53  # of a double precision number: what one operation may be off by, relative to its result


class Stop(Exception):
    """An end before the comparison: the exit code, and why."""


class Rows:
    """A sparse matrix of float32 or float64 by rows, with targets, a list of labels or an array of numbers, and weights."""

    def __init__(self, start: Any, index: Any, value: Any, cols: Any, target: Any = None, weight: Any = None) -> None:
        self.start, self.index, self.value, self.cols, self.target, self.weight = start, np.asarray(index, np.int64), value, cols, target, weight
        self.n = len(start) - 1
        self.row = np.repeat(np.arange(self.n), np.diff(start))

    @classmethod
    def dense(cls, x: Any, target: Any = None) -> Rows:
        return cls(np.arange(len(x) + 1) * x.shape[1], np.tile(np.arange(x.shape[1]), len(x)), x.ravel(), x.shape[1], target)

    def times(self, w: Any, of: Any = np.positive) -> Any:
        return np.bincount(self.row, of(self.value.astype(float)) * w[self.index], self.n)

    def combine(self, v: Any, of: Any = np.positive) -> Any:
        return np.bincount(self.index, of(self.value.astype(float)) * v[self.row], self.cols)

    def array(self, rows: Any, columns: Any) -> Any:
        """Return some rows of some columns, in which all that is not zero is, as a matrix."""
        out = np.zeros((len(rows), len(columns)))
        for k, i in enumerate(rows):
            there = slice(self.start[i], self.start[i + 1])
            out[k, np.searchsorted(columns, self.index[there])] = self.value[there]
        return out

    def scaled(self, offset: Any, factor: Any) -> Rows:
        """Return (x - offset) * factor in double precision, rounded to single, as models are trained on."""
        if not offset.any():
            return Rows(self.start, self.index, (self.value.astype(float) * factor[self.index]).astype(np.float32), self.cols)
        return Rows.dense(((self.array(range(self.n), np.arange(self.cols)) - offset) * factor).astype(np.float32))

    def digest(self) -> str:
        """Return the SHA-256 by which models name rows: of blocks of 4096, in each row the nonzeros, target and weight."""
        total = hashlib.sha256(struct.pack("<QQ", self.n, self.cols))
        for lo in range(0, self.n, 4096):
            h = hashlib.sha256(struct.pack("<Q", len(block := range(self.n)[lo : lo + 4096])))
            for i in block:
                there = np.flatnonzero(self.value[self.start[i] : self.start[i + 1]]) + self.start[i]
                value = self.value[there].astype(self.value.dtype.newbyteorder("<")).tobytes()
                h.update(struct.pack("<Q", len(there) | (self.value.itemsize == 8) << 63) + self.index[there].astype("<u4").tobytes() + value)
                text = self.target[i].encode() if isinstance(self.target, list) else None
                h.update(b"\1" + struct.pack("<d", self.target[i] + 0.0) if text is None else b"\2" + struct.pack("<Q", len(text)) + text)
                h.update(struct.pack("<d", 1.0 if self.weight is None else self.weight[i]))
            total.update(h.digest())
        return "sha256:" + total.hexdigest()


@contextlib.contextmanager
def reading(path: str, what: str) -> Iterator[bytes]:
    """Give the bytes of a file, and make one line of what is wrong with them."""
    try:
        with open(path, "rb") as f:
            data = f.read()
        yield gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    except (OSError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError, struct.error, zlib.error) as e:
        raise Stop(2, f"{path}: {getattr(e, 'strerror', None) or f'{e}, expected {what}'}") from None


def numbers_of(labels: list[str]) -> Any:
    """Return numbers if every label is one, else the labels."""
    try:
        numbers = np.array([float(s) for s in labels])
    except ValueError:
        return labels
    return numbers if np.isfinite(numbers).all() else labels


def single(texts: list[str]) -> Any:
    """Return the nearest numbers of single precision. On the way over double precision a number in the middle of two may go wrong."""
    wide = np.array([float(s) for s in texts])
    if not np.isfinite(wide.astype(np.float32)).all():
        raise ValueError("no finite number of single precision")
    out = wide.astype(np.float32)
    for k in np.flatnonzero(wide.view(np.int64) & (1 << 29) - 1 == 1 << 28):
        out[k] = np.nextafter(wide[k], math.copysign(math.inf, off)) if (off := Fraction(texts[k]) - Fraction(float(wide[k]))) else out[k]
    return out


def read_libsvm(text: str, cols: int, zero_based: bool) -> Rows:
    labels, start, index, value = [], [0], [], []
    for number, line in enumerate(text.split("\n"), 1):
        label, *fields = line.split("#")[0].split() or [""]
        for key, _, x in (field.partition(":") for field in [*fields, *[label] * bool({",", ";"} & set(label))]):
            if key != "qid":
                if not key.isdecimal() or int(key) + zero_based < 1 or isinstance(numbers_of([x]), list):
                    raise ValueError(f"line {number}: found {key[:40]}:{x[:40]}, no index:value (a table is to be converted by fenchel convert)")
                index.append(int(key) - (not zero_based))
                value.append(x)
        labels += [label] if label else []
        start += [len(index)] if label else []
    return Rows(np.array(start), index, single(value), max(cols, max(index, default=0) + 1), numbers_of(labels))


def read_cache(data: bytes) -> Rows:
    """Read a file as docs/formats/fen.md has it."""
    version, size, n, d, m = struct.unpack_from("<I4xQQQQ", data, 8)
    ends = struct.unpack_from("<16Q", data, 80)
    section = [data[at : at + length] for at, length in zip(ends[::2], ends[1::2])]
    start, index, value, number, code, weight = (np.frombuffer(s, t) for s, t in zip(section, ("<i8", "<u4", "<f4", "<f8", "<u4", "<f8")))
    target = number if len(number) else [json.loads(section[6])["label"][c] for c in code]
    rows = Rows(start, index, value, d, target) if len(start) else Rows.dense(value.reshape(n, d), target)
    rows.weight = weight if len(weight) else None
    if (version, size, rows.n, len(target), len(value), len(rows.row)) != (1, len(data), n, n, m, m) or rows.index.max(initial=0) >= max(d, 1):
        raise ValueError("found a cache of another version or size than its header says")
    return rows


def read_rows(path: str, cols: int, zero_based: bool, labels: str | None, precision: Any = np.float32, moves: Any = np.empty((0, 2))) -> Rows:
    with reading(path, "LIBSVM text, a cache of fenchel convert, or an array of NPY") as data:
        if data[:8] == b"\x89FEN\r\n\x1a\n":
            return read_cache(data)
        if data[:6] != b"\x93NUMPY":
            return read_libsvm(data.decode(), cols, zero_based)
        x = np.load(path).astype(float)
        if x.ndim != 2 or not np.isfinite(x).all():
            raise ValueError(f"found an array of shape {x.shape}, no rows of finite numbers")
        x[:, : len(moves)] = (x[:, : len(moves)] - moves[:, 0]) * moves[:, 1]
    if not labels:
        return Rows.dense(x[:, :-1].astype(precision), x[:, -1])
    with reading(labels, "a target for each row") as data:
        target = np.load(labels).astype(float) if data[:6] == b"\x93NUMPY" else numbers_of(data.decode().split())
        if np.shape(target) != x.shape[:1]:
            raise ValueError(f"found targets of shape {np.shape(target)} for {len(x)} rows")
    return Rows.dense(x.astype(precision), target)


class Model:
    """A safetensors file: a header of JSON, and tensors."""

    def __init__(self, path: Any) -> None:
        with reading(path, "a model file of fenchel train") as data:
            length = int.from_bytes(data[:8], "little")
            header = json.loads(data[8 : 8 + length])
            meta: dict[str, str] = header.pop("__metadata__")
            self.tensor = {}
            for name, t in header.items():
                lo, hi = (8 + length + at for at in t["data_offsets"])
                self.tensor[name] = np.frombuffer(data[lo:hi], {"F64": "<f8", "F32": "<f4", "U32": "<u4", "I64": "<i8"}[t["dtype"]]).reshape(t["shape"])
            self.problem, self.data, self.classes, claims, schema = (json.loads(meta.get(k, "null")) for k in ("problem", "data", "classes", "certificates", "schema"))
            self.claims: list[dict[str, Any]] = claims or []
            others = [k for k in meta if k in ("kind", "network", "one_pass", "sparse")]
            others += [k for k in ("task", "map", "radius", "slack", "hard_margin", "nu", "targets") if not others and self.problem.get(k)]
            if others or self.problem.get("scheme") == "joint" or not self.data["digest"].startswith("sha256:"):
                raise Stop(3, f"the model has {' and '.join(others) or 'a loss of all classes, or rows in any order'}, of which this program computes nothing: fenchel verify does")
            self.loss, self.bias, self.penalty, self.kernel = (self.problem.get(k, "") for k in ("loss", "bias", "penalty", "kernel"))
            self.lam, self.goal, self.shape = float(self.problem["lambda"]), float(self.problem["gap"]), (self.data["rows"], self.data["features"])
            self.moves = np.array([(c.get("offset", 0.0), c.get("factor", 1.0)) for c in (schema or {}).get("array") and schema["columns"][: self.shape[1]] or []]).reshape(-1, 2)
            if "dual" not in self.tensor or any(c[k] is None for c in self.claims for k in ("primal", "dual", "zero")):
                raise Stop(3, "the model has no dual variables or no bound: nothing shows how far it is from the best")
            if self.tensor["bias"].shape != (len(self.claims),) or self.tensor["dual"].shape != (len(self.claims), self.shape[0]):
                raise ValueError("found tensors of other shapes than the model says")

    def weights(self, c: int) -> Any:
        """Return the weights of the features, or of a kernel machine the coefficients of the rows."""
        t, out = self.tensor, np.zeros(self.shape[0 if self.kernel else 1])
        if "weights" in t:
            return t["weights"][c]
        lo, hi = (None, None) if self.kernel else t["weights.indptr"][c : c + 2]
        out[t["support.rows" if self.kernel else "weights.indices"][lo:hi]] = (t["coefficients"][c] if self.kernel else t["weights.values"])[lo:hi]
        return out


def parameters(what: str, spec: str, known: dict[str, dict[str, float]]) -> tuple[str, dict[str, float]]:
    """Return name and parameters of a spec such as "huber:delta=2"."""
    name, _, rest = spec.partition(":")
    given = {k: float(v) for k, _, v in (item.partition("=") for item in rest.split(",") if item and name in known)}
    if name not in known or not set(given) <= set(known[name]):
        raise Stop(3, f"the model has the {what} {spec}, of which this program computes nothing: fenchel verify does")
    return name, {**known[name], **given}


def xlogx(t: Any) -> Any:
    return np.where(t > 0, t * np.log(np.where(t > 0, t, 1)), 0.0)


def loss_of(spec: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any], Callable[[Any], Any], float]:
    """Return l(p, y), its conjugate l*(a, y), the ends of the interval where that is finite, and the parameter."""
    known: dict[str, dict[str, float]] = {k: {} for k in ("hinge", "squared-hinge", "logistic", "squared", "absolute", "poisson")}
    known |= {"huber-hinge": {"width": 1}, "huber": {"delta": 1}, "quantile": {"tau": 0.5}, "epsilon-insensitive": {"epsilon": 0.1}, "squared-epsilon-insensitive": {"epsilon": 0.1}}
    name, given = parameters("loss", spec, known)
    q, inf = next(iter(given.values()), 0.0), math.inf
    margin: Callable[[float], Callable[[Any], Any]] = lambda r: lambda y: (np.where(y > 0, -r, 0.0), np.where(y > 0, 0.0, r))  # noqa: E731
    slack: Callable[[Any, Any], Any] = lambda p, y: np.maximum(0, 1 - y * p)  # noqa: E731
    functions = {
        "hinge": (slack, lambda a, y: a * y, margin(1)),
        "squared-hinge": (lambda p, y: slack(p, y) ** 2, lambda a, y: a * y + a * a / 4, margin(inf)),
        "huber-hinge": (lambda p, y: np.where(slack(p, y) < q, slack(p, y) ** 2 / (2 * q), slack(p, y) - q / 2), lambda a, y: a * y + q * a * a / 2, margin(1)),
        "logistic": (lambda p, y: np.logaddexp(0, -y * p), lambda a, y: xlogx(-y * a) + xlogx(1 + y * a), margin(1)),
        "squared": (lambda p, y: (p - y) ** 2 / 2, lambda a, y: a * y + a * a / 2, lambda y: (-inf, inf)),
        "absolute": (lambda p, y: np.abs(p - y), lambda a, y: a * y, lambda y: (-1, 1)),
        "quantile": (lambda p, y: np.maximum(q * (y - p), (1 - q) * (p - y)), lambda a, y: a * y, lambda y: (-q, 1 - q)),
        "epsilon-insensitive": (lambda p, y: np.maximum(0, np.abs(p - y) - q), lambda a, y: a * y + q * np.abs(a), lambda y: (-1, 1)),
        "squared-epsilon-insensitive": (lambda p, y: np.maximum(0, np.abs(p - y) - q) ** 2, lambda a, y: a * y + q * np.abs(a) + a * a / 4, lambda y: (-inf, inf)),
        "huber": (lambda p, y: np.where(np.abs(p - y) <= q, (p - y) ** 2 / 2, q * np.abs(p - y) - q * q / 2), lambda a, y: a * y + a * a / 2, lambda y: (-q, q)),
        "poisson": (lambda p, y: np.exp(p) - y * p + xlogx(y) - y, lambda a, y: xlogx(a + y) - a - xlogx(y), lambda y: (-y, inf)),
    }  # fmt: skip
    return (*functions[name], q)


def kernel_of(spec: str, d: int) -> Callable[[Any, Any], tuple[Any, Any, float]]:
    """Return a function of two matrices of rows: values of the kernel, what they are at most, and what they are off by relative to that."""
    power = {"gamma": 1.0, "degree": 1.0, "coef0": 0.0}
    name, q = parameters("kernel", spec, {"linear": power, "poly": {**power, "degree": 3}, "rbf": {"gamma": 0, "sigma": 0}})
    if q.get("coef0", 0) < 0:
        raise Stop(3, f"the kernel {spec} need not be positive semidefinite: there is no bound")
    gamma = q["gamma"] or 1 / (2 * q["sigma"] ** 2)
    def values(a: Any, b: Any) -> tuple[Any, Any, float]:
        aa, bb, ab, off = (a * a).sum(1)[:, None], (b * b).sum(1), a @ b.T, (d + 8) * U
        if name == "rbf":
            k = np.exp(-gamma * np.maximum(0, aa + bb - 2 * ab))
            return k, k, math.expm1(off * gamma * (math.sqrt(aa.max()) + math.sqrt(bb.max())) ** 2 + 8 * U)
        largest, degree, constant = gamma * np.sqrt(aa * bb) * (1 + off), q["degree"], q["coef0"]
        return (gamma * ab + constant) ** degree, (largest + constant) ** degree, math.expm1(degree * off)

    return values


def balanced(v: Any) -> Any:
    """Return numbers of the same signs, none larger, of which the sum is exactly 0: multiples of a power of two, of which the heavier sign is
    shrunk in whole numbers. A free bias makes every bound of others minus infinity."""
    sizes = [(float(np.abs(v).sum()), 62), (float(np.abs(v).max()), 53)]
    quantum = 2.0 ** max([math.frexp(x)[1] - bits for x, bits in sizes if x] or [0])
    units = [int(u) for u in np.trunc(v / quantum)]
    sign = 1 if sum(units) > 0 else -1
    light, heavy = sorted(sum(u * side for u in units if u * side > 0) for side in (-1, 1))
    total = 0  # of the heavier sign so far: differences of rounded sums add up
    for k, u in enumerate(units):
        if u * sign > 0:
            before, total = total, total + abs(u)
            units[k] = sign * (total * light // heavy - before * light // heavy)
    return np.array(units, float) * quantum


def certify(m: Model, c: int, x: Rows, y: Any, s: Any, lam: float, rows: Any) -> tuple[float, float, float, float, float]:
    """Return objective, a bound on its error, lower bound, a bound on its error, and the objective of zero weights, of output c: the rows with
    these numbers, of all of x, have the targets y and the weights s.
    Bounds on errors count the sizes of all that was added up: a sum of k products is off by at most (k+1) U times the sum of their magnitudes, in
    any order; functions such as exp, and the few operations of a loss or a conjugate, by 16 U of the sizes of their parts. math.fsum is exact.
    """
    value, conjugate, domain, parameter = loss_of(m.loss)
    poisson, n = m.loss == "poisson", math.fsum(s)
    mean: Callable[[Any], float] = lambda values: math.fsum(s * values) / n  # noqa: E731
    constant = float(np.float32(parameters("bias", m.bias, {"free": {}, "none": {}, "feature": {"value": 1}})[1].get("value", 0)))
    if (bias := float(m.tensor["bias"][c])) and m.bias == "none":
        raise Stop(5, f"output {c + 1} has the bias {bias:g}, claimed to have none")
    # A feasible dual point, v = s a: clip, round the product towards zero, balance.
    a = np.clip(np.asarray(m.tensor["dual"][c], float)[rows], *domain(y))
    v = np.where(s == 1, a, np.nextafter(s * a, 0))
    v = balanced(v) if m.bias == "free" else v
    w, t = m.weights(c), 1.0
    if m.kernel:
        if w[np.setdiff1d(np.arange(x.n), rows)].any():
            raise Stop(5, f"output {c + 1} has coefficients of rows of other classes")
        both, columns = np.stack([w[rows], -v / (lam * n)], axis=1), np.unique(x.index)
        kernel, points = kernel_of(m.kernel, len(columns)), x.array(rows, columns)
        f, off = np.empty_like(both), np.empty_like(both)
        for lo in range(0, len(rows), 512):
            values, most, relative = kernel(points[lo : lo + 512], points)
            f[lo : lo + 512], off[lo : lo + 512] = values @ both, (relative + (len(rows) + 8) * U) * (most @ np.abs(both))
        constants, sizes = (constant > 0) * np.array([bias, both[:, 1].sum()]), np.abs(both).sum(0)
        p, p_off = f[:, 0] + bias, off[:, 0] + 2 * U * abs(bias)
        cost, penalty = (lam / 2 * (math.fsum(both[:, j] * f[:, j]) + constants[j] ** 2) for j in (0, 1))
        cost_off, penalty_off = (lam * (math.fsum(np.abs(both[:, j]) * (off[:, j] + 2 * U * np.abs(f[:, j]))) + abs(constants[j]) * sizes[j] * len(rows) * U) for j in (0, 1))
    else:
        name, given = parameters("penalty", m.penalty, {"l2": {}, "l1": {}, "elastic-net": {"ratio": 0.5}})
        ratio, spread = given.get("ratio", float(name == "l1")), np.bincount(rows, v, x.n)
        p, p_off = x.times(w)[rows] + bias, (np.diff(x.start)[rows] + 4) * U * (x.times(np.abs(w), np.abs)[rows] + abs(bias))
        u, u_off, terms = x.combine(spread), x.combine(np.abs(spread), np.abs), np.bincount(x.index, minlength=x.cols)
        if constant:  # a column of a constant, and its weight, join the others
            w, u, u_off, terms = (np.append(old, new) for old, new in ((w, bias / constant), (u, constant * v.sum()), (u_off, constant * np.abs(v).sum()), (terms, x.n)))
        u, u_off = -u / (lam * n), u_off / (lam * n) * (terms + 8) * U
        cost, cost_off, penalty, penalty_off = lam * (ratio * np.abs(w).sum() + (1 - ratio) / 2 * (w @ w)), 0.0, 0.0, 0.0
        if ratio < 1:
            squares, beyond = np.maximum(0, np.abs(u) - ratio) ** 2, np.maximum(0, np.abs(u) + u_off - ratio)
            penalty, penalty_off = lam / (1 - ratio) * math.fsum(squares / 2), lam / (1 - ratio) * math.fsum(beyond * u_off)
        else:  # the largest multiple of the dual point of which all |u_j| <= 1
            t = min(1.0, math.nextafter(1 / max((np.abs(u) + u_off).max(initial=0), 1e-300), 0))
    # A loss is convex: an error e of p changes it by at most 1/T of what an error T e does, which T = 2^20 makes large enough to be computed.
    losses = value(p, y)
    steep = np.maximum(value(p + 2.0**20 * p_off, y), value(p - 2.0**20 * p_off, y)) - losses
    parts = np.exp(p) + np.abs(y * p) + np.abs(xlogx(y)) + y if poisson else 0
    primal, primal_off = mean(losses) + cost, mean(np.maximum(0, steep) * 2.0**-20 + 16 * U * (losses + parts)) + cost_off + (x.cols + 16) * U * cost
    a = np.clip(t * v / s, *domain(y))
    conjugates = conjugate(a, y)
    parts = np.abs(xlogx(a + y)) + np.abs(xlogx(y)) if poisson else (a * a + np.abs(a)) * max(1.0, parameter)
    dual, dual_off = -mean(conjugates) - penalty, mean(16 * U * (np.abs(conjugates) + np.abs(a * y) + parts)) + penalty_off + (x.cols + 16) * U * penalty
    if t < 1:  # D is concave along multiples, and at 0 it is no less than 0: another multiple has at most another D in proportion
        dual_off += 2 * t * float(u_off.max()) * abs(dual)
    return primal, primal_off, dual, dual_off, mean(value(np.zeros(len(y)), y))


def outputs(m: Model, rows: Rows) -> list[tuple[Any, Any, float, Any]]:
    """Return targets, weights, lambda and numbers of the rows of each output."""
    s = np.ones(rows.n) if rows.weight is None else rows.weight.copy()
    if m.classes is None:
        if isinstance(rows.target, list):
            raise Stop(2, f"found the target {rows.target[0]!r}, expected numbers")
        return [(np.log(rows.target) if m.problem.get("target_log") else rows.target, s, m.lam, np.arange(rows.n))]
    k, numbers = len(m.classes), [numbers_of([c])[0] for c in m.classes]
    place = {t: m.classes.index(t) if t in m.classes else numbers.index(v) if (v := numbers_of([str(t)])[0]) in numbers else -1 for t in {*rows.target, *(m.problem.get("class_weight") or {})}}
    of = np.array([place[t] for t in rows.target])
    if of.min() < 0:
        raise Stop(2, f"row {of.argmin() + 1} has the label {rows.target[of.argmin()]}, expected one of {', '.join(m.classes)[:80]}")
    for label, factor in (m.problem.get("class_weight") or {}).items():
        s[of == place[label]] *= factor
    if k <= 2 or m.problem.get("scheme") != "one-against-one":
        return [(np.where(of == c, 1.0, -1.0), s, m.lam, np.arange(rows.n)) for c in ([k - 1] if k <= 2 else range(k))]
    pairs = [(j, np.flatnonzero((of == i) | (of == j))) for i in range(k) for j in range(i + 1, k)]
    return [(np.where(of[some] == j, 1.0, -1.0), s[some], m.lam * s.sum() / s[some].sum(), some) for j, some in pairs]


def check(model: str, data: str, labels: str | None) -> list[str]:
    """Compare what a model claims with what its rows say, and return lines that tell it."""
    m = Model(model)
    rows = read_rows(data, m.shape[1], bool(m.problem.get("zero_based")), labels, np.float64 if m.data.get("precision") == "double" else np.float32, m.moves)
    if (found := (rows.n, rows.cols, rows.digest())) != (trained := (*m.shape, m.data["digest"])):
        raise Stop(5, "found {} rows of {} features with the digest {}, the model was trained on {} of {} with {}".format(*found, *trained))
    x = rows.scaled(m.tensor["offset"], m.tensor["factor"]) if "offset" in m.tensor else rows
    if m.kernel:
        t, columns = m.tensor, np.arange(x.cols)
        kept = Rows(t["support.indptr"], t["support.indices"], t["support.values"], x.cols) if "support.indptr" in t else Rows.dense(t["support.values"])
        if kept.n != len(t["support.rows"]) or any((x.array([i], columns) != kept.array([k], columns)).any() for k, i in enumerate(t["support.rows"])):
            raise Stop(5, "the support vectors are not the rows that they are said to be")
    stated, lines, unproved = outputs(m, rows), [], ""
    if len(stated) != len(m.claims):
        raise ValueError(f"found {len(m.claims)} outputs, expected {len(stated)} of its classes")
    for c, ((y, s, lam, some), claim) in enumerate(zip(stated, m.claims)):
        primal, primal_off, dual, dual_off, zero = certify(m, c, x, y, s, lam, some)
        named, size = f"output {c + 1}: " if len(stated) > 1 else "", max(abs(primal), abs(dual), 1e-12 * zero, 1e-300)
        lines.append(f"{named}objective claimed {claim['primal']:.12g}, found {primal:.12g}; bound claimed {claim['dual']:.12g}, found {dual:.12g}; rounding {primal_off + dual_off:.1e}")
        # The program and this one are off by at most the bound on rounding each, and the program takes its own off the bound that it claims: two of them explain
        # a difference. One of more than 1e-9 is unproved then. Of the objective of zero weights only the size matters, in the gap of an objective near 0.
        for what, wrong, explained in (("objective", abs(claim["primal"] - primal), 2 * primal_off), ("bound", claim["dual"] - dual, 2 * dual_off), ("objective of zero weights", max(0, abs(claim["zero"] - zero) - 1e-9 * zero), 0)):
            if not wrong <= explained:
                raise Stop(5, f"{named}the {what} claimed is off by {wrong:.3g}, of which rounding explains {explained:.1g}", *lines)
            unproved = f"{named}the {what} claimed is off by {wrong:.3g}, with a rounding that may be as large" if wrong > 1e-9 * size else unproved
        gap, off, asked = (primal - dual) / size, (primal_off + dual_off) / size, m.goal * (1 + 1e-9) + 8 * U
        if claim["status"] == "converged" and not gap - off <= asked:
            raise Stop(5, f"{named}the relative gap is {gap:.3g}, claimed to be at most {m.goal:.3g}", *lines)
        if claim["status"] == "converged" and not gap + off <= asked:
            unproved = f"{named}the relative gap is {gap:.3g} to within {off:.1e}, which may or may not be at most {m.goal:.3g}"
    if unproved:
        raise Stop(3, unproved, *lines)
    return lines + ["true: objective and bound were computed independently, and hold"]


def main(arguments: list[str]) -> int:
    """Run the command line, and return the exit code."""
    try:
        paths, labels = (arguments[:-2], arguments[-1]) if arguments[-2:-1] == ["--labels"] else (arguments, None)
        if len(paths) != 2 or any(p.startswith("-") for p in paths):
            raise Stop(1, f"found {' '.join(arguments) or 'no arguments'}, expected MODEL DATA [--labels FILE]")
        with np.errstate(all="ignore"):  # what is no number is not true
            code, lines = 0, check(paths[0], paths[1], labels)
    except Stop as e:
        code, why, *lines = e.args
        lines.append({1: "check: ", 2: "check: ", 3: "unproved: ", 5: "false: "}[code] + why)
    except (ValueError, KeyError, IndexError, TypeError, ArithmeticError, MemoryError) as e:
        code, lines = 2, [f"check: the numbers of the model do not fit together, or not in memory: {e}"]
    print("\n".join(lines), file=sys.stderr if code in (1, 2) else sys.stdout)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
