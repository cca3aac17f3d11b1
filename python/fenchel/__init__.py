"""Fenchel: linear models, kernel machines and principal components, with a proof of how good
each answer is. ``fenchel.sklearn`` has estimators under the names of scikit-learn,
``fenchel.plot`` figures.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._base import Certificate, PCACertificate
    from ._checks import expected_failed_checks
    from ._engine import DataError, EngineError, close
    from ._model import Model, load
    from ._quadratic import QuadraticSolution, qp
    from ._read import Rows, read
    from ._report import Report, report
    from ._sparsify import sparsify
    from ._tune import tune
    from ._verify import Verification, verify
    from .components import PCA, IncrementalPCA, KernelPCA
    from .kernel import KernelClassifier, KernelRegressor, OneClass
    from .linear import LinearClassifier, LinearRegressor
    from .network import NetworkClassifier, NetworkRegressor
    from .online import OnlineClassifier, OnlineRegressor

__version__ = "0.1.0"

_HOMES = {  # imported when they are asked for: executors of a cluster need few, and scikit-learn takes two seconds
    "_base": ("Certificate", "PCACertificate"),
    "_checks": ("expected_failed_checks",),
    "_engine": ("DataError", "EngineError", "close"),
    "_model": ("Model", "load"),
    "_quadratic": ("QuadraticSolution", "qp"),
    "_read": ("Rows", "read"),
    "_report": ("Report", "report"),
    "_sparsify": ("sparsify",),
    "_tune": ("tune",),
    "_verify": ("Verification", "verify"),
    "components": ("PCA", "IncrementalPCA", "KernelPCA"),
    "kernel": ("KernelClassifier", "KernelRegressor", "OneClass"),
    "linear": ("LinearClassifier", "LinearRegressor"),
    "network": ("NetworkClassifier", "NetworkRegressor"),
    "online": ("OnlineClassifier", "OnlineRegressor"),
}

__all__ = [
    "Certificate", "DataError", "EngineError", "IncrementalPCA", "KernelClassifier", "KernelPCA", "KernelRegressor", "LinearClassifier", "LinearRegressor", "Model",
    "NetworkClassifier", "NetworkRegressor", "OneClass", "OnlineClassifier", "OnlineRegressor", "PCA", "PCACertificate", "QuadraticSolution", "Report", "Rows", "Verification", "close", "expected_failed_checks", "load", "qp", "read", "report", "sparsify", "tune", "verify",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    for home, names in _HOMES.items():
        if name in names or name == home:
            module = import_module("." + home, __name__)
            return module if name == home else getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
