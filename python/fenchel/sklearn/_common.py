"""What the twins share."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np


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
        if not isinstance(x, (numbers.Real, np.number)) or isinstance(x, bool) or not 0 < x < np.inf:
            raise ValueError(f"{type(estimator).__name__}: found {name}={x!r}, expected a finite number > 0")
        out.append(float(x))
    return out


def epochs(max_iter: Any) -> int | None:
    """Return how many passes max_iter allows: -1 and None are no limit."""
    if max_iter is None or max_iter == -1:
        return None
    if not isinstance(max_iter, numbers.Integral) or max_iter < 1:
        raise ValueError(f"max_iter={max_iter!r}: expected a whole number > 0")
    return int(max_iter)
