"""Fenchel: linear models, kernel machines and principal components, with a proof of how good
each answer is. ``fenchel.sklearn`` has estimators under the names of scikit-learn.
"""

from ._base import Certificate, PCACertificate
from ._engine import DataError, EngineError, close
from ._model import Model
from .components import PCA, IncrementalPCA
from .kernel import KernelClassifier, KernelRegressor, OneClass
from .linear import LinearClassifier, LinearRegressor

__version__ = "0.1.0"
