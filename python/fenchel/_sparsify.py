"""Kernel machines of few support vectors from ones of many."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from . import _ask
from ._base import Certificate, check_is_fitted
from ._verify import _positive, _rows, _targets
from .kernel import Machine

__all__ = ["sparsify"]


def sparsify(machine: Any, X: Any, y: Any, sample_weight: Any = None, *, n_support: int | None = None, accuracy: float | None = None, method: str = "", random_state: int = 0) -> Any:
    """Return a copy of a kernel machine with fewer support vectors, and with a bound on how
    far it is from the best machine of any number of them.

    Parameters
    ----------
    machine : fitted KernelClassifier, KernelRegressor, or SVC or SVR of fenchel.sklearn
        Or a pipeline of scikit-learn of which one is the last step, or a search that has found one.
    X, y, sample_weight
        The rows it was trained on: shapes (n_samples, n_features), (n_samples,).
    n_support : int, optional
        At most so many vectors.
    accuracy : float, optional
        No row that the machine has right may lose more than this of its margin; 1/2 if it is
        not given.
    method : str
        A name of ``fenchel list sparsifiers``; "auto", the default, keeps the choice of the lowest
        refit objective of several.

    Returns
    -------
    estimator
        Of the same class; ``status_`` is "sparsified".

    Examples
    --------
    >>> import fenchel
    >>> X, y = fenchel.read("@spirals:n=400")
    >>> full = fenchel.KernelClassifier(gamma=10.0, C=10.0).fit(X, y)
    >>> small = fenchel.sparsify(full, X, y, n_support=20)
    >>> len(small.support_) <= 20 < len(full.support_)
    True
    """
    if hasattr(machine, "best_estimator_"):
        return sparsify(machine.best_estimator_, X, y, sample_weight, n_support=n_support, accuracy=accuracy, method=method, random_state=random_state)
    if hasattr(machine, "steps"):
        rows = machine[:-1].transform(X) if len(machine.steps) > 1 else X
        small = sparsify(machine.steps[-1][1], rows, y, sample_weight, n_support=n_support, accuracy=accuracy, method=method, random_state=random_state)
        return type(machine)([*machine.steps[:-1], (machine.steps[-1][0], small)])
    if type(machine).__name__ not in ("KernelClassifier", "KernelRegressor", "SVC", "SVR") or not isinstance(machine, Machine):
        raise TypeError(f"found a {type(machine).__module__}.{type(machine).__name__}, expected a KernelClassifier or KernelRegressor, a twin of SVC or SVR, a pipeline or a search of these")
    check_is_fitted(machine)
    if callable(machine.kernel):
        raise TypeError("found a kernel that is a function, expected a name: its support vectors are rows of a matrix")
    if sample_weight is not None or getattr(machine, "class_weight", None) is not None:
        raise ValueError("found weights of rows or classes, expected none")
    given = _rows(X)
    data = _positive(_ask.Data(given, everything=given, names=machine._names(), offsets=machine._offsets, **_targets(getattr(machine, "classes_", None), y)))
    answer = _ask.about("sparsify", machine.model_, data, support=n_support or 0, accuracy=accuracy or 0.0, method=method, seed=random_state)
    small = copy.copy(machine)
    small.model_ = answer["model"]
    small.certificate_ = Certificate.of(answer["certificate"])
    small.gap_, small.status_ = small.certificate_.gap, "sparsified"
    small.intercept_, small._kept = small.model_.tensor("bias"), None
    rows = small.model_.tensor("support.rows")
    if rows is None and "sklearn" in type(machine).__module__:
        raise ValueError(f"method={method!r}: found vectors that are no rows of X, which have no class, expected another method for a {type(machine).__name__}")
    small.support_ = np.arange(small.model_.tensor("coefficients").shape[1]) if rows is None else rows.astype(np.int32)
    small._local = small.support_
    small._shape(data)
    return small
