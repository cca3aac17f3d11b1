"""How far a model is from the best possible: of Fenchel, scikit-learn, LIBSVM or LIBLINEAR.

The objective is recomputed from the model and the rows. The lower bound is that of the model's
own dual variables, of its support vectors, or of a solution of the same problem: a bound on
the objective of any predictor, whoever found it.
"""

from __future__ import annotations

import copy
import os
import tempfile
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np

from . import _ask
from ._arrays import canonical, is_sparse
from ._base import Certificate, PCACertificate, check_is_fitted, class_factors, one_kind, positive, row_weights, spelled
from ._model import Model
from ._table import Table, like
from .linear import is_joint

__all__ = ["Verification", "verify"]


@dataclass(frozen=True)
class Verification:
    """What was found: ``certificate``, of several targets a list with one for each;
    ``problems``, claims of the model that are false; ``unproved``, why something is neither
    proved nor refuted, or "".

    >>> Verification(Certificate(1.0, 1.0, 0.0, 0.0, 0.0)).valid
    True
    """

    certificate: Certificate | PCACertificate | list[Certificate]
    problems: list[str] = field(default_factory=list)
    unproved: str = ""

    @property
    def gap(self) -> float:
        """The relative gap that is proved, of several targets the largest."""
        return float(np.max([c.gap for c in self.certificate])) if isinstance(self.certificate, list) else self.certificate.gap

    @property
    def valid(self) -> bool:
        """Whether all claims are proved."""
        return not self.problems and not self.unproved


def verify(model: Any, X: Any, y: Any = None, sample_weight: Any = None, *, gap: float = 1e-6, **problem: Any) -> Verification:
    """Bound how far a fitted model is from the best possible on the rows it was trained on.

    Parameters
    ----------
    model : fitted estimator
        Of this package; of scikit-learn: LinearSVC, LinearSVR, LogisticRegression, LogisticRegressionCV, LinearRegression, Ridge,
        RidgeCV, RidgeClassifier, RidgeClassifierCV, Lasso, LassoCV, ElasticNet, ElasticNetCV, HuberRegressor, QuantileRegressor,
        PoissonRegressor, SGDClassifier, SGDRegressor, KernelRidge, SVC, NuSVC, SVR, NuSVR, OneClassSVM, PCA; a pipeline of
        scikit-learn or a search, of which the last step or the best estimator is judged; or a model of the packages
        libsvm (svm_model) and liblinear (model), with ``C=...`` (and ``nu``, ``loss``) of its
        training, which it does not hold.
    X : array or sparse matrix of shape (n_samples, n_features)
    y : array of shape (n_samples,), or (n_samples, n_targets) as in training
    sample_weight : array of shape (n_samples,), optional
        As in training.
    gap : float
        For models without dual variables: how exactly the best possible is found.

    Returns
    -------
    Verification

    Examples
    --------
    >>> import numpy as np, fenchel
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([0, 0, 1, 1])
    >>> v = fenchel.verify(fenchel.LinearClassifier().fit(X, y), X, y)
    >>> v.valid, v.gap <= 1e-3
    (True, True)
    """
    kind = type(model).__name__
    if isinstance(getattr(model, "model_", None), Model):
        return _own(model, X, y, sample_weight)
    module = type(model).__module__
    if module.startswith("fenchel") and hasattr(model, "estimators_"):
        return _together(model.estimators_, y, lambda one, column: _own(one, X, column, sample_weight))
    if module.startswith("libsvm") or kind == "svm_model":
        return _audit(_saved(model, "libsvm.svmutil", "svm_save_model"), X, y, sample_weight, problem)
    if module.startswith("liblinear"):
        return _audit(_saved(model, "liblinear.liblinearutil", "save_model"), X, y, sample_weight, problem)
    if not module.startswith("sklearn"):
        raise TypeError(f"found a {module}.{kind}, expected an estimator of fenchel or scikit-learn, or a model of libsvm or liblinear")
    check_is_fitted(model)
    if hasattr(model, "best_estimator_"):
        return verify(model.best_estimator_, X, y, sample_weight, gap=gap)
    if kind == "Pipeline":
        return verify(model[-1], model[:-1].transform(X) if len(model) > 1 else X, y, sample_weight, gap=gap)
    if kind == "PCA":
        return _components(model, _rows(X))
    if kind in MACHINES:
        return _machine(model, kind, X, y, sample_weight)
    if kind in LINEAR or kind == "KernelRidge":
        judge = _kernel_ridge if kind == "KernelRidge" else _linear
        if np.ndim(y) != 2:
            return judge(model, X, y, sample_weight, gap)
        return _together(_one_each(model, np.shape(y)[1]), y, lambda one, column: judge(one, X, column, sample_weight, gap))
    raise TypeError(f"found a {kind} of scikit-learn, expected one of {', '.join(sorted([*MACHINES, *LINEAR, 'KernelRidge', 'PCA', 'Pipeline']))}: nothing is known to bound its problem")


