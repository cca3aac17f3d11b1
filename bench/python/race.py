"""Races the twins of fenchel.sklearn against scikit-learn and others: fits in one process, on the same
arrays, with the tolerances that both have by default.

    python bench/python/race.py [--rounds 3] [--peers sklearn,sklearnex] [--busy] [NAME...]

Each row has the seconds of both and of all their threads on processors, the least of the rounds,
which take turns (fits of less than 20 ms have more rounds); the ratios of both, above 1 where
Fenchel takes less; and how far each objective is above the proved lower bound, both by
fenchel.verify (of PCA: the share of the variance that is missing, at most). A win counts where
Fenchel's objective is not the larger one. A peer runs with one thread of its libraries and with all, and the
sooner counts: threads that wait in a loop may take longer than they save. While other programs use the processor
nothing is raced, unless --busy says so. Peers that are not installed, or have no such estimator, are left out.
What fits take beyond the engine is in the last column, in ms. Data are in ../shared/data beside the checkout, or
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
from threadpoolctl import threadpool_limits

import fenchel
import fenchel.sklearn as twins
from fenchel import _engine

DATA = Path(os.environ.get("FENCHEL_DATA", Path(__file__).resolve().parents[3] / "shared" / "data"))
FILES = {
    "imdb": "imdb/imdb_tfidf.train.svm.gz", "a9a": "adult/a9a.gz", "covtype": "covtype/covtype_ramp_92962.svm.gz",
    "ijcnn1": "ijcnn1/ijcnn1.trn.bz2", "mnist": "mnist/train-images-idx3-ubyte.gz", "housing": "regression/california-housing.csv.gz",
}  # fmt: skip

SIZES = {"small": (100, 10), "tiny": (1000, 20)}  # of what is drawn


def load(name: str, rows: int | None) -> tuple:
    """Return rows and targets of a set, the first so many, in double precision as scikit-learn has them."""
    if name in SIZES:
        rng = np.random.RandomState(0)
        X = rng.randn(*SIZES[name])
        return X, (X[:, 0] + 0.5 * rng.randn(len(X)) > 0).astype(int)
    X, y = fenchel.read(DATA / FILES[name], target="median_house_value" if name == "housing" else None)
    if rows is not None:
        X, y = X[:rows], y[:rows]
    if name in ("mnist", "housing") and hasattr(X, "toarray"):
        X = X.toarray()
    if name == "housing":
        spread = X.std(axis=0)
        X = (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1)
    return X.astype(np.float64), np.asarray(y)


def gaussian(rows: int, classes: int) -> tuple:
    """Return rows of 50 features, and targets that are linear but for noise: numbers, or so many classes."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, 50))
    z = X @ rng.standard_normal((50, max(classes, 1)))
    if classes == 0:
        return X, z[:, 0] + rng.standard_normal(rows)
    if classes == 2:
        return X, (z[:, 0] / 3 + rng.logistic(size=rows) > 0).astype(int)
    return X, (z / 3 + rng.gumbel(size=z.shape)).argmax(axis=1)


def even(y: np.ndarray) -> np.ndarray:
    """Tell even digits from odd ones."""
    return y.astype(int) % 2


