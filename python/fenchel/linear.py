"""Linear models: classes and numbers from sums of features, with a proved duality gap.

The objective is (1/N) sum_i s_i loss(<w,x_i> + b, y_i) + lambda penalty(w), with the weights
s_i of the rows, which sum to N, and lambda = 1/(C N). ``fenchel list losses`` and ``list
penalties`` name the terms.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _ask
from ._arrays import is_sparse
from ._base import (
    FLOATS, Certificate, ClassifierMixin, Estimator, Mixin, RegressorMixin, available_if, check_is_fitted, class_factors, counted, encode, positive, row_weights,
    seed_of, spelled, threads_of,
)
from ._table import Table, taken

__all__ = ["LinearClassifier", "LinearRegressor"]

LOW = -(2.0**100)  # the score of a class of which no row counts: below all others, exact in single precision, and of probability 0


class Predictor(Estimator):
    """What linear models and networks share; ``_spec`` says what to train."""

    loss: Any  # a name, or None: by the task
    penalty: str | None
    C: float | None
    lam: float | None
    bias: str
    scale: str | None
    solver: str
    gap: float | None
    max_epochs: int | None
    max_seconds: float | None

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        """Return the problem and when to stop, as the engine's spec."""
        if self.lam is not None and self.C is not None:
            raise ValueError(f"lam={self.lam}, C={self.C}: expected one of the two, as C = 1/(lam N)")
        return {
            "loss": self.loss, "penalty": self.penalty, "C": given(self.C, "C"), "lambda": given(self.lam, "lam"), "bias": self.bias, "scaling": self.scale,
            "solver": self.solver, "gap": given(self.gap, "gap"), "epochs": self.max_epochs, "seconds": self.max_seconds, "seed": seed_of(self.random_state), "threads": threads_of(self.n_jobs),
            "proved": getattr(self, "proved", None),
            **judged(self),
        }

    def _data(self, X: Any, weights: np.ndarray | None, **target: Any) -> _ask.Data:
        return _ask.Data(X, weights=weights, names=self._names(), **target)


