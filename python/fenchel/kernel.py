"""Kernel machines: classes, numbers and outliers from sums of kernel values, with a proved
duality gap. ``fenchel list kernels`` names the kernels.
"""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from . import _ask
from ._arrays import is_sparse
from ._base import FLOATS, Certificate, Estimator, OutlierMixin, available_if, check_is_fitted, positive, row_weights, seed_of, threads_of, validate_data
from .linear import LOW, Classifier, Regressor, difference, given, is_joint, judged

__all__ = ["KernelClassifier", "KernelRegressor", "OneClass"]

MOVABLE = ("rbf", "laplacian")  # kernels of differences alone


class Machine(Estimator):
    """What kernel machines share; ``_spec`` says what to train."""

    kernel: str | Callable[..., float]
    gamma: str | float | None
    degree: float
    coef0: float
    C: float | None
    bias: str
    loss: str
    solver: str
    gap: float
    max_epochs: int | None
    max_seconds: float | None
    cache_size: float

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        """Return the problem and when to stop, as the engine's spec."""
        return {"C": given(self.C, "C"), "bias": self.bias, "loss": self.loss, **self._stop()}

    def _stop(self) -> dict[str, Any]:
        return {
            "solver": self.solver, "gap": given(self.gap, "gap"), "epochs": self.max_epochs, "seconds": self.max_seconds, "cache": int(self.cache_size * 2**20),
            "seed": seed_of(self.random_state), "threads": threads_of(self.n_jobs), "scaling": "none",
            "proved": getattr(self, "proved", None),
            **judged(self),
        }

    def _asked(self) -> float:
        result: float = self.gap
        return result

    def _kernel(self, X: Any, weights: np.ndarray | None = None) -> str:
        """Return the kernel as the engine's spec, with the gamma that suits the rows."""
        name = self.kernel
        if not isinstance(name, str):
            if not callable(name):
                raise ValueError(f"kernel={name!r}: expected a name of fenchel list kernels, or a function")
            return "precomputed"
        if ":" in name or name in ("linear", "precomputed"):
            return name
        if name in ("rbf", "laplacian", "chi2"):
            return f"{name}:gamma={self._gamma_of(X, weights)!r}"
        if name == "poly":
            return f"poly:degree={self._degree()},gamma={self._gamma_of(X, weights)!r},coef0={float(self.coef0)!r}"
        if name == "sigmoid":
            return f"sigmoid:gamma={self._gamma_of(X, weights)!r},coef0={float(self.coef0)!r}"
        return name

    def _degree(self) -> int:
        if self.degree != int(self.degree) or self.degree < 1:
            raise ValueError(f"degree={self.degree!r}: expected a whole number > 0")
        return int(self.degree)

    def _gamma_of(self, X: Any, weights: np.ndarray | None = None) -> float:
        if self.gamma in ("scale", "auto", None) and not isinstance(self.gamma, (int, float)):
            if self.gamma != "scale":
                return 1 / int(X.shape[1])
            v = _variance(X, weights)
            return 1 / (int(X.shape[1]) * v) if v > 0 else 1.0
        gamma = given(self.gamma, "gamma")
        assert gamma is not None
        return gamma

    def _learn(self, data: _ask.Data, task: str, init: Any = None) -> None:
        """Train and keep the answer; after Ctrl-C the best model, and then the exception."""
        spec = dict(self._spec(data.X, data.weights), task=task, kernel=self._kernel_of(data))
        self.kernel_, self._kept = spec["kernel"], None
        if callable(self.kernel):
            self._rows, data.X, data.names = data.X, self._square(dense(self.kernel(data.X, data.X)), data.X.shape[0]), None
        elif self.kernel_ == "precomputed":
            if is_sparse(data.X):
                raise TypeError("Sparse precomputed kernels are not supported.")
            self._square(data.everything, data.everything.shape[0])
            if data.kept is not None:
                self._kept = data.kept
                data.X, data.names = data.X[:, data.kept], None
        if self.kernel_.split(":")[0] in MOVABLE:
            data.centred()
        self._offsets = data.offsets
        answer, stopped = _ask.fit(data, spec, init)
        self.model_ = answer["model"]
        self.certificate_ = Certificate.of(answer["certificate"])
        self.n_iter_ = max(1, answer["epochs"])
        self.trace_, self.seconds_, self.solver_, self._margins = answer["trace"], answer["seconds"], answer["solver"], answer["margins"]
        self.intercept_ = self.model_.tensor("bias")
        self._local = self.model_.tensor("support.rows").astype(np.int32)
        self.support_ = self._local if data.kept is None else data.kept[self._local].astype(np.int32)
        if stopped:
            self.status_, self.gap_ = answer["status"], self.certificate_.gap
            self._shape(data)
            raise KeyboardInterrupt
        self._take(answer, self._asked())
        self._shape(data)

    def _kernel_of(self, data: _ask.Data) -> str:
        """Return the kernel for the rows, each counted by its weight."""
        return self._kernel(data.X, data.weights)

    def _square(self, K: Any, n: int) -> np.ndarray:
        if K.shape != (n, n):
            raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {K.shape[0]}x{K.shape[1]} matrix.")
        result: np.ndarray = K
        return result

    def _shape(self, data: _ask.Data) -> None:
        """Set the attributes that the kind of machine has."""
        self.dual_coef_ = self.model_.tensor("coefficients")

    @property
    def support_vectors_(self) -> Any:
        """The rows that have a coefficient, of shape (n_support, n_features), in single
        precision; a sparse matrix where rows were sparse."""
        check_is_fitted(self)
        if self.kernel_ == "precomputed":
            return np.empty((0, 0))
        values, starts = self.model_.tensor("support.values"), self.model_.tensor("support.indptr")
        if starts is None:
            return values if self._offsets is None else values + self._offsets
        from scipy.sparse import csr_matrix

        return csr_matrix((values, self.model_.tensor("support.indices").astype(np.int32), starts), shape=(len(starts) - 1, self.n_features_in_))

    def _data(self, X: Any, weights: np.ndarray | None, **target: Any) -> _ask.Data:
        return _ask.Data(X, weights=weights, names=self._names(), **target)

    def _scores(self, X: Any, probabilities: bool = False, interval: bool = False) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=FLOATS)
        if callable(self.kernel):
            X = dense(self.kernel(X, self._rows))
        elif self._kept is not None:
            X = X[:, self._kept]
        return _ask.scores(self.model_, X, self._offsets, threads_of(self.n_jobs), probabilities, interval=interval)

    def _judge(self, X: Any, **how: bool) -> np.ndarray:
        return self._scores(X, **how)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.input_tags.sparse = self.kernel != "precomputed"
        return tags


