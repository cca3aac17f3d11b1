"""One search or path of a peer: a JSON object on standard input says which, one on standard output what came out."""
import importlib.util
import json
import signal
import sys
import time
import warnings

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

warnings.filterwarnings("ignore")


def grid(ask):
    """A search of scikit-learn by folds: the time that it takes, and its best score."""
    from sklearn.linear_model import LogisticRegressionCV
    from sklearn.model_selection import GridSearchCV, PredefinedSplit
    from sklearn.svm import SVC
    from threadpoolctl import threadpool_limits
    x, y = load_svmlight_file(ask["file"])
    rows = np.arange(ask["rows"]) * x.shape[0] // ask["rows"]
    x, y = x[rows], y[rows]
    split = PredefinedSplit(np.array(ask["folds"].split(), dtype=int))
    values = ask["values"]
    begun = time.perf_counter()
    if ask["kernel"]:
        name = "scikit-learn GridSearchCV"
        found = GridSearchCV(SVC(kernel="rbf", cache_size=1000), {"C": values["C"], "gamma": values["gamma"]}, cv=split, n_jobs=ask["threads"], refit=False).fit(x, y)
        seconds, score, setting = time.perf_counter() - begun, found.best_score_, found.best_params_
    else:
        name, seconds = "scikit-learn LogisticRegressionCV", float("inf")
        for threads in sorted({1, ask["threads"]}):  # idle threads of BLAS may wait in a loop: the sooner counts
            begun = time.perf_counter()
            with threadpool_limits(threads):
                found = LogisticRegressionCV(Cs=values["C"], cv=split, n_jobs=ask["threads"], refit=False).fit(x, y)
            seconds = min(seconds, time.perf_counter() - begun)
        means = np.mean(list(found.scores_.values())[0], axis=0).ravel()
        score, setting = float(means.max()), {"C": values["C"][int(means.argmax())]}
    return {"contender": name, "setting": json.dumps(setting), "seconds": seconds, "score": float(score)}


def celer(x, y, lambdas, loss, tol):
    from celer.homotopy import celer_path
    if loss == "squared":
        return celer_path(x, y, "lasso", alphas=lambdas, tol=tol, max_iter=200)[1].T
    return celer_path(x, y, "logreg", alphas=lambdas * len(y), tol=tol, max_iter=200)[1].T


def skglm(x, y, lambdas, loss, tol):
    from skglm.datafits import Logistic, Quadratic
    from skglm.penalties import L1
    from skglm.solvers import AndersonCD, ProxNewton
    from skglm.utils.jit_compilation import compiled_clone
    squared = loss == "squared"
    fit, penalty = compiled_clone(Quadratic() if squared else Logistic()), compiled_clone(L1(1.0))
    solver = (AndersonCD if squared else ProxNewton)(tol=tol, fit_intercept=False, warm_start=True, max_iter=200)
    w, found = np.zeros(x.shape[1]), []
    for penalty.alpha in lambdas:
        w = solver.solve(x, y, fit, penalty, w_init=w.copy(), Xw_init=x @ w)[0]
        found.append(w)
    return found


def objective(x, y, w, lam, loss):
    p = x @ w
    each = (p - y) ** 2 / 2 if loss == "squared" else np.logaddexp(0, -y * p)
    return each.mean() + lam * np.abs(w).sum()


class Late(Exception):
    pass


def late(*_):
    raise Late


def path(ask):
    """A path by the loosest tolerance with which every objective is accurate enough, or where that takes too long by none."""
    if ask["file"].endswith(".npz"):
        data = np.load(ask["file"])
        rows = data["X"] if "X" in data else sparse.load_npz(ask["file"]).toarray()
        x, y = np.asfortranarray(rows, dtype=float), np.asarray(ask["y"])
    else:
        x, y = sparse.csc_matrix(load_svmlight_file(ask["file"])[0]), np.asarray(ask["y"])
    solve, loss, lambdas = globals()[ask["peer"]], ask["loss"], np.array(ask["lambdas"])
    solve(x, y, lambdas[:3], loss, 1e-2)  # compiles
    said = {"contender": ask["peer"], "setting": "none is accurate enough"}
    signal.signal(signal.SIGALRM, late)
    for tol in 10.0 ** -np.arange(3, 9):
        signal.setitimer(signal.ITIMER_REAL, ask["limit"])
        begun, used = time.perf_counter(), time.process_time()
        try:
            found = solve(x, y, lambdas, loss, tol)
        except Late:
            return said | {"setting": f"tol={tol:g}, stopped", "seconds": time.perf_counter() - begun, "processor": time.process_time() - used}
        said |= {"seconds": time.perf_counter() - begun, "processor": time.process_time() - used}
        signal.setitimer(signal.ITIMER_REAL, 0)
        values = [objective(x, y, w, lam, loss) for w, lam in zip(found, lambdas)]
        said["accuracy"] = float(max(value / least - 1 for value, least in zip(values, ask["objectives"])))
        if said["accuracy"] <= ask["target"]:
            return said | {"setting": f"tol={tol:g}"}
    return said


asked = json.load(sys.stdin)
if "peer" in asked and importlib.util.find_spec(asked["peer"]) is None:
    sys.exit(f"no module {asked['peer']}")
print(json.dumps(path(asked) if "peer" in asked else grid(asked)))
