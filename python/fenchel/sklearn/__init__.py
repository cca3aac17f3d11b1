"""Estimators with the names, parameters and attributes of scikit-learn, and what is proved.

    from fenchel.sklearn import LinearSVC  # instead of sklearn.svm

Parameters mean what they mean there; values that Fenchel has nothing for are refused. Each
docstring says what differs.
"""

from ._components import PCA, IncrementalPCA, KernelPCA, Nystroem, RBFSampler, TruncatedSVD
from ._cv import LogisticRegressionCV
from ._linear import ElasticNet, Lasso, LinearRegression, LinearSVC, LogisticRegression, Ridge
from ._machines import SVC, SVR, KernelRidge, NuSVC, NuSVR, OneClassSVM

__all__ = [
    "ElasticNet", "IncrementalPCA", "KernelPCA", "KernelRidge", "Lasso", "LinearRegression", "LinearSVC", "LogisticRegression", "LogisticRegressionCV", "NuSVC", "NuSVR", "Nystroem",
    "OneClassSVM", "PCA", "RBFSampler", "Ridge", "SVC", "SVR", "TruncatedSVD",
]  # fmt: skip
