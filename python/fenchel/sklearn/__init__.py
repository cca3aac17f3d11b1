"""Estimators with the names, parameters and attributes of scikit-learn, and what is proved.

    from fenchel.sklearn import LinearSVC  # instead of sklearn.svm

Parameters mean what they mean there; values that Fenchel has nothing for are refused. Each
docstring says what differs.
"""

from ._components import PCA, IncrementalPCA, KernelPCA, Nystroem, RBFSampler, TruncatedSVD
from ._cv import LogisticRegressionCV
from ._linear import ElasticNet, Lasso, LinearRegression, LinearSVC, LinearSVR, LogisticRegression, Ridge
from ._machines import SVC, SVR, KernelRidge, NuSVC, NuSVR, OneClassSVM
from ._path import ElasticNetCV, LassoCV, enet_path, lasso_path
from ._ridge import RidgeClassifier, RidgeClassifierCV, RidgeCV
from ._robust import HuberRegressor, PoissonRegressor, QuantileRegressor
from ._sgd import SGDClassifier, SGDRegressor

__all__ = [
    "ElasticNet", "ElasticNetCV", "HuberRegressor", "IncrementalPCA", "KernelPCA", "KernelRidge", "Lasso", "LassoCV", "LinearRegression", "LinearSVC", "LinearSVR", "LogisticRegression",
    "LogisticRegressionCV", "NuSVC", "NuSVR", "Nystroem", "OneClassSVM", "PCA", "PoissonRegressor", "QuantileRegressor", "RBFSampler", "Ridge", "RidgeCV", "RidgeClassifier", "RidgeClassifierCV",
    "SGDClassifier", "SGDRegressor", "SVC", "SVR", "TruncatedSVD", "enet_path", "lasso_path",
]  # fmt: skip
