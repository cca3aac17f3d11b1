"""What all estimators share: scikit-learn's classes where it is installed, targets, weights,
and what an answer of the engine leaves in an estimator.
"""

from __future__ import annotations

import numbers
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ._model import Model, model_of
from ._warn import told

if TYPE_CHECKING:  # the same for all who check, with scikit-learn or without
    from ._plain import (
        BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, ConvergenceWarning, NotFittedError, OutlierMixin, RegressorMixin, TransformerMixin,
        available_if, check_classification_targets, check_is_fitted, check_sample_weight, validate_data,
    )
else:
    try:
        from sklearn.base import BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, OutlierMixin, RegressorMixin, TransformerMixin
        from sklearn.exceptions import ConvergenceWarning, NotFittedError
        from sklearn.utils.metaestimators import available_if
        from sklearn.utils.multiclass import check_classification_targets
        from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

        def check_sample_weight(sample_weight: Any, X: Any) -> np.ndarray:
            try:
                return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            except TypeError:  # before 1.8 or so
                return _check_sample_weight(sample_weight, X, dtype=np.float64, only_non_negative=True)

    except ImportError:
        from ._plain import (  # noqa: F401
            BaseEstimator, ClassifierMixin, ClassNamePrefixFeaturesOutMixin, ConvergenceWarning, NotFittedError, OutlierMixin, RegressorMixin, TransformerMixin,
            available_if, check_classification_targets, check_is_fitted, check_sample_weight, validate_data,
        )

__all__ = [
    "FLOATS", "BaseEstimator", "Certificate", "ClassNamePrefixFeaturesOutMixin", "ClassifierMixin", "ConvergenceWarning", "Estimator", "Mixin", "NotFittedError", "OutlierMixin", "PCACertificate", "RegressorMixin",
    "TransformerMixin", "available_if", "check_classification_targets", "check_is_fitted", "check_sample_weight", "checked_weights", "class_factors", "counted", "encode", "one_kind", "positive", "row_weights",
    "seed_of", "spelled", "threads_of", "validate_data",
]  # fmt: skip

FLOATS = (np.float64, np.float32)


@dataclass(frozen=True)
class Certificate:
    """What is proved of a model: no weights have an objective below ``dual``.

    ``primal`` is the objective of the model, ``gap`` the relative and ``gap_absolute`` the
    absolute difference, ``gap_worst`` the largest relative gap of a class; NaN where there
    is no proof.

    >>> Certificate.of({"primal": 2.0, "dual": 1.0, "gap": 0.5, "gap_absolute": 1.0, "gap_worst": 0.5}).gap
    0.5
    """

    primal: float
    dual: float
    gap: float
    gap_absolute: float
    gap_worst: float

    @classmethod
    def of(cls, fields: dict[str, Any]) -> "Certificate":
        """Make it of the answer of the engine."""
        return cls(*(_number(fields[name]) for name in ("primal", "dual", "gap", "gap_absolute", "gap_worst")))


@dataclass(frozen=True)
class PCACertificate:
    """What is proved of components: they capture at least ``captured`` of the variance
    ``total``, as many others at most ``upper``; variances are means over the rows. ``gap`` is
    the share of ``upper`` that may be missing, NaN for a stream, of which nothing is proved.

    >>> PCACertificate(0.9, 1.0, 2.0, 0.1, 0.0).gap
    0.1
    """

    captured: float
    upper: float
    total: float
    gap: float
    failure_probability: float

    @classmethod
    def of(cls, fields: dict[str, Any]) -> "PCACertificate":
        """Make it of the answer of the engine."""
        return cls(*(_number(fields[name]) for name in ("captured", "upper", "total", "gap", "failure_probability")))


def _number(x: Any) -> float:
    return float("nan") if x is None else float(x)


def _shown(x: Any) -> str:
    return "unknown" if x is None else f"{x:.9g}"