def _together(models: list[Any], y: Any, judge: Any) -> Verification:
    """Judge a model of each target."""
    y = np.asarray(y)
    if y.ndim != 2 or y.shape[1] != len(models):
        raise ValueError(f"y: found an array of shape {y.shape}, expected one of two dimensions and {len(models)} targets, as in training")
    found = [judge(one, y[:, k]) for k, one in enumerate(models)]
    problems = [f"target {k + 1}: {text}" for k, v in enumerate(found) for text in v.problems]
    return Verification([v.certificate for v in found], problems, "; ".join(f"target {k + 1}: {v.unproved}" for k, v in enumerate(found) if v.unproved))


def _one_each(model: Any, targets: int) -> list[Any]:
    """Return a model of scikit-learn as one for each of its targets."""
    name = "coef_" if hasattr(model, "coef_") else "dual_coef_"
    each = getattr(model, name)
    each = np.reshape(each, (-1, targets)).T if name == "dual_coef_" else np.atleast_2d(each)
    if len(each) != targets:
        raise ValueError(f"y: found {targets} targets, expected {len(each)}, as in training")
    models = [copy.copy(model) for _ in each]
    for k, one in enumerate(models):
        setattr(one, name, each[k])
        for alpha in ("alpha", "alpha_"):
            if hasattr(model, alpha):
                setattr(one, alpha, np.broadcast_to(getattr(model, alpha), targets)[k])
        if name == "coef_":
            one.intercept_ = np.broadcast_to(np.ravel(model.intercept_), targets)[k]
    return models


def _rows(X: Any) -> Any:
    X = canonical(X) if is_sparse(X) else np.asarray(X)
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def _positive(data: _ask.Data) -> _ask.Data:
    """Leave out rows of weight zero."""
    targets = data.numbers if data.codes is None else data.codes
    data.X, targets, data.weights, data.kept = positive(data.X, targets, data.weights)
    data.numbers, data.codes = (targets, None) if data.codes is None else (None, targets)
    return data


def _targets(classes: np.ndarray | None, y: Any) -> dict[str, Any]:
    if y is None:
        return {}
    y = np.asarray(y)
    if classes is not None or y.ndim != 2 or y.shape[1] == 1:
        y = y.ravel()
    if classes is None:
        return {"numbers": y.astype(np.float64)}
    one_kind(y)
    y, classes = (np.asarray(a.tolist()) if a.dtype.kind == "O" else a for a in (y, classes))
    if (y.dtype.kind in "US") != (classes.dtype.kind in "US"):
        raise ValueError(f"y: found labels of the type {y.dtype}, expected those of the model's classes, {classes.dtype}")
    codes = np.searchsorted(classes, y).clip(0, len(classes) - 1)
    if not (classes[codes] == y).all():
        raise ValueError("y: found a class that the model does not know")
    return {"codes": codes.astype(np.uint32), "labels": spelled(classes)}


def own_data(model: Any, X: Any, y: Any, sample_weight: Any) -> _ask.Data:
    """Return rows as a model of this package takes them."""
    X = like(X, lambda: model.feature_names_in_[0]) if getattr(model, "_tabular", False) else _rows(X)
    classes = getattr(model, "classes_", None)
    if model.model_.metadata.get("kind") == "pca" and not getattr(model, "_named", lambda: True)():
        return _ask.Data(model._images(X)[0])
    if callable(getattr(model, "kernel", None)):
        X = np.asarray(model.kernel(X, model._rows))
    names = None if callable(getattr(model, "kernel", None)) else model._names()
    if model.model_.metadata.get("kind") == "pca":
        data = _ask.Data(X, names=names, offsets=getattr(model, "_offsets", None))
        if getattr(model, "observed", False):
            data.gapped()
        return data
    target = {} if y is None or model.model_.part("problem").get("task") == "one-class" else _targets(classes, y)
    factors = class_factors(getattr(model, "class_weight", None), np.asarray(classes), target["codes"], row_weights(sample_weight, X)) if "codes" in target else None
    data = _positive(_ask.Data(X, weights=row_weights(sample_weight, X, factors), names=names, **target))
    if getattr(model, "_kept", None) is not None:
        data.X, data.names = data.X[:, model._kept], None
    schema = model.model_.part("schema")
    if schema is not None and not isinstance(X, Table):
        data.offsets = np.array([c.get("offset", 0.0) for c in schema["columns"]])
    return data