def dense(K: Any) -> np.ndarray:
    """Return what a function made of two arrays as an array."""
    return K.toarray() if is_sparse(K) else np.asarray(K)


def _variance(X: Any, weights: np.ndarray | None) -> float:
    """Return the variance of all values of X, rows counted by their weights."""
    if weights is None and not is_sparse(X):
        return float(X.var(dtype=np.float64))
    w = np.full(X.shape[0], 1 / X.shape[0]) if weights is None else weights / weights.sum()
    if is_sparse(X):
        first, second = X.sum(axis=1), X.multiply(X).sum(axis=1)
        first, second = (float(w @ np.asarray(v, np.float64).ravel()) for v in (first, second))
        result: float = second / X.shape[1] - (first / X.shape[1]) ** 2
        return result
    mean = w @ X.mean(axis=1, dtype=np.float64)
    return float(w @ ((X - mean) ** 2).mean(axis=1, dtype=np.float64))


def _calibrated(estimator: Any) -> bool:
    if estimator.probabilities is None:
        raise AttributeError("found no probabilities, expected a way to make them, such as probabilities='sigmoid'")
    return True


class KernelClassifier(Classifier, Machine):
    """A kernel machine that tells classes apart.

    Parameters
    ----------
    kernel : str or callable
        A name of ``fenchel list kernels``, or a spec with parameters, such as
        "rbf:gamma=0.1" or "poly:degree=2,gamma=1,coef0=1"; "precomputed": X is the matrix of
        its values; or a function of two arrays that returns that matrix.
    C : float, optional
        The weight of the losses, 1 if it is not given.
    gamma : "scale", "auto" or float
        Of the kernels rbf, laplacian, poly, sigmoid and chi2: "scale" is 1/(n_features
        X.var()), "auto" 1/n_features.
    degree, coef0
        Of poly and sigmoid.
    loss : str
        "hinge", "squared-hinge", "logistic", ...; "softmax" and "crammer-singer" judge all
        classes at once, and take no scheme.
    nu : float, optional
        The share of rows beyond the margin, instead of C; with the loss hinge.
    scheme : "one-against-rest" or "one-against-one"
    bias : "free", "feature" or "none"
    class_weight : dict or "balanced", optional
    solver : str
    gap : float
        The relative duality gap to be proved.
    max_epochs, max_seconds : optional
    cache_size : float
        MB of the kernel's matrix to keep.
    random_state, n_jobs, proved, probabilities, interval
        As of :class:`LinearClassifier`.

    Attributes
    ----------
    support_ : array of shape (n_support,)
    support_vectors_ : array of shape (n_support, n_features)
    dual_coef_ : array of shape (n_outputs, n_support)
    intercept_ : array of shape (n_outputs,)
    classes_, gap_, certificate_, status_, model_
        As of :class:`LinearClassifier`.

    Examples
    --------
    >>> from fenchel import KernelClassifier
    >>> X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]
    >>> KernelClassifier(C=10, gamma=1.0).fit(X, y).predict(X)
    array([0, 0, 1, 1])
    """

    def __init__(
        self, kernel: str | Callable[..., float] = "rbf", *, C: float | None = None, gamma: str | float | None = "scale", degree: float = 3, coef0: float = 0.0,
        loss: str = "hinge", nu: float | None = None, scheme: str = "one-against-rest", bias: str = "free", class_weight: dict[Any, float] | str | None = None,
        solver: str = "auto", gap: float = 1e-3, max_epochs: int | None = None, max_seconds: float | None = None, cache_size: float = 512, random_state: Any = None,
        n_jobs: int | None = None, proved: bool = False, probabilities: str | None = None, interval: float | None = None,
    ) -> None:  # fmt: skip
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.loss = loss
        self.nu = nu
        self.scheme = scheme
        self.bias = bias
        self.class_weight = class_weight
        self.solver = solver
        self.gap = gap
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.cache_size = cache_size
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.proved = proved
        self.probabilities = probabilities
        self.interval = interval

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        scheme = None if is_joint(self.loss) else self.scheme
        return {**super()._spec(X, weights), "scheme": scheme, "nu": given(self.nu, "nu")}

    def decision_function(self, X: Any) -> np.ndarray:
        """Return scores: of shape (n_samples,) for two classes, above 0 for the second; else
        of shape (n_samples, n_classes), votes and how sure they are if one against one."""
        scores = self._scores(X)
        if is_joint(self.loss) and self._counted is None:
            scores = difference(scores.T)[0].T
        if scores.shape[1] == 1 and self._counted is None:
            return scores.ravel()
        scores = self._of_all(scores)
        return votes(scores, len(self.classes_)) if self._in_pairs() else scores

    @available_if(_calibrated)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return probabilities of shape (n_samples, n_classes), with ``probabilities``."""
        return self._widen(self._judge(X, probabilities=True), 0)

    def _in_pairs(self) -> bool:
        return self.scheme == "one-against-one" and not is_joint(self.loss)

    def _of_all(self, scores: np.ndarray) -> np.ndarray:
        """Return scores, or biases, for all of ``classes_``."""
        return self._widen(scores, -1 if self._in_pairs() else LOW, self._in_pairs())

    def _shape(self, data: _ask.Data) -> None:
        self.dual_coef_ = self._widen(self.model_.tensor("coefficients").T, 0, self._in_pairs()).T
        self.intercept_ = self._of_all(self.model_.tensor("bias"))


def votes(scores: np.ndarray, classes: int) -> np.ndarray:
    """Return, of the scores of pairs, the votes for each class plus less than 1/3 for how
    sure they are, as scikit-learn does: of shape (n_samples, n_classes)."""
    count, sure = np.zeros((len(scores), classes)), np.zeros((len(scores), classes))
    k = 0
    for i in range(classes):
        for j in range(i + 1, classes):
            s = scores[:, k]
            sure[:, i] -= s
            sure[:, j] += s
            count[:, i] += s <= 0
            count[:, j] += s > 0
            k += 1
    result: np.ndarray = count + sure / (3 * (np.abs(sure) + 1))
    return result


class KernelRegressor(Regressor, Machine):
    """A kernel machine that predicts numbers.

    Parameters are those of :class:`KernelClassifier`; losses for numbers are "squared",
    "epsilon-insensitive:epsilon=0.1", "absolute", "huber", "quantile:tau=0.5" and others of
    ``fenchel list losses``. With ``nu`` the width of the tube is chosen so that this share of
    the rows is outside. Without ``C`` and with ``target_log`` as of :class:`LinearRegressor`.

    Examples
    --------
    >>> from fenchel import KernelRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 4.0, 9.0]
    >>> KernelRegressor("poly:degree=2,gamma=1,coef0=1", C=1e4, gap=1e-8).fit(X, y).predict([[4.0]]).round(1)
    array([16.])
    """

    _several = True

    def __init__(
        self, kernel: str | Callable[..., float] = "rbf", *, C: float | None = None, gamma: str | float | None = "scale", degree: float = 3, coef0: float = 0.0,
        loss: str = "squared", nu: float | None = None, bias: str = "free", solver: str = "auto", gap: float = 1e-3, max_epochs: int | None = None,
        max_seconds: float | None = None, cache_size: float = 512, random_state: Any = None, n_jobs: int | None = None, target_log: bool = False, proved: bool = False,
        interval: float | None = None,
    ) -> None:  # fmt: skip
        self.kernel = kernel
        self.C = C
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.loss = loss
        self.nu = nu
        self.bias = bias
        self.solver = solver
        self.gap = gap
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.cache_size = cache_size
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.proved = proved
        self.target_log = target_log
        self.interval = interval

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        return {**super()._spec(X, weights), "nu": given(self.nu, "nu"), "target_log": bool(self.target_log)}


class OneClass(OutlierMixin, Machine):
    """Tells outliers from rows like those of the data.

    Parameters
    ----------
    kernel, gamma, degree, coef0, gap, solver, ...
        As of :class:`KernelClassifier`.
    nu : float
        The share of rows that may be outliers.

    Attributes
    ----------
    offset_ : float
        ``decision_function`` is ``score_samples`` less this.
    support_, support_vectors_, dual_coef_, intercept_, gap_, certificate_, status_, model_
        As of :class:`KernelClassifier`.

    Examples
    --------
    >>> from fenchel import OneClass
    >>> X = [[0.0], [0.1], [0.2], [0.1], [5.0]]
    >>> OneClass(gamma=1.0, nu=0.3).fit(X).predict([[0.1], [9.0]])
    array([ 1, -1])
    """

    def __init__(
        self, kernel: str | Callable[..., float] = "rbf", *, gamma: str | float | None = "scale", degree: float = 3, coef0: float = 0.0, nu: float = 0.5,
        solver: str = "auto", gap: float = 1e-3, max_epochs: int | None = None, max_seconds: float | None = None, cache_size: float = 512, random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.nu = nu
        self.solver = solver
        self.gap = gap
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.cache_size = cache_size
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        return {**self._stop(), "nu": given(self.nu, "nu")}

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> "OneClass":
        """Train on X, an array or sparse matrix of shape (n_samples, n_features); y is not
        used. ``sample_weight`` has shape (n_samples,)."""
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS)
        everything = X
        X, _, weights, kept = positive(X, None, row_weights(sample_weight, X))
        self._total = float(X.shape[0] if weights is None else weights.sum())
        self._learn(self._data(X, weights, kept=kept, everything=everything), "one-class")
        return self

    def _shape(self, data: _ask.Data) -> None:
        # The engine's coefficients add up to 1, those that users know to nu N.
        scale = self.nu * self._total
        self.dual_coef_ = self.model_.tensor("coefficients") * scale
        self.intercept_ = self.intercept_ * scale
        self.offset_ = -float(self.intercept_[0])

    def decision_function(self, X: Any) -> np.ndarray:
        """Return scores of shape (n_samples,), below 0 for outliers."""
        return self.score_samples(X) - self.offset_

    def score_samples(self, X: Any) -> np.ndarray:
        """Return scores without the offset, of shape (n_samples,)."""
        return self._scores(X).ravel() * (self.nu * self._total) + self.offset_

    def predict(self, X: Any) -> np.ndarray:
        """Return 1 for rows like those of the data and -1 for outliers, of shape
        (n_samples,)."""
        return np.where(self.decision_function(X) >= 0, 1, -1)