class Estimator(BaseEstimator):
    """Adds what is proved to an estimator of scikit-learn."""

    n_features_in_: int
    gap_: float
    status_: str
    certificate_: Any  # a Certificate, or one for each target, or a PCACertificate
    model_: Model
    n_iter_: Any
    n_jobs: int | None
    random_state: Any

    def _take(self, answer: dict[str, Any], asked: float) -> None:
        """Keep what the engine has answered: ``asked`` is the gap below which no one is warned."""
        self.status_ = "epoch-limit" if answer["status"] == "time-limit" and getattr(self, "max_iter", None) == 0 else answer["status"]
        if getattr(self, "verbose", 0):
            for line in answer.get("trace", ()):
                print(f"{type(self).__name__}: output {line['output']}, epoch {line['epoch']}, {line['seconds']:.2f} s: objective {_shown(line['primal'])}, proved at least {_shown(line['dual'])}, relative gap {_shown(line['gap'])}")
        self.gap_ = self.certificate_.gap
        for text in answer.get("warnings", []):
            if self.gap_ <= asked and "allows for rounding errors" in text:
                continue  # the gap asked of the engine is smaller than that of which anyone is warned
            told(text)
        if self.status_ != "converged" and not self.gap_ <= asked and not answer.get("unproved"):
            told(f"{type(self).__name__} ended with status {self.status_} and a proved relative gap of {self.gap_:.3g}, above the {asked:.3g} asked for", ConvergenceWarning)

    def to_onnx(self, path: Any) -> None:
        """Write a graph of ONNX that says what ``fenchel predict`` does of ``model_``; see :meth:`Model.to_onnx`."""
        model_of(self, "to_onnx").to_onnx(path)

    def report(self, path: Any, X: Any, y: Any = None, sample_weight: Any = None, **how: Any) -> None:
        """Write the page of :func:`fenchel.report`, which says what the other parameters are."""
        from ._report import report

        report(self, X, y, sample_weight, **how).save(path)

    def _names(self) -> list[str] | None:
        names = getattr(self, "feature_names_in_", None)
        return None if names is None else [str(n) for n in names]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


if TYPE_CHECKING:

    class Mixin(Estimator):
        """What a class that is mixed in may ask of the estimator that it becomes a part of."""

        _offsets: np.ndarray | None

        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
            raise NotImplementedError

        def predict(self, X: Any) -> np.ndarray:
            raise NotImplementedError

        def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
            raise NotImplementedError

        def _widen(self, outputs: np.ndarray, absent: float, pairs: bool = False) -> np.ndarray:
            raise NotImplementedError

        def _data(self, X: Any, weights: np.ndarray | None, **target: Any) -> Any:
            raise NotImplementedError

        def _learn(self, data: Any, task: str, init: Any = None) -> None:
            raise NotImplementedError

        def _typed(self, dtype: Any) -> None:
            raise NotImplementedError

        def _scores(self, X: Any, probabilities: bool = False, interval: bool = False) -> np.ndarray:
            raise NotImplementedError

        def _judge(self, X: Any, **how: bool) -> np.ndarray:
            raise NotImplementedError
else:
    Mixin = object


def seed_of(random_state: Any) -> int:
    """Return a seed: 0 for None, as the engine's results are repeatable by default."""
    if random_state is None:
        return 0
    if isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool):
        return int(random_state)
    return int(random_state.randint(2**31 - 1))


def threads_of(n_jobs: int | None) -> int:
    """Return the number of threads that n_jobs stands for, as scikit-learn counts jobs: -1 are all, -2 all but one; None are all too, as of the threads of numpy. 0: all."""
    if n_jobs is None or n_jobs == -1:
        return 0
    if not isinstance(n_jobs, numbers.Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs={n_jobs!r}: expected a whole number that is not 0, or None")
    return int(n_jobs) if n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))


