"""Fenchel: linear models, kernel machines and principal components, with a proof of how good
each answer is. ``fenchel.sklearn`` has estimators under the names of scikit-learn,
``fenchel.plot`` figures.
"""

from ._base import Certificate, PCACertificate
from ._engine import DataError, EngineError, close
from ._model import Model
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

__all__ = [
    "Certificate", "DataError", "EngineError", "IncrementalPCA", "KernelClassifier", "KernelPCA", "KernelRegressor", "LinearClassifier", "LinearRegressor", "Model",
    "NetworkClassifier", "NetworkRegressor", "OneClass", "OnlineClassifier", "OnlineRegressor", "PCA", "PCACertificate", "QuadraticSolution", "Report", "Rows", "Verification", "close", "qp", "read", "report", "sparsify", "tune", "verify",
]  # fmt: skip