def _own(model: Any, X: Any, y: Any, sample_weight: Any) -> Verification:
    """Recompute what a model of this package claims."""
    data = own_data(model, X, y, sample_weight)
    if model.model_.metadata.get("kind") == "pca":
        answer = _ask.about_components("pca-verify", model.model_, data)
        return Verification(PCACertificate.of(answer["certificate"]), answer["problems"], answer["unproved"])
    answer = _ask.about("verify", model.model_, data)
    return Verification(Certificate.of(answer["certificate"]), answer["problems"], answer["unproved"])


MACHINES = {"SVC": "c_svc", "NuSVC": "nu_svc", "SVR": "epsilon_svr", "NuSVR": "nu_svr", "OneClassSVM": "one_class"}


def _machine(m: Any, kind: str, X: Any, y: Any, sample_weight: Any) -> Verification:
    """Bound the gap of a machine of scikit-learn by its own support vectors."""
    if callable(m.kernel) or m.kernel == "precomputed":
        raise TypeError(f"found the kernel {m.kernel!r}, expected linear, poly, rbf or sigmoid")
    X = _rows(X)
    classes = np.asarray(m.classes_) if kind in ("SVC", "NuSVC") else None
    target = _targets(classes, y) if kind != "OneClassSVM" else {}
    if "codes" in target:
        target["labels"] = [str(i) for i in range(len(m.classes_))]
    weights = row_weights(sample_weight, X, class_factors(getattr(m, "class_weight", None), classes, target["codes"], None) if classes is not None else None)
    data = _positive(_ask.Data(X, weights=weights, **target))
    fields: dict[str, Any] = {"refine": 0}
    if kind in ("SVC", "SVR", "NuSVR"):
        fields["C"] = float(m.C)
    if kind in ("NuSVC", "NuSVR", "OneClassSVM"):
        fields["nu"] = float(m.nu)
    if kind == "SVR":
        fields["loss"] = f"epsilon-insensitive:epsilon={float(m.epsilon)!r}" if m.epsilon > 0 else "absolute"
    answer = _ask.audit(libsvm_text(m, MACHINES[kind]), data, **fields)
    return Verification(Certificate.of(answer["certificate"]), [], answer["unproved"])


def libsvm_text(m: Any, kind: str) -> bytes:
    """Return a machine of scikit-learn as the text of a model file of LIBSVM."""
    several = len(getattr(m, "classes_", ())) > 2 and kind in ("c_svc", "nu_svc")
    sign = -1.0 if kind in ("c_svc", "nu_svc") and not several else 1.0  # scikit-learn turns that of two classes
    lines = [f"svm_type {kind}", f"kernel_type {'polynomial' if m.kernel == 'poly' else m.kernel}"]
    if m.kernel == "poly":
        lines.append(f"degree {m.degree}")
    if m.kernel != "linear":
        lines.append(f"gamma {float(m._gamma)!r}")
    if m.kernel in ("poly", "sigmoid"):
        lines.append(f"coef0 {float(m.coef0)!r}")
    classes = len(m.classes_) if kind in ("c_svc", "nu_svc") else 2
    lines += [f"nr_class {classes}", f"total_sv {len(m.support_)}", "rho " + " ".join(repr(float(-sign * b)) for b in np.ravel(m.intercept_))]
    if kind in ("c_svc", "nu_svc"):
        lines += ["label " + " ".join(str(i) for i in range(classes)), "nr_sv " + " ".join(str(n) for n in m.n_support_)]
    lines.append("SV")
    coefficients = m.dual_coef_.toarray() if is_sparse(m.dual_coef_) else np.asarray(m.dual_coef_)
    rows = m.support_vectors_.toarray() if is_sparse(m.support_vectors_) else np.asarray(m.support_vectors_)
    for a, x in zip(sign * coefficients.T, rows):
        at = np.flatnonzero(x)
        lines.append(" ".join([*(repr(float(v)) for v in a), *(f"{j + 1}:{float(x[j])!r}" for j in at)]))
    return ("\n".join(lines) + "\n").encode()