def spelled(classes: np.ndarray) -> list[str]:
    """Return classes as the labels of a model file. Labels that the program would order
    otherwise than numpy does, or cannot hold, are their places."""
    if classes.dtype.kind in "iu" or classes.dtype.kind == "f" and np.isfinite(classes).all():
        labels = [str(c.item()) for c in classes]
    else:
        labels = [str(c) for c in classes]
        plain = all(isinstance(c, (str, np.str_, bool, np.bool_)) for c in classes) and len(set(labels)) == len(labels)
        if not plain or any(not s or s != s.strip() or _reads_as_number(s) for s in labels) or labels != sorted(labels):
            labels = [str(i) for i in range(len(classes))]
    return labels


def _reads_as_number(text: str) -> bool:
    try:
        float(text)
        return True
    except ValueError:
        return False


def one_kind(y: np.ndarray) -> None:
    """Refuse labels that have no order: numbers beside strings, or what is neither."""
    if y.dtype.kind == "O":
        types = set(map(type, y.ravel().tolist()))
        if len({numbers.Real if issubclass(t, (numbers.Real, np.bool_)) else t for t in types}) > 1:
            raise ValueError(f"y: found labels of the types {', '.join(sorted(t.__name__ for t in types))}, expected numbers alone or strings alone")


def encode(y: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the classes, sorted, and the place of each row's class."""
    one_kind(y)
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return classes, codes.reshape(-1).astype(np.uint32)


def class_factors(class_weight: Any, classes: np.ndarray, codes: np.ndarray, weights: np.ndarray | None) -> np.ndarray | None:
    """Return the factor of each row by its class, None if all are 1."""
    if class_weight is None:
        return None
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f"class_weight={class_weight!r}: expected 'balanced', None or a dict from class to weight")
        rows = np.bincount(codes, weights, minlength=len(classes))
        there = rows > 0  # classes of which no row counts change nothing
        factors = np.divide(rows.sum(), there.sum() * rows, out=np.zeros(len(classes)), where=there)
    else:
        factors = np.ones(len(classes))
        known = checked_weights(class_weight, classes)
        for at, label in enumerate(classes.tolist()):
            factors[at] = known.get(label, 1)
    result: np.ndarray | None = factors[codes]
    return result


def checked_weights(class_weight: Any, classes: np.ndarray) -> dict[Any, Any]:
    """Return the weights of classes as a dict. As scikit-learn has it, classes that are absent
    may have one, but then those that are there have to have one too."""
    known = dict(class_weight)
    lacking = [c for c in classes.tolist() if c not in known]
    if lacking and len(classes) - len(lacking) != len(known):
        raise ValueError(f"The classes, {lacking}, are not in class_weight")
    return known


def counted(codes: np.ndarray, labels: list[str]) -> tuple[np.ndarray, list[str], np.ndarray | None]:
    """Return codes and labels of the classes that have rows, and the places of these classes
    among all, None: all have rows."""
    there = np.flatnonzero(np.bincount(codes, minlength=len(labels)))
    if len(there) == len(labels):
        return codes, labels, None
    return np.searchsorted(there, codes).astype(np.uint32), [labels[k] for k in there], there


def row_weights(sample_weight: Any, X: Any, factors: np.ndarray | None = None) -> np.ndarray | None:
    """Return the weight of each row, None if all count once."""
    w = None if sample_weight is None else check_sample_weight(sample_weight, X)
    if factors is not None:
        w = factors if w is None else w * factors
    return w


def positive(X: Any, y: np.ndarray | None, w: np.ndarray | None) -> tuple[Any, Any, Any, np.ndarray | None]:
    """Leave out rows of weight zero, which say nothing; the engine has none. The last is the
    places of those that are kept, None: all."""
    if w is None:
        return X, y, w, None
    if (w < 0).any():
        raise ValueError(f"found the weight {w.min():g} of a row, expected numbers >= 0")
    keep = np.flatnonzero(w > 0)
    if len(keep) == len(w):
        return X, y, w, None
    if not len(keep):
        raise ValueError("found weights of rows that are all zero, expected some above: sample_weight must have a positive sum")
    return X[keep], None if y is None else y[keep], w[keep], keep
