"""Parameters chosen by held-out rows: package tune of the program, on all cores."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from . import _ask
from ._arrays import is_sparse
from ._base import FLOATS, checked_weights, counted, encode, positive, row_weights, seed_of, spelled, threads_of
from ._table import taken
from .kernel import MOVABLE, KernelClassifier, KernelRegressor
from .linear import Classifier, LinearClassifier, LinearRegressor

__all__ = ["tune"]

NAMES = {"lambda": "lam", "class-weight": "class_weight"}  # parameters that the program calls otherwise
WORDS = {name: key for key, name in NAMES.items()}
KERNEL = ("kernel", "gamma", "sigma", "degree", "coef0")


def tune(
    estimator: Any, X: Any, y: Any, sample_weight: Any = None, *, search: Any = None, folds: Any = 5, repeats: int = 1, groups: Any = None, times: Any = None,
    score: str = "", rule: str = "best", halving: int = 0, max_seconds: float = 0.0,
) -> Any:  # fmt: skip
    """Return a copy of an estimator, with the parameters that predict held-out rows best, and
    trained on all rows.

    Parameters
    ----------
    estimator : LinearClassifier, LinearRegressor, KernelClassifier or KernelRegressor
        Its parameters are those of all candidates; ``random_state`` also deals out the folds. Or a twin that has a C or an alpha, or
        scikit-learn's estimator of that name, of which the twin is returned: these search C, alpha, and gamma, degree and coef0 of kernels. Or a pipeline of
        scikit-learn, of which each fold fits all steps, by its GridSearchCV; or a GridSearchCV, for its estimator, grid and folds.
    X, y, sample_weight
        As of its ``fit``: shapes (n_samples, n_features), (n_samples,), (n_samples,).
    search : str or dict, optional
        As ``fenchel tune --search`` reads it, "C=2^-5..2^15 gamma=0.01,0.1"; or lists of
        values, {"C": [0.1, 1], "class_weight": [None, "balanced"]}. Without it what the
        estimator leaves open, C or lam, and gamma where it is "scale" or "auto".
    folds : int, splitter of scikit-learn, or list of (rows to learn from, rows to judge)
    repeats : int
        Deal out the folds so often.
    groups : array of shape (n_samples,), optional
        Rows with the same value are in the same fold.
    times : array of shape (n_samples,), optional
        Judge by rows that come after those that are learned from: numbers, datetime64,
        timestamps of pandas, or strings, which are numbers or dates as a table has them.
    score : str
        "accuracy", "balanced", "auc", "ap", "logloss", "f1" of classes; "rmse", "mae",
        "pinball", "deviance", "r2". Without it accuracy or rmse; "logloss" or "auc" where a
        class has less than a tenth of the rows; of the losses quantile, poisson, absolute and
        epsilon-insensitive what the loss measures.
    rule : "best" or "one-se"
        "one-se": the smallest C within one standard error of the best.
    halving : int
        Drop candidates on samples of the rows, keeping one of so many each time.
    max_seconds : float
        Search so long at most; 0: no limit.

    Returns
    -------
    estimator
        Fitted, with ``best_params_``, ``best_score_``, ``best_index_``, ``stopped_`` (why not
        all was judged, or ""), ``scored_by_`` (the score, and why it is not the usual one)
        and ``cv_results_``, a table as that of scikit-learn's GridSearchCV: the columns params, param_C, ..., split0_test_score, ...,
        mean_test_score, std_test_score, rank_test_score, and gap, the largest one proved,
        status and seconds of each candidate. Scores have the sign of their names: less is
        better for logloss, rmse, mae, pinball and deviance.

    Raises
    ------
    TimeoutError
        If no candidate was judged on all folds within max_seconds.

    Examples
    --------
    >>> import fenchel
    >>> X, y = fenchel.read("@spirals:n=200")
    >>> best = fenchel.tune(fenchel.KernelClassifier(), X, y, search="C=1,100 gamma=0.01,10")
    >>> best.best_params_, best.best_score_ > 0.9
    ({'C': 1.0, 'gamma': 10.0}, True)
    """
    if hasattr(estimator, "param_grid") and hasattr(estimator, "estimator"):
        return tune(estimator.estimator, X, y, sample_weight, search=search or estimator.param_grid, folds=folds if estimator.cv is None else estimator.cv, repeats=repeats, groups=groups, times=times, score=score, rule=rule, halving=halving, max_seconds=max_seconds)
    if hasattr(estimator, "steps"):
        return _piped(estimator, X, y, sample_weight, search, folds, score)
    own = type(estimator) in (LinearClassifier, LinearRegressor, KernelClassifier, KernelRegressor)
    if not own:
        estimator = _twin(estimator)
    kernel = getattr(estimator, "kernel", "")
    if not isinstance(kernel, str) or kernel.split(":")[0] == "precomputed":
        raise ValueError(f"kernel={kernel!r}: expected a name of fenchel list kernels, as folds take rows of data apart")
    best = type(estimator)(**estimator.get_params())
    if not own and isinstance(best, Classifier):
        best.classes_ = np.unique(y)
    data, spec = problem(best, X, y, sample_weight, search)
    how: dict[str, Any] = {"repeats": repeats, "score": score, "rule": rule, "halving": halving, "budget": float(max_seconds)}
    units = {} if own else _units(best, spec, search)
    if search is not None:
        how["search"] = _axes(search if own else _translated(search, units), {**best.get_params(), **({} if own else {"lam": None, "C": None})})
    answer = _ask.tune(data.split(groups, times), spec, folds=splits(folds, data, y), **how)
    for candidate in answer["candidates"]:
        candidate["settings"] = [_back(key, value, units) for key, value in candidate["settings"]]
    return _take(best, answer).fit(X, y, sample_weight)


def _twin(estimator: Any) -> Any:
    """Return the twin of an estimator of scikit-learn, or a twin itself, if its problem has a C or an alpha."""
    from . import sklearn as twins

    kind = getattr(twins, type(estimator).__name__, None)
    if type(estimator).__module__.split(".")[0] not in ("sklearn", "fenchel") or kind is None or not hasattr(kind, "_spec") or kind is twins.HuberRegressor or not {"C", "alpha"} & set(estimator.get_params()):
        raise TypeError(f"found a {type(estimator).__name__}, expected an estimator with a C or an alpha of this package, its twin or scikit-learn's, a pipeline of these or a GridSearchCV")
    return kind(**estimator.get_params(deep=False))


def _units(twin: Any, spec: dict[str, Any], search: Any) -> dict[str, tuple[str, float, int]]:
    """Return the parameter of a twin that a search of the engine moves: under its name there what it is called here, the factor, and
    the power (-1: the engine's is one over it). The spec leaves it open where it is searched."""
    own, key = ("C" if "C" in twin.get_params() else "alpha"), "C" if spec.get("C") is not None else "lambda"
    power = 1 if (own == "C") == (key == "C") else -1
    factor = spec[key] / float(getattr(twin, own)) ** power
    if search is None or own in (search if not isinstance(search, str) else (word.split("=")[0] for word in search.split())):
        spec.pop(key)
    other = "lambda" if key == "C" else "C"
    return {key: (own, factor, power), **({} if own != "C" else {other: (own, 0.0, 0)})}


def _translated(search: Any, units: dict[str, tuple[str, float, int]]) -> Any:
    """Return axes of a twin's parameters as those of the engine."""
    key, (own, factor, power) = next(iter(units.items()))
    if isinstance(search, str):
        if own != key or factor != 1:
            raise ValueError(f"search: found {search!r}, expected a dict of lists, such as {{{own!r}: [0.1, 1.0]}}")
        return search
    name = "lam" if key == "lambda" else key
    return {name if k == own else k: [factor * float(v) ** power for v in values] if k == own else values for k, values in search.items()}


def _back(key: str, value: str, units: dict[str, tuple[str, float, int]]) -> list[str]:
    """Return a setting of the engine as one of a twin."""
    if key not in units or not units[key][2]:
        return [key, value]
    own, factor, power = units[key]
    return [own, repr(float(f"{(float(value) / factor) ** power:.15g}"))]


def _piped(pipeline: Any, X: Any, y: Any, sample_weight: Any, search: Any, folds: Any, score: str) -> Any:
    """Choose parameters of a pipeline, of which each fold fits all steps to its own rows: by GridSearchCV of scikit-learn."""
    from sklearn.model_selection import GridSearchCV

    if not isinstance(search, (dict, list)):
        raise ValueError(f"search: found {search!r}, expected a dict of lists for parameters of the steps, such as {{'{pipeline.steps[-1][0]}__C': [0.1, 1.0]}}")
    weights = {} if sample_weight is None else {f"{pipeline.steps[-1][0]}__sample_weight": sample_weight}
    grid = GridSearchCV(pipeline, search, cv=folds, scoring=score or None, error_score="raise").fit(X, y, **weights)
    best = grid.best_estimator_
    best.cv_results_, best.best_index_, best.best_params_, best.best_score_ = grid.cv_results_, grid.best_index_, grid.best_params_, float(grid.best_score_)
    best.stopped_, best.scored_by_ = "", score or "score of the last step"
    return best


def _axes(search: Any, own: dict[str, Any]) -> str:
    """Return the axes as the program reads them, if the estimator can take what is chosen."""
    if not isinstance(search, str):
        search = " ".join(f"{WORDS.get(name, name)}={','.join(map(_word, values))}" for name, values in search.items())
    for key in (word.split("=")[0] for word in search.split()):
        part = NAMES.get(key, key.split(":")[0])
        if part not in own and not (part in KERNEL and "kernel" in own):
            raise ValueError(f"search: found {key}, expected a parameter of the estimator")
    result: str = search
    return result


def problem(estimator: Any, X: Any, y: Any, sample_weight: Any, search: Any) -> tuple[_ask.Data, dict[str, Any]]:
    """Return the rows, and the spec that candidates have in common."""
    kind: dict[str, Any] = {"accept_sparse": "csr", "dtype": FLOATS}
    classifier = isinstance(estimator, Classifier)
    X, y = taken(estimator, X, y, **kind, **({} if classifier else {"y_numeric": True}))
    target: dict[str, Any] = {}
    weights, of_classes = row_weights(sample_weight, X), {}
    if classifier:
        classes, y = encode(y)
        labels = spelled(classes)
        of_classes = _class_weight(estimator.class_weight, classes, labels)
        factors = np.array([of_classes.get("class_weight", {}).get(label, 1.0) for label in labels])
        if not factors.all():  # classes of weight zero have no rows
            weights = row_weights(weights, X, np.sign(factors)[y])
    rows, y, weights, kept = positive(X, y, weights)
    if classifier:
        target["codes"], target["labels"], _ = counted(y, labels)
    else:
        target["numbers"] = np.asarray(y, np.float64)
    data = _ask.Data(rows, weights=weights, names=estimator._names(), kept=kept, everything=X, **target)
    spec = dict(estimator._spec(rows, weights), task="classification" if classifier else "regression")
    if "class_weight" in of_classes:
        of_classes["class_weight"] = {label: w for label, w in of_classes["class_weight"].items() if label in target["labels"]}
    spec.update(of_classes)
    if hasattr(estimator, "kernel"):
        spec["kernel"] = _kernel(estimator, rows, weights, search)
        if spec["kernel"].split(":")[0] in MOVABLE:
            data.centred()
    elif spec["bias"] == "free":
        data.centred()
    return data, spec


def _class_weight(weights: Any, classes: np.ndarray, labels: list[str]) -> dict[str, Any]:
    """Say how rows of classes count in training; in scores they count as they are."""
    if weights is None:
        return {}
    if isinstance(weights, str):
        if weights != "balanced":
            raise ValueError(f"class_weight={weights!r}: expected 'balanced', None or a dict from class to weight")
        return {"balanced": True}
    known = dict(zip(classes.tolist(), labels))
    return {"class_weight": {known[k]: float(w) for k, w in checked_weights(weights, classes).items() if k in known}}


def _kernel(estimator: Any, X: Any, weights: Any, search: Any) -> str:
    """Return the kernel; without a gamma where that is to be searched."""
    name, open_ = estimator.kernel, estimator.gamma in ("scale", "auto") and search is None
    if open_ and name == "rbf":
        result: str = name
        return result
    kernel = estimator._kernel(X, weights)
    if estimator.gamma == "scale" and ":" not in name:  # of the rows that each fold learns from
        kernel = kernel.replace(f"gamma={estimator._gamma_of(X, weights)!r}", "gamma=scale")
    result = kernel
    return result


def splits(folds: Any, data: _ask.Data, y: Any) -> Any:
    """Return a number, or the pairs of rows of each fold."""
    if isinstance(folds, numbers.Integral):
        return int(folds)
    pairs = list(folds.split(data.everything, y) if hasattr(folds, "split") else folds)
    return [(_kept(learn, data), _kept(judge, data)) for learn, judge in pairs]


def _kept(rows: Any, data: _ask.Data) -> np.ndarray:
    """Return the numbers of rows among those that have a weight, in order."""
    rows, n = np.asarray(rows), data.everything.shape[0]
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    rows = np.sort(rows)
    if rows.size and (rows[0] < 0 or rows[-1] >= n):
        raise ValueError(f"folds: found the row {rows[0] if rows[0] < 0 else rows[-1]}, expected 0 to {n - 1}")
    if data.kept is None:
        result: np.ndarray = rows
        return result
    at = np.searchsorted(data.kept, rows).clip(0, len(data.kept) - 1)
    result = at[data.kept[at] == rows]
    return result


def _word(value: Any) -> str:
    """Spell a value as the program reads it."""
    if value is None:
        return "none"
    return repr(float(value)) if isinstance(value, (numbers.Real, np.number)) and not isinstance(value, bool) else str(value)


def _value(text: str) -> Any:
    try:
        return float(text)
    except ValueError:
        return None if text == "none" else text


def table(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what came out for each candidate, in columns."""
    all_ = answer["candidates"]
    params = [{NAMES.get(k, k): _value(v) if (k != "scale" and k != "bias") else v for k, v in c["settings"]} for c in all_]
    scores = np.array([[np.nan if s is None else s for s in c["scores"]] for c in all_], float)
    columns: dict[str, Any] = {"params": params}
    for name in params[0] if params else ():
        columns["param_" + name] = np.array([p[name] for p in params])
    columns.update({f"split{f}_test_score": scores[:, f] for f in range(scores.shape[1])})
    mean = np.array([np.nan if c["mean"] is None or c["rows"] else c["mean"] for c in all_], float)
    columns["mean_test_score"], columns["std_test_score"] = mean, np.where(np.isnan(mean), np.nan, scores.std(axis=1))
    ordered = np.where(np.isnan(mean), np.inf, mean if answer["lower"] else -mean)
    columns["rank_test_score"] = (ordered[:, None] > ordered[None, :]).sum(axis=1).astype(np.int32) + 1
    columns["gap"] = np.array([np.nan if c["gap"] is None else c["gap"] for c in all_], float)
    columns["status"], columns["seconds"] = np.array([c["reason"] or c["status"] for c in all_]), np.array([c["seconds"] for c in all_])
    return columns


def _take(best: Any, answer: dict[str, Any]) -> Any:
    """Give an estimator the parameters of the best candidate, and the table."""
    results, at = table(answer), answer["best"]
    best.set_params(**_parameters(best, results["params"][at], answer["candidates"][at]))
    best.cv_results_, best.best_index_, best.best_params_ = results, at, results["params"][at]
    best.best_score_, best.stopped_ = float(results["mean_test_score"][at]), answer["stopped"]
    best.scored_by_ = ", ".join(filter(None, (answer["score"], answer["score_why"])))
    return best


def _parameters(estimator: Any, params: dict[str, Any], candidate: dict[str, Any]) -> dict[str, Any]:
    """Return the parameters of the estimator that a candidate stands for."""
    own: dict[str, Any] = estimator.get_params()
    out: dict[str, Any] = {}
    of_kernel = {name for name in params if name.split(":")[0] in KERNEL}
    for name in set(params) - of_kernel:
        part = name.split(":")[0]
        if name in ("C", "lam"):
            out.update({other: None for other in ("C", "lam") if other in own and other not in params})
        out[part] = candidate[part] if part in ("loss", "penalty") else params[name]
    if of_kernel <= {"gamma", "degree", "coef0"} and ":" not in own.get("kernel", ""):
        out.update({name: int(params[name]) if name == "degree" else params[name] for name in of_kernel})
    elif of_kernel:
        kernel = candidate["kernel"]
        out["kernel"] = kernel + ":gamma=auto" if kernel in ("rbf", "poly", "sigmoid") else kernel
    return out