def _audit(file: bytes, X: Any, y: Any, sample_weight: Any, problem: dict[str, Any]) -> Verification:
    """Bound the gap of a model in a file of LIBSVM or LIBLINEAR."""
    X = _rows(X)
    y = None if y is None else np.asarray(y).ravel()
    target: dict[str, Any] = {}
    if y is not None and file.split(b"\n")[0].split()[-1] not in (b"one_class",):
        numeric = b"epsilon_svr" in file[:200] or b"nu_svr" in file[:200] or b"SVR" in file[:200]
        target = _targets(None if numeric else np.unique(y), y)
    data = _positive(_ask.Data(X, weights=row_weights(sample_weight, X), **target))
    answer = _ask.audit(file, data, refine=int(problem.pop("refine", 100)), **problem)
    return Verification(Certificate.of(answer["certificate"]), [], answer["unproved"])


def _saved(model: Any, module: str, function: str) -> bytes:
    """Have a library write its model, and return the bytes."""
    save = getattr(__import__(module, fromlist=[function]), function)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model")
        save(path, model)
        with open(path, "rb") as file:
            return file.read()


def feature(value: float) -> str:
    """Return the bias that is the weight of a constant feature of that value."""
    return "feature" if value == 1 else f"feature:value={float(value)!r}"


def elastic(ratio: float) -> str:
    """Return the penalty of an l1_ratio."""
    return {0.0: "l2", 1.0: "l1"}.get(float(ratio), f"elastic-net:ratio={float(ratio)!r}")


def _alpha(m: Any) -> float:
    alpha = float(np.asarray(m.alpha).item())
    if not alpha > 0:
        raise TypeError(f"found alpha={alpha:g}: nothing is known to bound a problem without penalty")
    return alpha


# The twins that state the problems of linear models of scikit-learn, for those that have chosen a parameter that of the problem it was chosen for.
LINEAR = {
    **{name: name for name in ("HuberRegressor", "ElasticNet", "Lasso", "LinearRegression", "LinearSVC", "LinearSVR", "LogisticRegression", "PoissonRegressor", "QuantileRegressor", "Ridge", "RidgeClassifier", "SGDClassifier", "SGDRegressor")},
    "ElasticNetCV": "ElasticNet", "LassoCV": "Lasso", "LogisticRegressionCV": "LogisticRegression", "RidgeCV": "Ridge", "RidgeClassifierCV": "RidgeClassifier",
}  # fmt: skip
STEPS = ("copy_X", "early_stopping", "max_iter", "n_jobs", "precompute", "random_state", "selection", "solver_options", "tol", "verbose", "warm_start", "learning_rate")  # how a model was found is nothing to a bound


def _twin(m: Any) -> Any:
    """Return the twin of a linear model of scikit-learn, which has not been trained."""
    from . import sklearn as twins

    kind = getattr(twins, LINEAR[type(m).__name__])
    own, allowed = m.get_params(deep=False), kind().get_params()
    twin = kind(**{name: value for name, value in own.items() if name in allowed and name not in STEPS})
    for name in ("alpha", "l1_ratio", "C"):  # what was chosen
        found: Any = getattr(m, name + "_", None)
        if name in allowed and (found := np.ravel(found)[0]) is not None:
            twin.set_params(**{name: float(found)})
    if hasattr(m, "classes_"):
        twin.classes_ = np.asarray(m.classes_)
    return twin


def _kernel_ridge(m: Any, X: Any, y: Any, sample_weight: Any, gap: float) -> Verification:
    """Bound the gap of a kernel ridge regression of scikit-learn by a solution of its problem."""
    from .sklearn import KernelRidge

    C, X = 1 / _alpha(m), _rows(X)
    twin = KernelRidge(**m.get_params(deep=False))
    spec = {"loss": "squared", "bias": "none", "C": C, "kernel": twin._kernel(X), "scaling": "none", "gap": gap, "task": "regression"}
    if callable(m.kernel):
        X = np.asarray(m._get_kernel(X))
    data = _positive(_ask.Data(X, weights=row_weights(sample_weight, X), **_targets(None, y)))
    coef = np.asarray(m.dual_coef_, np.float64).ravel()
    if data.kept is not None:
        coef = coef[data.kept]
        data.X = data.X[:, data.kept] if spec["kernel"] == "precomputed" else data.X
    answer = _ask.certify(data, spec, coef, np.zeros(1))
    return Verification(Certificate.of(answer["certificate"]), [], answer["unproved"])