# A set, its rows, the estimator, its parameters, and those that only a peer has.
SKLEARN = ("sklearn", "sklearnex")
RACES = [
    ("imdb", None, "LinearSVC", {}, {}), ("imdb", None, "LogisticRegression", {}, {}),
    ("a9a", None, "LinearSVC", {}, {}), ("a9a", None, "LogisticRegression", {"max_iter": 1000}, {}), ("a9a", None, "SVC", {"gamma": 0.05}, {}),
    ("covtype", None, "LinearSVC", {}, {}), ("covtype", None, "LogisticRegression", {"max_iter": 1000}, {}), ("covtype", 6000, "SVC", {}, {}),
    ("ijcnn1", None, "SVC", {"gamma": 2.0, "C": 32.0}, {}),
    ("mnist", 10000, "LinearSVC", {"C": 0.01}, {}), ("mnist", 10000, "LogisticRegression", {"C": 0.01, "max_iter": 1000}, {}),
    ("mnist", 4000, "SVC", {"gamma": 0.02, "C": 5.0}, {}), ("mnist", 10000, "PCA", {"n_components": 50}, {"svd_solver": "covariance_eigh"}),
    ("mnist", None, "PCA", {"n_components": 50}, {"svd_solver": "covariance_eigh"}), ("mnist", None, "PCA", {"n_components": 0.95}, {"svd_solver": "covariance_eigh"}),
    ("gaussian", 300000, "Ridge", {}, {}), ("gaussian", 300000, "Lasso", {"alpha": 0.01}, {}),
    ("gaussian 2", 300000, "LogisticRegression", {"max_iter": 1000}, {}), ("gaussian 2", 300000, "LogisticRegression", {"max_iter": 1000}, {"solver": "newton-cholesky"}),
    ("gaussian 7", 20000, "LogisticRegression", {"max_iter": 1000}, {}),
    ("housing", None, "Ridge", {}, {}), ("housing", None, "Lasso", {"alpha": 0.01}, {}), ("housing", None, "SVR", {}, {}),
    ("tiny", None, "LinearSVC", {}, {}), ("tiny", None, "LogisticRegression", {}, {}), ("tiny", None, "SVC", {}, {}),
    ("tiny", None, "Ridge", {}, {}), ("tiny", None, "Lasso", {"alpha": 0.01}, {}), ("tiny", None, "PCA", {"n_components": 5}, {}),
    ("small", None, "LinearRegression", {}, {}), ("small", None, "Ridge", {}, {}), ("small", None, "Lasso", {"alpha": 0.01}, {}),
    ("small", None, "SVC", {}, {}), ("small", None, "PCA", {"n_components": 3}, {}), ("small", None, "LogisticRegression", {}, {}),
]  # fmt: skip
HOMES = {"LinearRegression": "linear_model", "Ridge": "linear_model", "Lasso": "linear_model", "LogisticRegression": "linear_model", "PCA": "decomposition"}  # else svm


def peers(what: str, names: list, parameters: dict, only: dict, X, y) -> list:
    """Return a name, and what makes the estimator, of each peer that has one."""
    found = []
    for name in names:
        try:
            if name in SKLEARN:
                module = importlib.import_module(f"{name}.{HOMES.get(what, 'svm')}")
                plain = importlib.import_module(module.__name__.replace("sklearnex", "sklearn"))
                make = getattr(module, what, None)
                if make is not None and (name == "sklearn" or make is not getattr(plain, what)):
                    found.append((name, lambda make=make: make(**parameters, **only)))
            elif what == "Lasso" and name in ("celer", "skglm"):
                found.append((name, lambda make=importlib.import_module(name).Lasso: make(**parameters)))
            elif name == "glum" and (what == "Ridge" or what == "LogisticRegression" and y.max() == 1 and y.min() == 0):
                glum = importlib.import_module(name)
                family, scale = ("normal", 1.0) if what == "Ridge" else ("binomial", 1 / parameters.get("C", 1.0))
                found.append((name, lambda: glum.GeneralizedLinearRegressor(family=family, alpha=scale / len(y))))
        except ImportError:
            pass
    return found


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
    used, begun = processor(), time.perf_counter()
    model = make().fit(X, y)
    return time.perf_counter() - begun, processor() - used, model


def sooner(make, X, y, rounds: list) -> tuple:
    """Fit with one thread and with all, unless one of them was twice as long before."""
    best = None
    for threads in sorted({1, os.cpu_count() or 1}):
        before = [r for r in rounds if r[-1] == threads]
        if before and min(before)[0] > 2 * min(rounds)[0]:
            continue
        with threadpool_limits(threads):
            took = (*fit(make, X, y), threads)
        rounds.append((took[0], took[1], threads))
        best = took if best is None or took[0] < best[0] else best
    return best[:3]


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
    return y.astype(float) if what in ("LinearRegression", "Ridge", "Lasso", "SVR") else y


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


