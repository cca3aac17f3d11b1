"""What the twins share."""

from __future__ import annotations

import functools
import importlib
import inspect
import numbers
from typing import Any

import numpy as np

from .._base import FLOATS, Mixin, validate_data


@functools.lru_cache(maxsize=None)
def original(name: str) -> Any:
    """Return the class of scikit-learn of which one here is the twin, None: it is not installed, or has none."""
    for module in ("svm", "linear_model", "decomposition", "kernel_ridge", "kernel_approximation"):
        try:
            if hasattr(found := importlib.import_module("sklearn." + module), name):
                return getattr(found, name)
        except ImportError:
            return None
    return None


@functools.lru_cache(maxsize=None)
def defaults(kind: type) -> dict[str, Any]:
    """Return the parameters of a class, with what they are by default."""
    return {n: p.default for n, p in inspect.signature(kind).parameters.items()}


def twin(estimator: Any) -> Any:
    """Return the class here that an estimator is of, or one of a caller's own derives from."""
    return next(c for c in type(estimator).__mro__ if c.__module__.startswith(__package__))


def checked(estimator: Any) -> None:
    """Have scikit-learn check the types and ranges of parameters that are not the defaults, where it is installed."""
    kind = twin(estimator)
    constraints = getattr(original(kind.__name__), "_parameter_constraints", None)
    if constraints:
        from sklearn.utils._param_validation import validate_parameter_constraints

        known = defaults(kind)
        found = {n: v for n in defaults(estimator.__class__) if (v := getattr(estimator, n)) is not known.get(n, inspect)}
        validate_parameter_constraints(constraints, found, caller_name=kind.__name__)


def adopt(estimator: Any, fitted: Any) -> Any:
    """Give an estimator all that was learned by another."""
    vars(estimator).update({name: value for name, value in vars(fitted).items() if name not in fitted.get_params(deep=False)})
    return estimator


def refuse(estimator: Any, **allowed: Any) -> None:
    """Refuse parameters that have another value than those that are allowed."""
    for name, values in allowed.items():
        found = getattr(estimator, name)
        values = values if isinstance(values, tuple) else (values,)
        if not any(found is v or (type(found) is type(v) or _numbers(found, v)) and found == v for v in values):
            raise ValueError(f"{type(estimator).__name__}: found {name}={found!r}, expected {' or '.join(repr(v) for v in values)}: Fenchel has nothing else")


def _numbers(a: Any, b: Any) -> bool:
    return all(isinstance(x, numbers.Real) and not isinstance(x, bool) for x in (a, b))


def above_zero(estimator: Any, *names: str) -> list[float]:
    """Return parameters that must be finite numbers above zero."""
    out = []
    for name in names:
        x = getattr(estimator, name)
        if not isinstance(x, (int, float, np.number)) or isinstance(x, bool) or not 0 < x < np.inf:
            raise ValueError(f"{type(estimator).__name__}: found {name}={x!r}, expected a finite number > 0")
        out.append(float(x))
    return out


def limit(max_iter: Any) -> dict[str, Any]:
    """Return how many passes max_iter allows: -1 and None are no limit, 0 is the point where training begins."""
    if max_iter is None or max_iter == -1:
        return {}
    if not isinstance(max_iter, numbers.Integral) or isinstance(max_iter, bool) or max_iter < 0:
        raise ValueError(f"max_iter={max_iter!r}: expected a whole number >= 0")
    return {"epochs": int(max_iter)} if max_iter else {"seconds": 1e-9}  # over before the first pass


def alphas_of(alphas: Any, zero: bool) -> np.ndarray:
    """Return values of alpha to choose from, which scikit-learn checks one by one: numbers above zero, or at least ``zero``."""
    from sklearn.utils import check_scalar

    single = np.ndim(alphas) == 0
    for k, alpha in enumerate([alphas] if single else alphas):
        check_scalar(alpha, "alphas" if single or len(alphas) == 1 else f"alphas[{k}]", numbers.Real, min_val=0.0, include_boundaries="left" if zero else "neither")
    return np.atleast_1d(np.asarray(alphas, np.float64))


class Routed(Mixin):
    """Passes what else is given to fit and score on to folds and scorer, as scikit-learn does if its metadata routing is enabled, and refuses it if not."""

    def get_metadata_routing(self) -> Any:
        """Return which metadata goes to the folds and which to the scorer, a ``MetadataRouter`` of scikit-learn."""
        return original(twin(self).__name__).get_metadata_routing(self)

    def _routed(self, method: str, sample_weight: Any, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what folds get, and what the scorer gets."""
        from sklearn.utils._metadata_requests import _raise_for_params, _routing_enabled
        from sklearn.utils.metadata_routing import process_routing

        _raise_for_params(params, self, method)
        weights = {} if sample_weight is None else {"sample_weight": sample_weight}
        if not _routing_enabled():
            return {}, weights
        found = process_routing(self, method, **weights, **params)
        return getattr(getattr(found, "splitter", None), "split", {}), getattr(getattr(found, "scorer", None), "score", {})


def insensitive(loss: str, epsilon: Any) -> tuple[str, float]:
    """Return an epsilon-insensitive loss, or its square, as the engine names it, and what it is to be multiplied by."""
    if not isinstance(epsilon, (int, float, np.number)) or not 0 <= epsilon < np.inf:
        raise ValueError(f"epsilon={epsilon!r}: expected a number >= 0")
    if epsilon == 0:  # that of the engine is half the square
        return ("squared", 2.0) if loss.startswith("squared") else ("absolute", 1.0)
    return f"{loss.replace('_', '-')}:epsilon={float(epsilon)!r}", 1.0


class Targets(Mixin):
    """Adds to a regressor targets of two dimensions, of which each column is a problem of its
    own: ``estimators_`` has what solved them, ``gap_`` the largest gap."""

    alpha: Any

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train on X of shape (n_samples, n_features) and y of shape (n_samples,) or (n_samples,
        n_targets); ``sample_weight`` has shape (n_samples,)."""
        if np.asarray(y).ndim != 2:
            return super().fit(X, y, sample_weight)
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=FLOATS, multi_output=True, y_numeric=True)
        self.__dict__.pop("model_", None)
        self.estimators_ = each = [self._one(k, y.shape[1]).fit(X, y[:, k], sample_weight) for k in range(y.shape[1])]
        worst = max(each, key=lambda e: (e.status_ != "converged", e.gap_))
        self.status_, self.gap_, self.certificate_ = worst.status_, max(e.gap_ for e in each), [e.certificate_ for e in each]
        self._gather(each, y.shape[1])
        return self

    def _one(self, column: int, columns: int) -> Any:
        """Return an estimator for one target, with its alpha."""
        one = type(self)(**self.get_params(deep=False))
        alpha = getattr(self, "alpha")
        if np.ndim(alpha):
            if len(alpha) != columns:
                raise ValueError(f"alpha: Number of targets and number of penalties do not correspond: {len(alpha)} != {columns}")
            one.alpha = float(alpha[column])
        return one

    def _gather(self, each: list[Any], columns: int) -> None:
        """Set the attributes that users expect."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