class Linear(Predictor):
    """What linear classifiers and regressors share."""

    coef_: Any  # an array, or a sparse matrix
    intercept_: Any  # an array, or a number

    gap: float

    def _asked(self) -> float:
        return self.gap

    def _learn(self, data: _ask.Data, task: str, init: Any = None) -> None:
        """Train and keep the answer; after Ctrl-C the best model, and then the exception."""
        spec = dict(self._spec(data.X, data.weights), task=task)
        if spec["bias"] == "free":
            data.centred()
        answer, stopped = _ask.fit(data, spec, init)
        self._offsets = data.offsets
        self.model_ = answer["model"]
        self.certificate_ = Certificate.of(answer["certificate"])
        self.coef_, self.intercept_ = self._outputs(*self.model_.weights())
        self.n_iter_ = max(int(getattr(self, "max_iter", None) != 0), answer["epochs"])
        self.trace_, self.seconds_, self.solver_ = answer["trace"], answer["seconds"], answer["solver"]
        if stopped:
            self.status_, self.gap_ = answer["status"], self.certificate_.gap
            self._shape()
            raise KeyboardInterrupt
        self._take(answer, self._asked())
        self._shape()

    def _outputs(self, coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return weights and biases of the outputs that users expect."""
        return coef, intercept

    def _shape(self) -> None:
        """Give coef_ and intercept_ the shapes that users expect."""

    def _typed(self, dtype: Any) -> None:
        """Give coef_ and intercept_ the precision of the rows, as scikit-learn has it."""
        if dtype == np.float32:
            self.coef_, self.intercept_ = self.coef_.astype(dtype), np.asarray(self.intercept_, dtype)[()]

    def _scores(self, X: Any, probabilities: bool = False, interval: bool = False) -> np.ndarray:
        check_is_fitted(self)
        X = taken(self, X, reset=False, accept_sparse="csr", dtype=FLOATS)
        if isinstance(X, Table):
            part, rest = self._outputs((scores := _ask.scores(self.model_, X, None, threads_of(self.n_jobs))).T, np.zeros(scores.shape[1]))
            result: np.ndarray = part.T + rest
            return result
        coef = self.coef_ if is_sparse(self.coef_) else np.atleast_2d(self.coef_)
        out = X @ coef.T
        result = (out.toarray() if is_sparse(out) else np.asarray(out)) + self.intercept_
        return result

    def _judge(self, X: Any, **how: bool) -> np.ndarray:
        """Return what the engine says of rows by what was fitted to rows of other folds."""
        check_is_fitted(self)
        X = taken(self, X, reset=False, accept_sparse="csr", dtype=FLOATS)
        return _ask.scores(self.model_, X, self._offsets, threads_of(self.n_jobs), **how)

    def sparsify(self) -> "Linear":
        """Store ``coef_`` as a sparse matrix of scipy, which predicts faster if most are zero."""
        check_is_fitted(self)
        if not is_sparse(self.coef_):
            from scipy.sparse import csr_matrix

            self.coef_ = csr_matrix(self.coef_)
        return self

    def densify(self) -> "Linear":
        """Store ``coef_`` as an array."""
        check_is_fitted(self)
        if is_sparse(self.coef_):
            self.coef_ = self.coef_.toarray()
        return self


def given(x: Any, name: str) -> float | None:
    """Refuse what is no number above zero."""
    if x is None:
        return None
    if not isinstance(x, (int, float, np.integer, np.floating)) or isinstance(x, bool) or not x > 0 or not np.isfinite(x):
        raise ValueError(f"{name}={x!r}: expected a number > 0")
    return float(x)


def judged(estimator: Any) -> dict[str, Any]:
    """Return what an estimator asks of folds: probabilities, or intervals or sets; nothing where it does not."""
    way, level = getattr(estimator, "probabilities", None), getattr(estimator, "interval", None)
    spec: dict[str, Any] = {}
    if way is not None:
        spec.update(probabilities=True, calibrator=str(way))
    if level is not None:
        spec["interval"] = given(level, "interval")
    return spec


def _has_interval(estimator: Any) -> bool:
    if getattr(estimator, "interval", None) is None:
        raise AttributeError("found no interval, expected a level such as interval=0.9")
    return True


def is_joint(loss: Any) -> bool:
    """Return whether a loss judges the scores of all classes at once."""
    return loss in ("softmax", "crammer-singer")


def difference(*outputs: np.ndarray) -> Any:
    """Return of arrays with a row for each of two classes one row, of the second less the
    first: all that predictions depend on. Other numbers of rows stay."""
    return tuple(a[1:] - a[:1] if len(a) == 2 else a for a in outputs)


class Proved(Mixin):
    """What is proved of the predictions of linear models and kernel machines."""

    def _bounds(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        X = taken(self, X, reset=False, accept_sparse="csr", dtype=FLOATS)
        return _ask.scores(self.model_, X, self._offsets, threads_of(self.n_jobs), bounds=True)

    def proved_interval(self, X: Any) -> np.ndarray:
        """Return the lowest and the highest score that an exact optimum of the problem can give to each row: of
        shape (n_samples, 2), or (n_samples, n_outputs, 2) of several classes or targets. Regressors: the predictions.

        The estimator must have ``proved=True``, or no free bias, and a penalty that is strongly convex (l2, elastic-net).
        """
        bounds = self._bounds(X)[:, :-1]
        bounds = self._numbers(bounds.reshape(len(bounds), -1, 2))
        return bounds[:, 0] if bounds.shape[1] == 1 else bounds

    def _numbers(self, scores: np.ndarray) -> np.ndarray:
        """Return what is predicted by scores."""
        return scores


class Classifier(Proved, ClassifierMixin):
    """What linear and kernel classifiers share."""

    class_weight: Any
    _counted: np.ndarray | None = None  # the places in classes_ of those of which rows count, None: all

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            float64 stays so where the solver that is chosen reads it (``newton`` and ``covariance``: smooth losses and few
            features), else rows are rounded to float32: ``model_.precision`` tells. LinearClassifier and LinearRegressor take tables of pandas, polars or pyarrow too, with texts, categories, dates and missing numbers, and lists of texts.
        y : array of shape (n_samples,)
            Classes: numbers or strings.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts; zero leaves it out. A class of which no row counts stays
            in ``classes_`` and is never predicted: its weights are zeros, its bias is -2^100, its
            probability 0; one against one it loses each pair by 1.

        Returns
        -------
        self
        """
        X, y = taken(self, X, y, accept_sparse="csr", dtype=FLOATS)
        classes, codes = encode(y)
        own = row_weights(sample_weight, X)
        weights = row_weights(sample_weight, X, self._factors(classes, codes, own))
        everything = X
        X, codes, weights, kept = positive(X, codes, weights)
        codes, labels, there = counted(codes, spelled(classes))
        if len(labels) < 2 and kept is not None:
            raise ValueError("Invalid input - all samples with positive weights belong to the same class.")
        if len(labels) < 2:
            raise ValueError(f"This solver needs samples of at least 2 classes in the data, but the data contains only one class: {classes[0]!r}")
        self.classes_, self._counted = classes, there
        self._learn(self._data(X, weights, codes=codes, labels=labels, kept=kept, everything=everything), "classification")
        if getattr(self, "proved", False):
            self.sure_ = self._bounds(everything)[:, -1] == 1
        return self

    def _factors(self, classes: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray | None:
        """Return what class_weight multiplies the weight of each row by, None: nothing."""
        return class_factors(self.class_weight, classes, codes, weights)

    def _outputs(self, coef: np.ndarray, intercept: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self._counted is None:
            return difference(coef, intercept) if is_joint(self.model_.part("problem")["loss"]) else (coef, intercept)
        return self._widen(coef.T, 0).T, self._widen(intercept, LOW)

    def _widen(self, outputs: np.ndarray, absent: float, pairs: bool = False) -> np.ndarray:
        """Return what the engine has of each output, on the last axis, for all of ``classes_``: of
        those of which no row counts ``absent``, in ``pairs`` against others its opposite if they
        are the first. One output of two classes becomes one of each."""
        if self._counted is None:
            return outputs
        there = np.isin(np.arange(len(self.classes_)), self._counted)
        fill = np.full(len(there), float(absent))
        if pairs:
            first, second = np.triu_indices(len(there), 1)
            fill = np.where(there[first], absent, -absent)
            there = there[first] & there[second]
        elif outputs.shape[-1] == 1:
            outputs = np.concatenate([-outputs, outputs], axis=-1)
        out = np.empty((*outputs.shape[:-1], len(there)))
        out[...], out[..., there] = fill, outputs
        return out

    def decision_function(self, X: Any) -> np.ndarray:
        """Return scores: of shape (n_samples,) for two classes, above 0 for the second; else
        of shape (n_samples, n_classes)."""
        scores = self._scores(X)
        return scores.ravel() if scores.shape[1] == 1 else scores

    @available_if(_has_interval)
    def predict_set(self, X: Any) -> np.ndarray:
        """Return the set of classes of each row, which holds the true one with the probability ``interval``:
        booleans of shape (n_samples, n_classes), in the order of ``classes_``. What is guaranteed depends on how the sets are made: see
        docs/certificates.md, "Intervals and sets with coverage"."""
        return self._widen(self._judge(X, interval=True), 0) > 0

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each row, of shape (n_samples,)."""
        scores = self.decision_function(X)
        result: np.ndarray = self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]
        return result


def probabilities(scores: np.ndarray, joint: bool = False) -> np.ndarray:
    """Return one probability per class of log-odds; those of several classes, each against
    the rest, are divided by their sum. ``joint``: of the scores of a loss of all classes."""
    if joint and scores.ndim == 2:
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        result: np.ndarray = p / p.sum(axis=1, keepdims=True)
        return result
    p = np.exp(-np.logaddexp(0, -scores))
    if p.ndim == 1:
        return np.column_stack([1 - p, p])
    total = p.sum(axis=1, keepdims=True)
    there = scores != LOW
    result = np.divide(p, total, out=(there / there.sum(axis=1, keepdims=True)).astype(p.dtype), where=total > 0)
    return result


def _probabilistic(estimator: Any) -> bool:
    if getattr(estimator, "probabilities", None) is None and str(estimator.loss).split(":")[0] not in ("logistic", "softmax"):
        raise AttributeError(f"loss={estimator.loss!r} gives no probabilities: expected logistic or softmax")
    return True


class LinearClassifier(Classifier, Linear):
    """A linear classifier; several classes are told apart one against the rest, or all at once
    by the losses softmax and crammer-singer.

    Parameters
    ----------
    loss : str
        A name of ``fenchel list losses``, with parameters: "hinge", "squared-hinge",
        "logistic", "huber-hinge:width=0.5", "softmax".
    penalty : str
        "l2", "l1", "elastic-net:ratio=0.5", "group:size=4".
    C, lam : float, optional
        The weight of the losses, or of the penalty: lam = 1/(C N). C is 1 if neither is given.
    bias : "free", "feature", "feature:value=10" or "none"
    scale : "none", "max" or "std"
        Scale features before training; ``coef_`` are for features as they are.
    class_weight : dict or "balanced", optional
        Multiplies the weights of the rows of a class.
    solver : str
    gap : float
        The relative duality gap to be proved.
    max_epochs, max_seconds : optional
        Limits; the model then is the best so far, and ``status_`` says so.
    random_state : int, RandomState or None
        None is seed 0: results repeat.
    n_jobs : int, optional
        Threads, None: all. It never changes a result.
    proved : bool
        Bound where the exact optimum is, for :meth:`proved_interval`.
    probabilities : "sigmoid", "isotonic", "temperature" or "auto", optional
        Calibrate ``predict_proba`` by five folds, a training for each; "auto" takes the way of the least
        log loss on folds that it was not fitted to. None: those of the losses logistic and softmax.
    interval : float, optional
        A level such as 0.9, for ``predict_set``, by five folds.
    table : dict, optional
        How columns of a table become features: ``text``, ``categorical``, ``numeric``, ``ignore``, ``missing`` (lists), ``dates``,
        and of texts ``ngrams`` ("1..2", "chars:3..5"), ``words``, ``hash``, ``min_count``, ``max_share``, ``term_weights``, ``cross``, as the flags of these names.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
    intercept_ : array of shape (1,) or (n_classes,)
    classes_ : array of shape (n_classes,)
    gap_ : float
    certificate_ : Certificate
    status_ : str
        "converged", "epoch-limit", "time-limit", "stalled", "diverged" or "interrupted".
    model_ : Model
        ``model_.save(path)`` writes it for the command line.
    sure_ : array of bool of shape (n_samples,)
        With ``proved``: where every exact optimum of the problem predicts the class that this model does.

    Examples
    --------
    >>> from fenchel import LinearClassifier
    >>> c = LinearClassifier("logistic").fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"])
    >>> c.predict([[0.5], [2.5]])
    array(['a', 'b'], dtype='<U1')
    >>> c.status_, c.gap_ <= 1e-3
    ('converged', True)
    """

    _tables = True

    def __init__(
        self, loss: str = "hinge", penalty: str = "l2", *, C: float | None = None, lam: float | None = None, bias: str = "free", scale: str = "none",
        class_weight: dict[Any, float] | str | None = None, solver: str = "auto", gap: float = 1e-3, max_epochs: int | None = None, max_seconds: float | None = None,
        random_state: Any = None, n_jobs: int | None = None, proved: bool = False, probabilities: str | None = None, interval: float | None = None,
        table: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.penalty = penalty
        self.C = C
        self.lam = lam
        self.bias = bias
        self.scale = scale
        self.class_weight = class_weight
        self.solver = solver
        self.gap = gap
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.proved = proved
        self.probabilities = probabilities
        self.interval = interval
        self.table = table

    @available_if(_probabilistic)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return probabilities of shape (n_samples, n_classes), with the losses logistic and
        softmax, or ``probabilities``."""
        if self.probabilities is not None:
            return self._widen(self._judge(X, probabilities=True), 0)
        return probabilities(self.decision_function(X), is_joint(self.loss))


class Regressor(Proved, RegressorMixin):
    """What linear and kernel regressors share."""

    _several = False  # whether y may have several columns

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
            float64 stays so where the solver that is chosen reads it (``newton`` and ``covariance``: smooth losses and few
            features), else rows are rounded to float32: ``model_.precision`` tells. LinearClassifier and LinearRegressor take tables of pandas, polars or pyarrow too, with texts, categories, dates and missing numbers, and lists of texts.
        y : array of shape (n_samples,) or (n_samples, n_targets)
            Targets of two dimensions are one problem each, solved together.
        sample_weight : array of shape (n_samples,), optional
            How often each row counts; zero leaves it out.

        Returns
        -------
        self
        """
        X, y = taken(self, X, y, accept_sparse="csr", dtype=FLOATS, y_numeric=True, multi_output=self._several)
        y = y.ravel() if y.ndim == 2 and y.shape[1] == 1 else y
        everything = X
        X, y, weights, kept = positive(X, y, row_weights(sample_weight, X))
        self._learn(self._data(X, weights, numbers=np.asarray(y, np.float64), kept=kept, everything=everything), "regression")
        return self

    @available_if(_has_interval)
    def predict_interval(self, X: Any) -> np.ndarray:
        """Return the lower and upper end of an interval for each row, of shape (n_samples, 2), which holds the
        true number with the probability ``interval``: of least squares by models without one row each (jackknife+), of other
        linear models by those of five folds (CV+), which guarantees 2 interval - 1 and gives about ``interval``; else by errors of folds, without a guarantee. Nothing is guaranteed of groups, or of rows in order of time."""
        return self._judge(X, interval=True)

    def predict(self, X: Any) -> np.ndarray:
        """Return a number for each row, of shape (n_samples,), or (n_samples, n_targets) of several
        targets: with the loss poisson the mean."""
        scores = self._scores(X)
        return self._numbers(scores.ravel() if scores.shape[1] == 1 else scores)

    def _numbers(self, scores: np.ndarray) -> np.ndarray:
        logarithms = getattr(self, "target_log", False) or str(getattr(self, "loss", "")).split(":")[0] == "poisson"
        return np.exp(scores) if logarithms else scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = self._several
        return tags


class LinearRegressor(Regressor, Linear):
    """A linear regressor: least squares, or another loss.

    Parameters are those of :class:`LinearClassifier`; losses for numbers are "squared",
    "absolute", "huber:delta=1", "epsilon-insensitive:epsilon=0.1", "quantile:tau=0.9",
    "poisson" and others of ``fenchel list losses``. Without ``C`` and ``lam`` C, and widths that
    are not given, follow the scale of y (``fenchel help options``); "huber:delta=50%" always does.

    Parameters
    ----------
    target_log : bool
        The logarithm of y, which must be above 0, is learned, and ``predict`` returns exponentials.
    interval : float, optional
        A level such as 0.9, for ``predict_interval``: by models of five folds, or without one row each.

    Attributes
    ----------
    coef_ : array of shape (n_features,), or (n_targets, n_features) of several targets
    intercept_ : float, or array of shape (n_targets,)
    gap_, certificate_, status_, model_
        As of :class:`LinearClassifier`.

    Examples
    --------
    >>> from fenchel import LinearRegressor
    >>> r = LinearRegressor(C=1e4, gap=1e-9).fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> float(r.coef_[0].round(3)), round(float(r.intercept_), 3)
    (2.0, 1.0)
    """

    _several = _tables = True

    def __init__(
        self, loss: str = "squared", penalty: str = "l2", *, C: float | None = None, lam: float | None = None, bias: str = "free", scale: str = "none",
        solver: str = "auto", gap: float = 1e-3, max_epochs: int | None = None, max_seconds: float | None = None, random_state: Any = None, n_jobs: int | None = None,
        target_log: bool = False, proved: bool = False, interval: float | None = None, table: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.penalty = penalty
        self.C = C
        self.lam = lam
        self.bias = bias
        self.scale = scale
        self.solver = solver
        self.gap = gap
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.proved = proved
        self.target_log = target_log
        self.interval = interval
        self.table = table

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        return {**super()._spec(X, weights), "target_log": bool(self.target_log)}

    def _shape(self) -> None:
        if len(self.coef_) == 1:
            self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