def race(name: str, rows: int | None, what: str, parameters: dict, only: dict, names: list, rounds: int) -> None:
    """Fit one estimator of Fenchel and of each peer."""
    if name.startswith("gaussian"):
        X, y = gaussian(rows, int(name.removeprefix("gaussian").strip() or 0))
    else:
        X, y = load(name, rows)
        y = targets(name, what, y)
    if name == "mnist" and what == "PCA":
        X = X.astype(np.float32)
    rivals = peers(what, names, parameters, only, X, y)
    times, models, beyond, before = [[] for _ in range(1 + len(rivals))], [None] * (1 + len(rivals)), [], [[] for _ in rivals]
    while len(times[0]) < rounds or min(times[0])[0] < 0.02 and len(times[0]) < 10 * rounds:
        *seconds, models[0] = fit(lambda: getattr(twins, what)(**parameters), X, y)
        times[0].append(seconds)
        for side, (_, make) in enumerate(rivals):
            *took, models[1 + side] = sooner(make, X, y, before[side])
            times[1 + side].append(took)
        inside = getattr(models[0], "seconds_", None)
        beyond.append(times[0][-1][0] - inside["total"] if inside else np.nan)
    least = [min(t) for t in times]
    known = [k for k, (peer, _) in enumerate([("fenchel", None), *rivals]) if k == 0 or peer in SKLEARN]
    apart = dict(zip(known, gaps([models[k] for k in known], what, X, y)))
    for side in range(1, len(least)):
        (wall, own), (other, others) = least[0], least[side]
        label = what if not only else f"{what} {next(iter(only.values()))}"
        print(f"{name:10} {X.shape[0]:6} {label:34} {rivals[side - 1][0]:9} {wall:9.5f} {other:9.5f} {other / wall:7.2f}x {own:9.5f} {others:9.5f} {others / own:7.2f}x "
              f"{apart[0]:9.1e} {apart.get(side, np.nan):9.1e} {1e3 * min(beyond):8.2f}", flush=True)  # fmt: skip


def busy() -> float:
    """Return how many cores other programs have used for a second; 0 where the system does not tell."""

    def ticks() -> int:
        with open("/proc/stat") as file:
            fields = [int(x) for x in file.readline().split()[1:9]]
        return sum(fields) - fields[3] - fields[4]

    if not os.path.exists("/proc/stat"):
        return 0.0
    before = ticks()
    time.sleep(1)
    return (ticks() - before) / os.sysconf("SC_CLK_TCK")


def main() -> None:
    p = argparse.ArgumentParser()
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--peers", default="sklearn", help="comma-separated: sklearn, sklearnex, glum, celer, skglm")
    p.add_argument("--busy", action="store_true", help="race though other programs use the processor")
    p.add_argument("names", nargs="*")
    a = p.parse_args()
    warnings.simplefilter("ignore")
    twins.Ridge().fit([[0.0], [1.0]], [0.0, 1.0])  # starts the engine
    print(f"{'set':10} {'rows':>6} {'estimator':34} {'peer':9} {'fenchel s':>9} {'peer s':>9} {'ratio':>8} {'cpu s':>9} {'peer cpu':>9} {'ratio':>8} {'gap':>9} {'of peer':>9} {'beyond':>8}")
    for name, rows, what, parameters, only in RACES:
        label = f"{name} {what}"
        if a.names and not any(n in label for n in a.names):
            continue
        if name in FILES and not (DATA / FILES[name]).exists():
            print(f"{name:10} is not there")
            continue
        if not a.busy and (others := busy()) > 0.1:
            raise SystemExit(f"race.py: found other programs that use {others:.2g} cores, expected at most 0.1: end them, or race all the same with --busy")
        race(name, rows, what, parameters, only, a.peers.split(","), a.rounds)


if __name__ == "__main__":
    main()
