"""Components and maps under the names and with the parameters of scikit-learn."""

from __future__ import annotations

import numbers
from typing import Any, Callable

import numpy as np

from .. import _ask
from .._arrays import is_sparse
from .._base import FLOATS, ClassNamePrefixFeaturesOutMixin, Estimator, NotFittedError, TransformerMixin, check_is_fitted, seed_of, threads_of, validate_data
from .. import components
from ..kernel import Machine
from ._common import above_zero, refuse

__all__ = ["IncrementalPCA", "KernelPCA", "Nystroem", "PCA", "RBFSampler", "TruncatedSVD"]


class Modelled:
    """What the twins share that have a covariance."""

    whiten: bool
    components_: np.ndarray
    explained_variance_: np.ndarray
    noise_variance_: float

    def get_covariance(self) -> np.ndarray:
        """Return the covariance of the model, n_features x n_features: with ``whiten`` of components
        that are multiplied by their deviations, as scikit-learn does."""
        if not self.whiten:
            return components.PCA.get_covariance(self)  # type: ignore[arg-type]  # which needs no more than is above
        c = self.components_ * np.sqrt(self.explained_variance_)[:, None]
        out = (c.T * np.maximum(self.explained_variance_ - self.noise_variance_, 0)) @ c
        result: np.ndarray = out + self.noise_variance_ * np.eye(len(out))
        return result

    def get_precision(self) -> np.ndarray:
        """Return the inverse of the covariance, n_features x n_features."""
        return np.linalg.inv(self.get_covariance())


class PCA(Modelled, components.PCA):
    """Twin of ``sklearn.decomposition.PCA``.

    ``tol`` is the share of the variance that may be missing, by proof; 0 is as little as
    rounding allows. ``svd_solver`` chooses the method; ``copy``, ``n_oversamples``,
    ``iterated_power`` and ``power_iteration_normalizer`` change nothing.

    Attributes
    ----------
    components_, explained_variance_, explained_variance_ratio_, singular_values_, mean_,
    n_components_, n_samples_, noise_variance_
        As of scikit-learn.
    gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import PCA
    >>> PCA(1).fit([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]).explained_variance_.round(3)
    array([2.])
    """

    center, scale, max_seconds, n_jobs = "yes", "none", None, None
    METHODS = {"auto": "auto", "covariance_eigh": "covariance", "arpack": "krylov", "randomized": "auto"}

    def __init__(
        self, n_components: Any = None, *, copy: bool = True, whiten: bool = False, svd_solver: str = "auto", tol: float = 0.0, iterated_power: str = "auto",
        n_oversamples: int = 10, power_iteration_normalizer: str = "auto", random_state: Any = None,
    ) -> None:  # fmt: skip
        self.n_components = n_components
        self.copy = copy
        self.whiten = whiten
        self.svd_solver = svd_solver
        self.tol = tol
        self.iterated_power = iterated_power
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state

    @property
    def gap(self) -> float:  # type: ignore[override]  # a parameter of the class below
        """The share of the variance that may be missing: less than 1e-7 takes sums in double precision."""
        return max(float(self.tol), 1e-7)

    @property
    def method(self) -> str:  # type: ignore[override]  # a parameter of the class below
        """The method that svd_solver stands for; "full" is "covariance" or "gram"."""
        return self.METHODS.get(self.svd_solver, "full")

    def _spec(self, X: Any) -> dict[str, Any]:
        refuse(self, svd_solver=("auto", "full", "covariance_eigh", "arpack", "randomized"))
        spec = super()._spec(X)
        if spec["method"] == "full" or spec.get("k", 0) == min(X.shape) or "share" in spec:
            spec["method"] = "gram" if X.shape[0] < X.shape[1] else "covariance"
        return spec

    def _size(self, X: Any) -> dict[str, Any]:
        most = min(X.shape)
        if isinstance(self.n_components, str) and self.n_components == "mle" and X.shape[0] < X.shape[1]:
            raise ValueError("n_components='mle' is only supported if n_samples >= n_features")
        if self.svd_solver == "arpack" and self.n_components == most:
            raise ValueError(f"n_components={most!r} must be strictly less than min(n_samples, n_features)={most} with svd_solver='arpack'")
        if self.svd_solver == "arpack" and self.n_components is None and most > 1:
            return {"k": most - 1}
        return super()._size(X)

    def _asked(self) -> float:
        return max(self.gap, 1e-6)

    def _fit(self, X: Any) -> Any:
        X = super()._fit(X)
        self.mean_ = np.asarray(X.mean(axis=0)).ravel()  # of the rows before they were rounded
        if X.dtype == np.float32:
            for name in ("components_", "mean_", "explained_variance_", "explained_variance_ratio_", "singular_values_"):
                setattr(self, name, getattr(self, name).astype(np.float32))
        return X

    def _shape(self) -> None:
        super()._shape()
        want = self._wanted()
        if want > len(self.components_):
            self._complete(want)

    def _wanted(self) -> int:
        most = min(self.n_samples_, self.n_features_in_)
        if self.n_components is None:
            result: int = max(1, most - (self.svd_solver == "arpack"))
            return result
        return int(self.n_components) if isinstance(self.n_components, numbers.Integral) else 0

    def _complete(self, want: int) -> None:
        """Add directions in which nothing varies, up to the number asked for."""
        have = len(self.components_)
        full, _ = np.linalg.qr(np.column_stack([self.components_.T, np.eye(self.n_features_in_)]))
        self.components_ = np.vstack([self.components_, full[:, have:want].T])
        for name in ("explained_variance_", "explained_variance_ratio_", "singular_values_"):
            setattr(self, name, np.append(getattr(self, name), np.zeros(want - have)))
        self.n_components_ = want

    def score_samples(self, X: Any) -> np.ndarray:
        """Return the log-likelihood of each row under the probabilistic model (Tipping and
        Bishop 1999), of shape (n_samples,)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=FLOATS) - self.mean_
        precision = self.get_precision()
        sign, logdet = np.linalg.slogdet(precision)
        result: np.ndarray = -0.5 * (X * (X @ precision)).sum(axis=1) - 0.5 * (X.shape[1] * np.log(2 * np.pi) - logdet)
        return result

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log-likelihood of the rows."""
        return float(self.score_samples(X).mean())


