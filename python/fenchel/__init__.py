"""Fenchel: linear models, kernel machines and principal components, with a proof of how good
each answer is. ``fenchel.sklearn`` has estimators under the names of scikit-learn.
"""

from ._base import Certificate, PCACertificate
from ._engine import DataError, EngineError, close
from ._model import Model
from .linear import LinearClassifier, LinearRegressor

__version__ = "0.1.0"
