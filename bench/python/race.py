"""Races the twins of fenchel.sklearn against scikit-learn: fits in one process, on the same
arrays, with the tolerances that both have by default.

    python bench/python/race.py [--rounds 3] [NAME...]

Each row has the seconds of both, the fastest of the rounds, which take turns; the ratio, above
1 where Fenchel is faster; and how far each objective is above the proved lower bound, both by
fenchel.verify (of PCA: the share of the variance that is missing, at most). A win counts where
Fenchel's objective is not the larger one. Data are in ../shared/data beside the checkout, or
where FENCHEL_DATA says; a set that is not there is left out. NAME picks rows that contain it.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn import decomposition, linear_model, svm

import fenchel
import fenchel.sklearn as twins

DATA = Path(os.environ.get("FENCHEL_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
FILES = {
    "imdb": "imdb/imdb_tfidf.train.svm.gz", "a9a": "adult/a9a.gz", "covtype": "covtype/covtype_ramp_92962.svm.gz",
    "mnist": "mnist/train-images-idx3-ubyte.gz", "housing": "regression/california-housing.csv.gz",
}  # fmt: skip


def load(name: str, rows: int | None) -> tuple:
    """Return rows and targets of a set, the first so many, in double precision as scikit-learn has them."""
    if name == "tiny":
        rng = np.random.RandomState(0)
        X = rng.randn(1000, 20)
        return X, (X[:, 0] + 0.5 * rng.randn(1000) > 0).astype(int)
    X, y = fenchel.read(DATA / FILES[name], target="median_house_value" if name == "housing" else None)
    if rows is not None:
        X, y = X[:rows], y[:rows]
    if name in ("mnist", "housing") and hasattr(X, "toarray"):
        X = X.toarray()
    if name == "housing":
        spread = X.std(axis=0)
        X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return X.astype(np.float64), np.asarray(y)


def even(y: np.ndarray) -> np.ndarray:
    """Tell even digits from odd ones."""
    return y.astype(int) % 2


RACES = [
    ("imdb", None, "LinearSVC", svm, {}), ("imdb", None, "LogisticRegression", linear_model, {}),
    ("a9a", None, "LinearSVC", svm, {}), ("a9a", None, "LogisticRegression", linear_model, {"max_iter": 1000}), ("a9a", 6000, "SVC", svm, {"gamma": 0.05}),
    ("covtype", None, "LinearSVC", svm, {}), ("covtype", None, "LogisticRegression", linear_model, {"max_iter": 1000}), ("covtype", 6000, "SVC", svm, {}),
    ("mnist", 10000, "LinearSVC", svm, {"C": 0.01}), ("mnist", 10000, "LogisticRegression", linear_model, {"C": 0.01, "max_iter": 1000}),
    ("mnist", 4000, "SVC", svm, {"gamma": 0.02, "C": 5.0}), ("mnist", 10000, "PCA", decomposition, {"n_components": 30}),
    ("housing", None, "Ridge", linear_model, {}), ("housing", None, "Lasso", linear_model, {"alpha": 0.01}), ("housing", 4000, "SVR", svm, {}),
    ("tiny", None, "LinearSVC", svm, {}), ("tiny", None, "LogisticRegression", linear_model, {}), ("tiny", None, "SVC", svm, {}),
    ("tiny", None, "Ridge", linear_model, {}), ("tiny", None, "Lasso", linear_model, {"alpha": 0.01}), ("tiny", None, "PCA", decomposition, {"n_components": 5}),
]  # fmt: skip


def fit(make, X, y) -> tuple:
    """Return the seconds of a fit, and the model."""
    begun = time.perf_counter()
    model = make().fit(X, y)
    return time.perf_counter() - begun, model


def above(model, X, y, best: float | None) -> tuple:
    """Return the objective of a model, and the best lower bound known."""
    c = fenchel.verify(model, X, y, gap=1e-6).certificate
    return c.primal, c.dual if best is None else max(best, c.dual)


def missing(model, X) -> float:
    """Return the variance that components capture."""
    A = X - X.mean(axis=0)
    return float(((A @ model.components_.T) ** 2).sum() / len(X))


def race(name: str, rows: int | None, what: str, module, parameters: dict, rounds: int) -> None:
    X, y = load(name, rows)
    if name == "mnist" and what in ("LinearSVC", "LogisticRegression"):
        y = even(y)
    if name == "covtype" and what != "LinearSVC":
        y = (y == 2).astype(int)
    if what in ("Ridge", "Lasso", "SVR"):
        y = y.astype(float)
    times, models = [[], []], [None, None]
    for _ in range(rounds):
        for side, home in enumerate((twins, module)):
            seconds, models[side] = fit(lambda: getattr(home, what)(**parameters), X, y)
            times[side].append(seconds)
    ours, theirs = min(times[0]), min(times[1])
    if what == "PCA":
        a, b = missing(models[0], X), missing(models[1], X)
        upper = models[0].certificate_.upper
        gaps = [(upper - v) / upper for v in (a, b)]
    else:
        a, bound = above(models[0], X, y, None)
        b, bound = above(models[1], X, y, bound)
        gaps = [(v - bound) / abs(v) for v in (a, b)]
    print(f"{name:8} {X.shape[0]:6} {what:19} {ours:9.4f} {theirs:9.4f} {theirs / ours:7.2f}x {gaps[0]:10.1e} {gaps[1]:10.1e}", flush=True)


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("names", nargs="*")
    a = p.parse_args()
    warnings.simplefilter("ignore")
    twins.Ridge().fit([[0.0], [1.0]], [0.0, 1.0])  # starts the engine
    print(f"{'set':8} {'rows':>6} {'estimator':19} {'fenchel s':>9} {'sklearn s':>9} {'ratio':>8} {'gap':>10} {'of sklearn':>10}")
    for name, rows, what, module, parameters in RACES:
        label = f"{name} {what}"
        if a.names and not any(n in label for n in a.names):
            continue
        if name != "tiny" and not (DATA / FILES[name]).exists():
            print(f"{name:8} is not there")
            continue
        race(name, rows, what, module, parameters, a.rounds)


if __name__ == "__main__":
    main()