def _huber(m: Any, twin: Any, X: Any, y: Any, sample_weight: Any, gap: float) -> Verification:
    """Bound the gap of a Huber regression of scikit-learn, of weights and scale together, by the bound of its twin."""
    twin.set_params(tol=gap).fit(X, y, sample_weight)
    z = np.abs(np.asarray(y, np.float64).ravel() - np.asarray(X @ np.asarray(m.coef_, np.float64)).ravel() - m.intercept_) / m.scale_
    weights = np.ones(len(z)) if sample_weight is None else np.broadcast_to(np.asarray(sample_weight, np.float64), z.shape)
    loss = np.where(z < m.epsilon, z * z, 2 * m.epsilon * z - m.epsilon**2)
    primal, dual = float(m.scale_ * (1 + np.average(loss, weights=weights)) + m.alpha * np.square(m.coef_).sum() / weights.sum()), twin.certificate_.dual
    left = max(primal - dual, 0.0)
    return Verification(Certificate(primal, dual, left / primal, left, left / primal), [], "")


def _components(m: Any, X: Any) -> Verification:
    """Bound what the components of a PCA of scikit-learn miss, by the bound of those of its twin."""
    from .sklearn import PCA

    k = len(m.components_)
    found = PCA(k, tol=1e-7).fit(X).certificate_
    basis, centred = np.linalg.qr(np.asarray(m.components_, np.float64).T)[0], (X.toarray() if is_sparse(X) else np.asarray(X, np.float64)) - np.asarray(m.mean_, np.float64)
    captured = min(float(np.square(centred @ basis).sum() / X.shape[0]), found.upper)
    return Verification(PCACertificate(captured, found.upper, found.total, (found.upper - captured) / found.upper if found.upper > 0 else 0.0, found.failure_probability), [], "")


def _linear(m: Any, X: Any, y: Any, sample_weight: Any, gap: float) -> Verification:
    """Bound the gap of a linear model of scikit-learn by a solution of its problem."""
    if getattr(m, "refit", True) is False:
        raise TypeError("found refit=False, the mean of several models: nothing is known to bound its problem")
    X, twin = _rows(X), _twin(m)
    if type(m).__name__ == "HuberRegressor":
        return _huber(m, twin, X, y, sample_weight, gap)
    classes = getattr(m, "classes_", None)
    target = _targets(classes, y)
    factors = None
    if classes is not None and m.class_weight is not None:
        if len(classes) > 2 and type(m).__name__ == "LinearSVC" and m.multi_class != "crammer_singer":
            raise TypeError("found class weights of more than two classes, which LIBLINEAR applies to the class alone: nothing is known to bound its problem")
        factors = class_factors(m.class_weight, classes, target["codes"], None)
    data = _positive(_ask.Data(X, weights=row_weights(sample_weight, X, factors), **target))
    spec = {**twin._spec(data.X, data.weights), "epochs": None, "seconds": None, "threads": None, "task": "regression" if classes is None else "classification"}
    if spec["scaling"] != "none":
        raise TypeError("found columns of sizes that differ by more than 1e3, and no penalty: expected scaled ones")
    spec["gap"] = min(gap, spec["gap"])
    coef = m.coef_.toarray() if is_sparse(m.coef_) else np.asarray(m.coef_, np.float64)
    coef = np.atleast_2d(coef)
    intercept = np.broadcast_to(np.asarray(m.intercept_, np.float64).ravel(), (len(coef),)).copy()
    if is_joint(spec["loss"]) and len(coef) == 1:  # the difference of two classes, of which halves are the smallest
        coef, intercept = np.vstack([-coef, coef]) / 2, np.array([-intercept[0], intercept[0]]) / 2
    answer = _ask.certify(data, spec, coef, intercept)
    return Verification(Certificate.of(answer["certificate"]), [], answer["unproved"])
