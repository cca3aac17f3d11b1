"""Races the twins of fenchel.sklearn against scikit-learn: fits in one process, on the same
arrays, with the tolerances that both have by default.

    python bench/python/race.py [--rounds 3] [--intelex] [NAME...]

Each row has the seconds of both and of all their threads on processors, the least of the rounds,
which take turns (fits of less than 20 ms have more rounds); the ratios of both, above 1 where
Fenchel takes less; and how far each objective is above the proved lower bound, both by
fenchel.verify (of PCA: the share of the variance that is missing, at most). A win counts where
Fenchel's objective is not the larger one. --intelex races against scikit-learn-intelex too,
where that has the estimator. What fits take beyond the engine is in the last column, in ms. Data are in ../shared/data beside the checkout, or
where FENCHEL_DATA says; a set that is not there is left out. NAME picks rows that contain it.
"""

import argparse
import glob
import importlib
import os
import time
import warnings
from pathlib import Path

import numpy as np
from sklearn import decomposition, linear_model, svm

import fenchel
import fenchel.sklearn as twins
from fenchel import _engine

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


def processor() -> float:
    """Return the seconds that this process and the engine have had on processors: of Linux to
    the microsecond, elsewhere without the engine."""
    total = time.process_time()
    for path in glob.glob(f"/proc/{_engine._engine.process.pid}/task/*/schedstat"):
        with open(path) as file:
            total += int(file.read().split()[0]) / 1e9
    return total


def fit(make, X, y) -> tuple:
    """Return the seconds of a fit, those on processors, and the model."""
    begun, used = time.perf_counter(), processor()
    model = make().fit(X, y)
    return time.perf_counter() - begun, processor() - used, model


def above(model, X, y, best: float | None) -> tuple:
    """Return the objective of a model, and the best lower bound known."""
    c = fenchel.verify(model, X, y, gap=1e-6).certificate
    return c.primal, c.dual if best is None else max(best, c.dual)


def missing(model, X) -> float:
    """Return the variance that components capture."""
    A = X - X.mean(axis=0)
    return float(((A @ model.components_.T) ** 2).sum() / len(X))


def targets(name: str, what: str, y: np.ndarray) -> np.ndarray:
    """Return the targets of a race."""
    if name == "mnist" and what in ("LinearSVC", "LogisticRegression"):
        return even(y)
    if name == "covtype" and what != "LinearSVC":
        return (y == 2).astype(int)
    return y.astype(float) if what in ("Ridge", "Lasso", "SVR") else y


def gaps(models: list, what: str, X, y) -> list:
    """Return how far each model is from the best possible."""
    if what == "PCA":
        upper = models[0].certificate_.upper
        return [(upper - missing(m, X)) / upper for m in models]
    values, bound = [], None
    for m in models:
        value, bound = above(m, X, y, bound)
        values.append(value)
    return [(v - bound) / abs(v) for v in values]


def race(name: str, rows: int | None, what: str, homes: list, parameters: dict, rounds: int) -> None:
    """Fit one estimator of each home, the first of which is Fenchel's."""
    X, y = load(name, rows)
    y = targets(name, what, y)
    times, models, beyond = [[] for _ in homes], [None] * len(homes), []
    while len(times[0]) < rounds or min(times[0])[0] < 0.02 and len(times[0]) < 10 * rounds:
        for side, home in enumerate(homes):
            *seconds, models[side] = fit(lambda: getattr(home, what)(**parameters), X, y)
            times[side].append(seconds)
        seconds = getattr(models[0], "seconds_", None)
        beyond.append(times[0][-1][0] - seconds["total"] if seconds else np.nan)
    least, apart = [np.min(t, axis=0) for t in times], gaps(models, what, X, y)
    for side in range(1, len(homes)):
        (wall, own), (other, others) = least[0], least[side]
        print(f"{name:8} {X.shape[0]:6} {what:19} {homes[side].__name__.split('.')[0]:8} {wall:9.4f} {other:9.4f} {other / wall:7.2f}x {own:9.4f} {others:9.4f} {others / own:7.2f}x "
              f"{apart[0]:9.1e} {apart[side]:9.1e} {1e3 * min(beyond):8.2f}", flush=True)  # fmt: skip


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--intelex", action="store_true")
    p.add_argument("names", nargs="*")
    a = p.parse_args()
    warnings.simplefilter("ignore")
    twins.Ridge().fit([[0.0], [1.0]], [0.0, 1.0])  # starts the engine
    print(f"{'set':8} {'rows':>6} {'estimator':19} {'peer':8} {'fenchel s':>9} {'peer s':>9} {'ratio':>8} {'cpu s':>9} {'peer cpu':>9} {'ratio':>8} {'gap':>9} {'of peer':>9} {'beyond':>8}")
    for name, rows, what, module, parameters in RACES:
        label = f"{name} {what}"
        if a.names and not any(n in label for n in a.names):
            continue
        if name != "tiny" and not (DATA / FILES[name]).exists():
            print(f"{name:8} is not there")
            continue
        homes = [twins, module]
        if a.intelex:
            other = importlib.import_module(module.__name__.replace("sklearn", "sklearnex"))
            homes += [other] if hasattr(other, what) and getattr(other, what) is not getattr(module, what) else []
        race(name, rows, what, homes, parameters, a.rounds)


if __name__ == "__main__":
    main()