class TruncatedSVD(components.PCA):
    """Twin of ``sklearn.decomposition.TruncatedSVD``: components of rows that are not centred.

    ``tol`` is as of :class:`PCA`; ``algorithm``, ``n_iter``, ``n_oversamples`` and
    ``power_iteration_normalizer`` change nothing.

    Examples
    --------
    >>> from fenchel.sklearn import TruncatedSVD
    >>> TruncatedSVD(1).fit([[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]).singular_values_.round(3)
    array([5.292])
    """

    center, scale, method, whiten, max_seconds, n_jobs = "no", "none", "auto", False, None, None

    def __init__(
        self, n_components: Any = 2, *, algorithm: str = "randomized", n_iter: int = 5, n_oversamples: int = 10, power_iteration_normalizer: str = "auto",
        random_state: Any = None, tol: float = 0.0,
    ) -> None:  # fmt: skip
        self.n_components = n_components
        self.algorithm = algorithm
        self.n_iter = n_iter
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.tol = tol

    @property
    def gap(self) -> float:  # type: ignore[override]  # a parameter of the class below
        """The share of the variance that may be missing: less than 1e-7 takes sums in double precision."""
        return max(float(self.tol), 1e-7)

    def _asked(self) -> float:
        return max(self.gap, 1e-6)

    def _size(self, X: Any) -> dict[str, Any]:
        refuse(self, algorithm=("randomized", "arpack"))
        k = self.n_components
        if not isinstance(k, (int, np.integer)) or not 1 <= k <= X.shape[1]:
            raise ValueError(f"n_components({k}) must be <= n_features({X.shape[1]}).")
        return {"k": int(min(k, X.shape[0]))}

    def fit(self, X: Any, y: Any = None) -> "TruncatedSVD":
        """Find the components of X, of shape (n_samples, n_features)."""
        self._moments(self._fit(X))
        return self

    def fit_transform(self, X: Any, y: Any = None, **fit_params: Any) -> np.ndarray:
        """Find the components, and return the coordinates of the same rows."""
        self.fit(X)
        return self.transform(X)

    def _moments(self, X: Any) -> None:
        """Variances of the coordinates, about their means, as scikit-learn has them."""
        coordinates = np.asarray(X @ self.components_.T)
        self.explained_variance_ = coordinates.var(axis=0)
        if is_sparse(X):
            total = (X.multiply(X).sum(axis=0) / X.shape[0] - np.square(X.mean(axis=0))).sum()
        else:
            total = X.var(axis=0, dtype=np.float64).sum()
        self.explained_variance_ratio_ = self.explained_variance_ / total if total > 0 else np.zeros_like(self.explained_variance_)


