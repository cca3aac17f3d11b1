"""What the estimators take from scikit-learn, for where it is not installed: the same names
and conventions, for arrays of numpy and scipy alone.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable, TypeVar

import numpy as np

from ._arrays import is_sparse


Method = TypeVar("Method", bound=Callable[..., Any])


class NotFittedError(ValueError, AttributeError):
    """An estimator is used before fit."""


class ConvergenceWarning(UserWarning):
    """The gap that was asked for is not proved."""


class BaseEstimator:
    """Parameters are the arguments of ``__init__``, kept under their names."""

    @classmethod
    def _parameters(cls) -> list[str]:
        return sorted(p for p in inspect.signature(cls.__init__).parameters if p != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters by name."""
        return {name: getattr(self, name) for name in self._parameters()}

    def set_params(self, **params: Any) -> Any:
        """Set parameters by name."""
        for name, value in params.items():
            if name not in self._parameters():
                raise ValueError(f"Invalid parameter {name!r} for estimator {self!r}. Valid parameters are: {self._parameters()}.")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        defaults = {n: p.default for n, p in inspect.signature(type(self).__init__).parameters.items()}
        changed = [f"{n}={v!r}" for n, v in self.get_params().items() if v is not defaults[n] and v != defaults[n]]
        return f"{type(self).__name__}({', '.join(changed)})"

    def __sklearn_tags__(self) -> Any:
        raise AttributeError("tags are those of scikit-learn, which is not installed")


class ClassifierMixin:
    predict: Callable[..., Any]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of rows of which the class is predicted."""
        return float(np.average(self.predict(X) == np.asarray(y), weights=sample_weight))


class RegressorMixin:
    predict: Callable[..., Any]

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return R^2."""
        y, p = np.asarray(y, float), self.predict(X)
        left = np.average((y - p) ** 2, axis=0, weights=sample_weight)
        return float(np.mean(1 - left / np.average((y - np.average(y, axis=0, weights=sample_weight)) ** 2, axis=0, weights=sample_weight)))


class OutlierMixin:
    fit: Callable[..., Any]

    def fit_predict(self, X: Any, y: Any = None) -> np.ndarray:
        """Fit, and tell outliers (-1) from the rest (1)."""
        result: np.ndarray = self.fit(X).predict(X)
        return result


class TransformerMixin:
    fit: Callable[..., Any]

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Fit, and transform the same rows."""
        result: np.ndarray = self.fit(X, y, **fit_params).transform(X)
        return result


class ClassNamePrefixFeaturesOutMixin:
    _n_features_out: int

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Return a name for each feature that transform makes."""
        check_is_fitted(self)
        return np.asarray([f"{type(self).__name__.lower()}{i}" for i in range(self._n_features_out)], object)


def check_is_fitted(estimator: Any) -> None:
    """Raise unless fit has set attributes."""
    if not any(name.endswith("_") and not name.startswith("__") for name in vars(estimator)):
        raise NotFittedError(f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before using this estimator.")


def check_classification_targets(y: np.ndarray) -> None:
    """Refuse numbers with fractions as classes."""
    if y.dtype.kind == "f" and np.any(y != np.trunc(y)):
        raise ValueError("Unknown label type: continuous. Maybe you are trying to fit a classifier, which expects discrete classes on a regression target with continuous values.")


def validate_data(estimator: Any, X: Any, y: Any = "no_validation", *, reset: bool = True, accept_sparse: Any = False, dtype: Any = np.float64, y_numeric: bool = False, multi_output: bool = False, ensure_all_finite: Any = True, **_: Any) -> Any:
    """Return X, and y if it is given, as arrays with finite values and as many rows."""
    names = getattr(X, "columns", None)
    alone = isinstance(X, str)  # the rows are checked elsewhere
    if not alone:
        X = _rows(X, accept_sparse, dtype, ensure_all_finite == "allow-nan")
        _count(estimator, X, names, reset)
    if isinstance(y, str) and y == "no_validation":
        return X
    if y is None:
        raise ValueError("estimator requires y to be passed, but the target y is None")
    y = np.asarray(y)
    if y.ndim == 2 and y.shape[1] == 1 and not multi_output:
        y = y.ravel()
    if y.ndim != 1 and not (multi_output and y.ndim == 2) or not alone and len(y) != X.shape[0]:
        raise ValueError(f"Found a target of shape {y.shape}, expected one value for each row")
    if y_numeric:
        y = y.astype(np.float64)
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise ValueError("Input y contains NaN or infinity.")
    return y if alone else (X, y)


def _rows(X: Any, accept_sparse: Any, dtype: Any, gaps: bool = False) -> Any:
    allowed = dtype if isinstance(dtype, (list, tuple)) else [dtype]
    if is_sparse(X):
        if not accept_sparse:
            raise TypeError("Sparse data was passed, but dense data is required.")
        X = X.tocsr()
    else:
        X = np.asarray(X)
    if X.dtype.kind == "c":
        raise ValueError("Complex data not supported")
    if X.dtype not in [np.dtype(a) for a in allowed]:
        X = X.astype(allowed[0])
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D array instead. Reshape your data.")
    if 0 in X.shape:
        raise ValueError(f"Found array with {X.shape[0]} sample(s) and {X.shape[1]} feature(s) while a minimum of 1 is required.")
    values = X.data if is_sparse(X) else X
    if not (np.isfinite(values) | np.isnan(values) if gaps else np.isfinite(values)).all():
        raise ValueError("Input X contains NaN or infinity.")
    return X


def _count(estimator: Any, X: Any, names: Any, reset: bool) -> None:
    if reset:
        estimator.n_features_in_ = X.shape[1]
        if names is not None and all(isinstance(n, str) for n in names):
            estimator.feature_names_in_ = np.asarray(names, object)
    elif X.shape[1] != estimator.n_features_in_:
        raise ValueError(f"X has {X.shape[1]} features, but {type(estimator).__name__} is expecting {estimator.n_features_in_} features as input")


def check_sample_weight(sample_weight: Any, X: Any) -> np.ndarray:
    """Return a weight for each row."""
    w = np.asarray(sample_weight, np.float64)
    w = np.full(X.shape[0], float(w)) if w.ndim == 0 else w
    if w.shape != (X.shape[0],) or not np.isfinite(w).all() or (w < 0).any():
        raise ValueError(f"sample_weight: found an array of shape {w.shape}, expected {X.shape[0]} finite numbers >= 0")
    return w


def available_if(check: Callable[[Any], bool]) -> Callable[[Method], Method]:
    """Make a method that is there if check(self) says so."""

    class Available:
        def __init__(self, method: Any) -> None:
            self.method = method
            self.__doc__ = method.__doc__

        def __get__(self, obj: Any, owner: Any = None) -> Any:
            if obj is not None:
                check(obj)
            return self.method.__get__(obj, owner)

    return Available  # type: ignore[return-value]  # a descriptor in the place of the method
