"""Warnings that point at the line of the caller."""

from __future__ import annotations

import sys
import warnings

INSIDE = ("fenchel", "sklearn", "joblib")


def told(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn, and point at the line outside of this package, and of those that call it for others, that asked for what is warned of."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in INSIDE:
        frame, level = frame.f_back, level + 1
    warnings.warn(text, category, stacklevel=level)
