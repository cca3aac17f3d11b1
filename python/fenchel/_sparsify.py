"""Kernel machines of few support vectors from ones of many."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np

from . import _ask
from ._base import Certificate, check_is_fitted
from ._verify import _positive, _rows, _targets
from .kernel import KernelClassifier, KernelRegressor

__all__ = ["sparsify"]


def sparsify(machine: Any, X: Any, y: Any, sample_weight: Any = None, *, n_support: int | None = None, accuracy: float | None = None, method: str = "", random_state: int = 0) -> Any:
    """Return a copy of a kernel machine with fewer support vectors, and with a bound on how
    far it is from the best machine of any number of them.

    Parameters
    ----------
    machine : fitted KernelClassifier or KernelRegressor
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
    if type(machine) not in (KernelClassifier, KernelRegressor):
        raise TypeError(f"found a {type(machine).__name__}, expected a KernelClassifier or KernelRegressor")
    check_is_fitted(machine)
    if callable(machine.kernel):
        raise TypeError("found a kernel that is a function, expected a name: its support vectors are rows of a matrix")
    if sample_weight is not None or getattr(machine, "class_weight", None) is not None:
        raise ValueError("found weights of rows or classes, expected none")
    data = _positive(_ask.Data(_rows(X), names=machine._names(), offsets=machine._offsets, **_targets(getattr(machine, "classes_", None), y)))
    answer = _ask.about("sparsify", machine.model_, data, support=n_support or 0, accuracy=accuracy or 0.0, method=method, seed=random_state)
    small = copy.copy(machine)
    small.model_ = answer["model"]
    small.certificate_ = Certificate.of(answer["certificate"])
    small.gap_, small.status_ = small.certificate_.gap, "sparsified"
    small.intercept_, small._kept = small.model_.tensor("bias"), None
    small._shape(data)
    rows = small.model_.tensor("support.rows")
    small.support_ = np.arange(small.dual_coef_.shape[1]) if rows is None else rows.astype(np.int32)
    return small
