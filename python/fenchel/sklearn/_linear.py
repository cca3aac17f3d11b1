"""Linear models under the names and with the parameters of scikit-learn."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

from .._arrays import PIECE, is_sparse
from .._base import seed_of, threads_of
from .._verify import feature
from .._warn import told
from ..linear import Classifier, Linear, Regressor, probabilities
from ._common import Targets, above_zero, checked, insensitive, limit, refuse

__all__ = ["ElasticNet", "Lasso", "LinearRegression", "LinearSVC", "LinearSVR", "LogisticRegression", "Ridge"]


class LinearSVC(Classifier, Linear):
    """Twin of ``sklearn.svm.LinearSVC``: C sum_i s_i loss_i + |w|^2/2, the intercept being
    the weight of a constant feature, times its value ``intercept_scaling``.

    ``tol / 100`` is the relative duality gap to be proved. ``dual`` and ``verbose`` change
    nothing. Weights of classes multiply the rows of a class in the problem of every class;
    LIBLINEAR does so in that of the class alone, which differs for more than two classes.
    ``multi_class="crammer_singer"`` is one problem of all classes, for which ``penalty`` and
    ``loss`` change nothing.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
    intercept_ : array of shape (1,) or (n_classes,)
    classes_, n_iter_, gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import LinearSVC
    >>> LinearSVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.0], [3.0]])
    array([0, 1])
    """

    def __init__(
        self, penalty: str = "l2", loss: str = "squared_hinge", *, dual: bool | str = "auto", tol: float = 1e-4, C: float = 1.0, multi_class: str = "ovr",
        fit_intercept: bool = True, intercept_scaling: float = 1, class_weight: dict[Any, float] | str | None = None, verbose: bool | int = 0, random_state: Any = None,
        max_iter: int = 1000,
    ) -> None:  # fmt: skip
        self.penalty = penalty
        self.loss = loss
        self.dual = dual
        self.tol = tol
        self.C = C
        self.multi_class = multi_class
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        checked(self)
        refuse(self, penalty=("l2", "l1"), loss=("squared_hinge", "hinge"), multi_class=("ovr", "crammer_singer"))
        C, tol = above_zero(self, "C", "tol")
        loss, penalty = self.loss.replace("_", "-"), self.penalty
        if self.multi_class == "crammer_singer":
            loss, penalty = "crammer-singer", "l2"
        return {
            "loss": loss, "penalty": penalty, "C": C, "bias": feature(self.intercept_scaling) if self.fit_intercept else "none", "scaling": "none",
            "gap": tol / 100, **limit(self.max_iter), "seed": seed_of(self.random_state),
        }  # fmt: skip

    def _asked(self) -> float:
        return self.tol

    def _shape(self) -> None:
        if not self.fit_intercept and self._counted is None:
            self.intercept_ = 0.0


class LinearSVR(Regressor, Linear):
    """Twin of ``sklearn.svm.LinearSVR``: C sum_i s_i max(0, |y_i - f_i| - epsilon) + |w|^2/2, or with the squares of these,
    the intercept being the weight of a constant feature, times its value ``intercept_scaling``.

    ``tol / 100`` is the relative duality gap to be proved. ``dual`` and ``verbose`` change nothing.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : array of shape (1,), or 0
    n_iter_, gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import LinearSVR
    >>> LinearSVR(C=100).fit([[0.0], [1.0], [2.0]], [0.0, 1.0, 2.0]).predict([[3.0]]).round(2)
    array([3.])
    """

    def __init__(
        self, *, epsilon: float = 0.0, tol: float = 1e-4, C: float = 1.0, loss: str = "epsilon_insensitive", fit_intercept: bool = True, intercept_scaling: float = 1.0,
        dual: bool | str = "auto", verbose: bool | int = 0, random_state: Any = None, max_iter: int = 1000,
    ) -> None:  # fmt: skip
        self.epsilon = epsilon
        self.tol = tol
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.dual = dual
        self.verbose = verbose
        self.random_state = random_state
        self.max_iter = max_iter

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        checked(self)
        refuse(self, loss=("epsilon_insensitive", "squared_epsilon_insensitive"))
        C, tol = above_zero(self, "C", "tol")
        loss, times = insensitive(self.loss, self.epsilon)
        return {
            "loss": loss, "penalty": "l2", "C": C * times, "bias": feature(self.intercept_scaling) if self.fit_intercept else "none", "scaling": "none",
            "gap": tol / 100, **limit(self.max_iter), "seed": seed_of(self.random_state),
        }  # fmt: skip

    def _asked(self) -> float:
        return self.tol

    def _shape(self) -> None:
        self.coef_ = self.coef_[0]
        self.intercept_ = self.intercept_ if self.fit_intercept else 0.0


class LogisticRegression(Classifier, Linear):
    """Twin of ``sklearn.linear_model.LogisticRegression``: C sum_i s_i log(1 + exp(-y_i f_i))
    plus |w|^2/2, or with ``l1_ratio`` an elastic net. The loss of several classes is the
    multinomial one, log(sum_k exp(f_ik)) less the score of the row's class.

    ``tol / 100`` is the relative duality gap to be proved. All solvers find the same weights;
    with "liblinear" the intercept is the weight of a feature of the value ``intercept_scaling``, which is penalised. ``dual``,
    ``n_jobs`` (threads) and ``verbose`` change no result. No penalty (``C=inf``, ``penalty=None``) is one of about 1e-14 of the squares of X, as
    of :class:`LinearRegression`: rows that a plane separates, which have no best weights, get large ones. Refused: several classes with "liblinear".

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, gap_, certificate_, status_, model_
        As of :class:`LinearSVC`; n_iter_ has shape (1,).

    Examples
    --------
    >>> from fenchel.sklearn import LogisticRegression
    >>> c = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> c.predict_proba([[1.5]]).round(3)
    array([[0.5, 0.5]])
    """

    def __init__(
        self, penalty: str | None = "deprecated", *, C: float = 1.0, l1_ratio: float | None = 0.0, dual: bool = False, tol: float = 1e-4, fit_intercept: bool = True,
        intercept_scaling: float = 1, class_weight: dict[Any, float] | str | None = None, random_state: Any = None, solver: str = "lbfgs", max_iter: int = 100,
        verbose: bool | int = 0, warm_start: bool = False, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    def _announce(self) -> None:
        """Warn of parameters that scikit-learn gives up, and of those that another overrules, as it does."""
        penalty, ratio = self.penalty, self.l1_ratio
        if penalty != "deprecated":
            told("'penalty' was deprecated in version 1.8 and will be removed in 1.10 of scikit-learn. Leave it out and use l1_ratio=0 instead of penalty='l2', l1_ratio=1 instead of "
                 "penalty='l1', l1_ratio between 0 and 1 instead of penalty='elasticnet', and C=np.inf instead of penalty=None.", FutureWarning)  # fmt: skip
        elif ratio is None:
            told("'l1_ratio=None' was deprecated in version 1.8 and will trigger an error in 1.10 of scikit-learn. Use 0<=l1_ratio<=1 instead.", FutureWarning)
        if penalty in ("l1", "l2", None) and ratio is not None and 0 < ratio < 1:
            told(f"l1_ratio parameter is only used when penalty is 'elasticnet'. Got (penalty={penalty})")
        if (penalty, ratio) not in (("l1", 1), ("l2", 0)) and penalty in ("l1", "l2"):
            told(f"Inconsistent values: penalty={penalty} with l1_ratio={ratio}. penalty is deprecated. Please use l1_ratio only.")
        if penalty is None and self.C != 1.0:
            told("Setting penalty=None will ignore the C and l1_ratio parameters")

    def _term(self) -> str:
        """Return the penalty that penalty and l1_ratio stand for."""
        refuse(self, penalty=("deprecated", "l2", "l1", "elasticnet", None), solver=("lbfgs", "liblinear", "newton-cg", "newton-cholesky", "sag", "saga"))
        ratio = self.l1_ratio if self.penalty is not None else 0.0
        if self.penalty in ("l1", "l2"):
            return self.penalty
        if ratio is None and self.penalty != "elasticnet":
            ratio = 0.0
        if not isinstance(ratio, numbers.Real) or not 0 <= ratio <= 1:
            raise ValueError(f"l1_ratio={self.l1_ratio!r}: expected a number from 0 to 1")
        return {0.0: "l2", 1.0: "l1"}.get(float(ratio), f"elastic-net:ratio={float(ratio)!r}")

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        checked(self)
        self._announce()
        free = self.penalty is None or isinstance(self.C, numbers.Real) and self.C == np.inf
        C, tol = 1.0 if free else above_zero(self, "C")[0], above_zero(self, "tol")[0]
        several = len(self.classes_) > 2
        if several and self.solver == "liblinear":
            raise ValueError("The 'liblinear' solver does not support multiclass classification (n_classes >= 3): expected another solver, or OneVsRestClassifier around it")
        bias = (feature(self.intercept_scaling) if self.solver == "liblinear" else "free") if self.fit_intercept else "none"
        return {
            "loss": "softmax" if several else "logistic", "penalty": self._term(), "C": C, "bias": bias, "scaling": "none", "gap": tol / 100, **limit(self.max_iter),
            "seed": seed_of(self.random_state), "threads": threads_of(self.n_jobs), **(unpenalised(X, weights, bias == "free") if free else {}),
        }  # fmt: skip

    def _asked(self) -> float:
        return self.tol

    def _learn(self, data: Any, task: str, init: Any = None) -> None:
        before = getattr(self, "model_", None)
        if self.warm_start and before is not None and before.part("classes") == data.labels and before.part("data")["features"] == data.X.shape[1]:
            init = before if (before.part("problem")["loss"] == "softmax") == (len(self.classes_) > 2) else None
        super()._learn(data, task, init)
        if self.solver != "liblinear":
            self._typed(data.X.dtype)

    def _outputs(self, coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        problem = self.model_.part("problem")
        if problem["loss"] == "softmax" and problem["penalty"] == "l2":  # what all scores have in common says nothing
            coef, intercept = coef - coef.mean(axis=0), intercept - intercept.mean()
        return super()._outputs(coef, intercept)

    def _shape(self) -> None:
        self.n_iter_ = np.array([self.n_iter_], np.int32)

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return probabilities of shape (n_samples, n_classes)."""
        return probabilities(self.decision_function(X), joint=True)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return logarithms of probabilities, of shape (n_samples, n_classes)."""
        with np.errstate(divide="ignore"):
            result: np.ndarray = np.log(self.predict_proba(X))
            return result


def unpenalised(X: Any, weights: np.ndarray | None, centred: bool) -> dict[str, Any]:
    """Return a penalty that stands for none: alpha |w|^2, alpha 1e-14 of the sum of the squares
    of X, less the means of the columns. Rounding rows to single precision changes the weights
    more; where columns depend on each other it chooses small weights: of columns of about one
    size the smallest. Columns of sizes that differ by more than 1e3 are scaled before."""
    mean, rows = np.asarray(X.mean(axis=0), np.float64).ravel(), max(1, PIECE // X.shape[1])
    size = np.zeros(X.shape[1])
    for lo in range(0, X.shape[0], rows):
        piece = X[lo : lo + rows]
        if is_sparse(X):
            size += np.asarray(piece.multiply(piece).sum(axis=0)).ravel() - (piece.shape[0] * mean**2 if centred else 0)
        else:
            size += np.square(piece - mean if centred else piece).sum(axis=0, dtype=np.float64)
    size /= X.shape[0]
    size = size[size > (1e-7 * mean) ** 2]  # the others are constant
    scaled = size.size > 0 and size.max() > 1e6 * size.min()
    total = (float(size.size if scaled else size.sum()) or 1.0) * (X.shape[0] if weights is None else weights.sum())
    least = 1e-14
    if dependent(X, mean, centred):
        told("columns of X depend on each other, so that many weights predict the same: found are small ones")
        least = 3e-8 if X.shape[0] > X.shape[1] else least
    return {"penalty": "l2", "C": 1 / (least * total), "scaling": ("std" if centred else "max") if scaled else "none", "gap": 1e-9}


def dependent(X: Any, mean: np.ndarray, centred: bool) -> bool:
    """Tell whether columns of these means depend on each other as far as single precision can tell. Of more than
    2,000 columns only their number is compared with that of the rows."""
    rows, columns = X.shape
    if rows - centred < columns or columns > 2000:
        result: bool = rows - centred < columns
        return result
    products = np.asarray((X.T @ X).todense() if is_sparse(X) else X.T @ X, np.float64)
    if centred:
        products = products - rows * np.outer(mean, mean)
    size = np.sqrt(np.maximum(np.diag(products), 0))
    moving = size > 1e-7 * np.sqrt(rows) * np.abs(mean)  # the others are constant
    if not moving.any():
        return False
    values = np.linalg.eigvalsh(products[np.ix_(moving, moving)] / np.outer(size[moving], size[moving]))
    return bool(values[0] < 1e-13 * len(values))


def nonnegative(spec: dict[str, Any], positive: bool) -> dict[str, Any]:
    """Return spec, with a penalty of weights that are at least 0 if positive."""
    if not positive:
        return spec
    _, _, ratio = spec["penalty"].partition(":")
    return {**spec, "penalty": "nonnegative-l1" if spec["penalty"] == "l1" else "nonnegative:" + (ratio or "ratio=0")}


class LinearNumbers(Targets, Regressor, Linear):
    """What the twins of linear regressors share."""

    alpha: Any
    tol: float
    fit_intercept: bool
    max_iter: int | None
    _flat = True  # y of shape (n_samples, 1) gives what y of shape (n_samples,) does, as in scikit-learn

    def _asked(self) -> float:
        # Of least squares that leave no residuals the relative gap is one of roundings.
        return 1e-3 if self._unpenalised() else max(self.tol, 1e-12)

    def _learn(self, data: Any, task: str, init: Any = None) -> None:
        super()._learn(data, task, init)
        self._typed(data.X.dtype)

    def _shape(self) -> None:
        self.coef_ = self.coef_[0]
        self.intercept_ = self.intercept_[0] if self.fit_intercept else 0.0
        self.dual_gap_ = self.certificate_.gap_absolute

    def _gather(self, each: list[Any], columns: int) -> None:
        self.coef_ = np.array([e.coef_ for e in each])
        self.intercept_ = np.array([e.intercept_ for e in each]) if self.fit_intercept else 0.0
        self.dual_gap_, self.n_iter_ = np.array([e.dual_gap_ for e in each]), [e.n_iter_ for e in each]
        if columns == 1 and self._flat:
            self.coef_, self.dual_gap_, self.n_iter_ = self.coef_[0], self.dual_gap_[0], self.n_iter_[0]

    def predict(self, X: Any) -> np.ndarray:
        """Return a number for each row, of shape (n_samples,) or (n_samples, n_targets)."""
        scores = self._scores(X)
        several = scores.shape[1] > 1 or not self._flat and not hasattr(self, "model_")
        return scores if several else scores.ravel()

    def _unpenalised(self) -> bool:
        return isinstance(self.alpha, numbers.Real) and not isinstance(self.alpha, bool) and self.alpha == 0

    def _stop(self) -> dict[str, Any]:
        checked(self)
        if not isinstance(self.tol, (int, float, np.number)) or not self.tol >= 0:
            raise ValueError(f"tol={self.tol!r}: expected a number >= 0")
        return {"bias": "free" if self.fit_intercept else "none", "scaling": "none", "loss": "squared", **limit(self.max_iter), "seed": seed_of(self.random_state)}

    @property
    def sparse_coef_(self) -> Any:
        """``coef_`` as a sparse matrix of scipy, of shape (1, n_features)."""
        from scipy.sparse import csr_matrix

        return csr_matrix(self.coef_)


class Ridge(LinearNumbers):
    """Twin of ``sklearn.linear_model.Ridge``: sum_i s_i (y_i - f_i)^2 + alpha |w|^2.

    ``10 tol ** 2.5``, 1e-12 at most, is the relative duality gap to be proved: scikit-learn solves least squares directly.
    All solvers find the same. Targets of two dimensions are one problem each, of which ``alpha``
    may have one number each. ``alpha=0`` is least squares as of :class:`LinearRegression`.

    Attributes
    ----------
    coef_ : array of shape (n_features,) or (n_targets, n_features)
    intercept_ : float, or array of shape (n_targets,)
    n_iter_, gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import Ridge
    >>> Ridge(alpha=1e-6).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).coef_.round(4)
    array([2.])
    """

    def __init__(
        self, alpha: Any = 1.0, *, fit_intercept: bool = True, copy_X: bool = True, max_iter: int | None = None, tol: float = 1e-4, solver: str = "auto",
        positive: bool = False, random_state: Any = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.solver = solver
        self.positive = positive
        self.random_state = random_state

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        refuse(self, positive=(False, True), solver=("auto", "svd", "cholesky", "lsqr", "sparse_cg", "sag", "saga", "lbfgs"))
        if self._unpenalised():
            return nonnegative({**self._stop(), **unpenalised(X, weights, self.fit_intercept)}, self.positive)
        (alpha,) = above_zero(self, "alpha")
        return nonnegative({**self._stop(), "penalty": "l2", "C": 1 / alpha, "gap": max(min(10 * self.tol**2.5, 1e-12), 1e-14)}, self.positive)


class LinearRegression(LinearNumbers):
    """Twin of ``sklearn.linear_model.LinearRegression``: sum_i s_i (y_i - f_i)^2, and where columns
    depend on each other the smallest weights, or small ones if columns differ in size by over 1e3.

    A lower bound needs a penalty: ``gap_`` is that of the problem with alpha |w|^2, ``alpha`` 1e-14
    of the sum of the squares of X less its means, which is far below what rounding X to single
    precision changes. ``copy_X``, ``n_jobs`` (threads) and ``tol`` change nothing. Targets of two
    dimensions are one problem each.

    Attributes
    ----------
    coef_ : array of shape (n_features,) or (n_targets, n_features)
    intercept_ : float, or array of shape (n_targets,)
    gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import LinearRegression
    >>> LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).coef_.round(6)
    array([2.])
    """

    alpha, max_iter, random_state, _flat = 0.0, None, None, False

    def __init__(self, *, fit_intercept: bool = True, copy_X: bool = True, tol: float = 1e-6, n_jobs: int | None = None, positive: bool = False) -> None:
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.tol = tol
        self.n_jobs = n_jobs
        self.positive = positive

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        refuse(self, positive=(False, True))
        return nonnegative({**self._stop(), "threads": threads_of(self.n_jobs), **unpenalised(X, weights, self.fit_intercept)}, self.positive)


class Lasso(LinearNumbers):
    """Twin of ``sklearn.linear_model.Lasso``: sum_i s_i (y_i - f_i)^2 / (2 sum s) + alpha |w|_1.

    ``tol / 100`` is the relative duality gap to be proved. ``precompute``, ``copy_X`` and
    ``selection`` change nothing. Targets of two dimensions are one problem each. ``alpha=0`` is
    least squares as of :class:`LinearRegression`.

    Attributes
    ----------
    coef_ : array of shape (n_features,) or (n_targets, n_features)
    intercept_ : float, or array of shape (n_targets,)
    dual_gap_ : float, or array of shape (n_targets,)
        The absolute gap.
    n_iter_, gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import Lasso
    >>> Lasso(0.1).fit([[0.0, 1.0], [1.0, 0.9], [2.0, 1.0]], [1.0, 3.0, 5.0]).coef_.round(2)
    array([1.85, 0.  ])
    """

    def __init__(
        self, alpha: Any = 1.0, *, fit_intercept: bool = True, precompute: Any = False, copy_X: bool = True, max_iter: int = 1000, tol: float = 1e-4,
        warm_start: bool = False, positive: bool = False, random_state: Any = None, selection: str = "cyclic",
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.precompute = precompute
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start
        self.positive = positive
        self.random_state = random_state
        self.selection = selection

    def fit(self, X: Any, y: Any, sample_weight: Any = None, check_input: bool = True) -> Any:
        """Train on X of shape (n_samples, n_features) and y of shape (n_samples,) or (n_samples,
        n_targets); ``sample_weight`` has shape (n_samples,). ``check_input`` changes nothing."""
        return super().fit(X, y, sample_weight)

    def _penalty(self) -> str:
        return "l1"

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        refuse(self, positive=(False, True), selection=("cyclic", "random"))
        penalty = self._penalty()
        if self._unpenalised():
            return nonnegative({**self._stop(), **unpenalised(X, weights, self.fit_intercept)}, self.positive)
        (alpha,) = above_zero(self, "alpha")
        return nonnegative({**self._stop(), "penalty": penalty, "lambda": alpha, "gap": max(self.tol / 100, 1e-14)}, self.positive)

    def _learn(self, data: Any, task: str, init: Any = None) -> None:
        before = getattr(self, "model_", None)
        if self.warm_start and before is not None and before.part("data")["features"] == data.X.shape[1]:
            init = before
        super()._learn(data, task, init)


class ElasticNet(Lasso):
    """Twin of ``sklearn.linear_model.ElasticNet``: as :class:`Lasso`, with the penalty
    alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2/2).

    Examples
    --------
    >>> from fenchel.sklearn import ElasticNet
    >>> ElasticNet(0.1).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).coef_.round(3)
    array([1.791])
    """

    def __init__(
        self, alpha: Any = 1.0, *, l1_ratio: float = 0.5, fit_intercept: bool = True, precompute: Any = False, max_iter: int = 1000, copy_X: bool = True,
        tol: float = 1e-4, warm_start: bool = False, positive: bool = False, random_state: Any = None, selection: str = "cyclic",
    ) -> None:  # fmt: skip
        super().__init__(
            alpha, fit_intercept=fit_intercept, precompute=precompute, copy_X=copy_X, max_iter=max_iter, tol=tol, warm_start=warm_start,
            positive=positive, random_state=random_state, selection=selection,
        )  # fmt: skip
        self.l1_ratio = l1_ratio

    def _penalty(self) -> str:
        ratio = self.l1_ratio
        if not isinstance(ratio, numbers.Real) or not 0 <= ratio <= 1:
            raise ValueError(f"l1_ratio={ratio!r}: expected a number from 0 to 1")
        return {0.0: "l2", 1.0: "l1"}.get(float(ratio), f"elastic-net:ratio={float(ratio)!r}")