class IncrementalPCA(Modelled, components.IncrementalPCA):
    """Twin of ``sklearn.decomposition.IncrementalPCA``. ``copy`` changes nothing. ``noise_variance_``, and so the covariance, are of
    all rows that were seen; scikit-learn's is of the last batch.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.sklearn import IncrementalPCA
    >>> IncrementalPCA(1, batch_size=10).fit(np.random.RandomState(0).randn(30, 2)).n_samples_seen_
    30
    """

    method, center, hold_out, random_state, n_jobs = "ipca", "yes", 0.0, None, None

    def __init__(self, n_components: Any = None, *, whiten: bool = False, copy: bool = True, batch_size: int | None = None) -> None:
        self.n_components = n_components
        self.whiten = whiten
        self.copy = copy
        self.batch_size = batch_size


class KernelPCA(components.KernelPCA):
    """Twin of ``sklearn.decomposition.KernelPCA``. ``tol`` is the share of the variance that may be
    missing, by proof; ``copy_X``, ``eigen_solver``, ``max_iter`` and ``iterated_power`` change nothing. Eigenvalues
    that are zero are never among those found. Functions and matrices are as of :class:`fenchel.KernelPCA`. Refused: "sigmoid",
    which is no inner product, and ``kernel_params`` of names.

    Examples
    --------
    >>> from fenchel.sklearn import KernelPCA
    >>> KernelPCA(1).fit([[0.0], [1.0], [3.0]]).eigenvalues_.round(3)
    array([4.667])
    """

    def __init__(
        self, n_components: Any = None, *, kernel: str | Callable[..., float] = "linear", gamma: str | float | None = None, degree: float = 3, coef0: float = 1,
        kernel_params: Any = None, alpha: float = 1.0, fit_inverse_transform: bool = False, eigen_solver: str = "auto", tol: float = 0, max_iter: int | None = None,
        iterated_power: str = "auto", remove_zero_eig: bool = False, random_state: Any = None, copy_X: bool = True, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.alpha = alpha
        self.fit_inverse_transform = fit_inverse_transform
        self.eigen_solver = eigen_solver
        self.tol = tol
        self.max_iter = max_iter
        self.iterated_power = iterated_power
        self.remove_zero_eig = remove_zero_eig
        self.random_state = random_state
        self.copy_X = copy_X
        self.n_jobs = n_jobs

    @property
    def gap(self) -> float:  # type: ignore[override]  # a parameter of the class below
        """The share of the variance that may be missing."""
        return max(float(self.tol), 1e-3)

    def fit(self, X: Any, y: Any = None) -> "KernelPCA":
        """Find the components of the images of X, of shape (n_samples, n_features), or of the kernel's matrix."""
        if self.fit_inverse_transform and self.kernel == "precomputed":
            raise ValueError("Cannot fit_inverse_transform with a precomputed kernel.")
        super().fit(X, y)
        return self

    def _kernel(self, X: Any) -> str:
        refuse(self, kernel_params=None)
        return super()._kernel(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return rows of coordinates, as ``fit_inverse_transform`` asks for."""
        check_is_fitted(self)
        if not self.fit_inverse_transform:
            raise NotFittedError("found fit_inverse_transform=False, expected True: the rows of coordinates were not asked for")
        return super().inverse_transform(X)


def components_of(sampler: Any) -> int:
    """Return how many features a map is to have."""
    k = sampler.n_components
    if not isinstance(k, numbers.Integral) or k < 1:
        raise ValueError(f"n_components={k!r}: expected a whole number > 0")
    return int(k)


class Nystroem(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Twin of ``sklearn.kernel_approximation.Nystroem``: rows drawn at random, and the
    projection onto their images. Features are those of scikit-learn but for a rotation.

    Kernels may be functions of two rows, with ``kernel_params``, or "precomputed": the map of these is made of the matrix of the
    rows drawn as scikit-learn does. Of named kernels ``kernel_params`` are refused.

    Attributes
    ----------
    components_ : array of shape (n_features_out, n_features)
        The rows drawn, in single precision.
    component_indices_ : array of shape (n_features_out,)
        Which they are.

    Examples
    --------
    >>> from fenchel.sklearn import Nystroem
    >>> Nystroem(gamma=1.0, n_components=2).fit_transform([[0.0], [1.0], [2.0]]).shape
    (3, 2)
    """

    def __init__(
        self, kernel: str | Callable[..., float] = "rbf", *, gamma: str | float | None = None, coef0: float | None = None, degree: float | None = None,
        kernel_params: Any = None, n_components: Any = 100, random_state: Any = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree
        self.kernel_params = kernel_params
        self.n_components = n_components
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> "Nystroem":
        """Make the map, of rows X of shape (n_samples, n_features), or of the kernel's matrix."""
        if not callable(self.kernel) and self.kernel != "precomputed":
            X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS)
            self.kernel_, self.map_ = self._specs(X)
            self._seed = seed_of(self.random_state)
            self._n_features_out, self.components_, pivots = _ask.make_map(X, self.kernel_, self.map_, self._seed, threads_of(self.n_jobs))
            self.component_indices_ = np.array(pivots)
            return self
        if any(x is not None for x in (self.gamma, self.coef0, self.degree)):
            raise ValueError("Don't pass gamma, coef0 or degree to Nystroem if using a callable or precomputed kernel")
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS)
        self._n_features_out = min(components_of(self), X.shape[0])
        self.component_indices_ = np.random.RandomState(seed_of(self.random_state)).permutation(X.shape[0])[: self._n_features_out]
        self.components_ = X[self.component_indices_]
        u, s, v = np.linalg.svd(self._values(self.components_))
        self.normalization_ = u / np.sqrt(np.maximum(s, 1e-12)) @ v
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return images of shape (n_samples, n_features_out), of which the inner products are
        nearly values of the kernel."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=FLOATS)
        if callable(self.kernel) or self.kernel == "precomputed":
            result: np.ndarray = self._values(X) @ self.normalization_.T
            return result
        return _ask.images(X, self.kernel_, self.map_, self._seed, self.n_features_in_, self.components_, threads_of(self.n_jobs)).astype(X.dtype, copy=False)

    def _values(self, X: Any) -> np.ndarray:
        """Return the kernel's values of rows and the rows drawn."""
        if not callable(self.kernel):
            result: np.ndarray = X[:, self.component_indices_]
            return result
        return components.values(self.kernel, X, self.components_, self.kernel_params)

    def _specs(self, X: Any) -> tuple[str, str]:
        refuse(self, kernel_params=None)
        if not isinstance(self.kernel, str):
            raise ValueError(f"Nystroem: found kernel={self.kernel!r}, expected a name of fenchel list kernels, a function or \"precomputed\"")
        if self.kernel == "cosine":
            return "normalised(linear)", f"nystrom:rank={min(components_of(self), X.shape[0])}"
        gamma = 1.0 if self.gamma is None and self.kernel == "chi2" else self.gamma  # as scikit-learn's chi2_kernel has it
        k = Described("poly" if self.kernel == "polynomial" else self.kernel, gamma, 1 if self.coef0 is None else self.coef0, 3 if self.degree is None else self.degree)
        return k._kernel(X), f"nystrom:rank={min(components_of(self), X.shape[0])}"


class Described(Machine):
    """A kernel by the parameters of scikit-learn."""

    def __init__(self, kernel: str | Callable[..., float], gamma: str | float | None, coef0: float, degree: float) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.coef0 = coef0
        self.degree = degree


class RBFSampler(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Twin of ``sklearn.kernel_approximation.RBFSampler``: random Fourier features
    sqrt(2/n_components) cos(<v,x> + b), with the v and b that scikit-learn draws; ``random_state=None`` is 0.

    Attributes
    ----------
    random_weights_ : array of shape (n_features, n_components)
    random_offset_ : array of shape (n_components,)

    Examples
    --------
    >>> from fenchel.sklearn import RBFSampler
    >>> RBFSampler(n_components=5).fit_transform([[0.5], [1.0]]).shape
    (2, 5)
    """

    def __init__(self, *, gamma: str | float | None = 1.0, n_components: Any = 100, random_state: Any = None) -> None:
        self.gamma = gamma
        self.n_components = n_components
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> "RBFSampler":
        """Draw the features, for rows X of shape (n_samples, n_features)."""
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS)
        if not isinstance(self.gamma, str):
            above_zero(self, "gamma")
        elif self.gamma != "scale":
            raise ValueError(f"RBFSampler: found gamma={self.gamma!r}, expected a number > 0 or 'scale'")
        self._gamma, self._n_features_out = Described("rbf", self.gamma, 0.0, 3)._gamma_of(X), components_of(self)
        draw = self.random_state if isinstance(self.random_state, np.random.RandomState) else np.random.RandomState(seed_of(self.random_state))
        self.random_weights_ = (np.sqrt(2 * self._gamma) * draw.normal(size=(X.shape[1], self._n_features_out))).astype(X.dtype, copy=False)
        self.random_offset_ = draw.uniform(0, 2 * np.pi, size=self._n_features_out).astype(X.dtype, copy=False)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return features of shape (n_samples, n_components), of which the inner products are
        nearly values of the kernel."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=FLOATS)
        out: np.ndarray = np.asarray(X @ self.random_weights_) + self.random_offset_
        np.cos(out, out)
        out *= np.sqrt(2 / self._n_features_out)
        return out
