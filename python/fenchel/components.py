"""Principal components, with a proof of how much more variance others could capture."""

from __future__ import annotations

import numbers
import warnings
from typing import Any, Callable

import numpy as np

from . import _ask
from ._arrays import is_sparse
from ._base import FLOATS, ClassNamePrefixFeaturesOutMixin, Estimator, PCACertificate, TransformerMixin, check_is_fitted, seed_of, threads_of, validate_data
from .kernel import Machine

__all__ = ["IncrementalPCA", "KernelPCA", "PCA"]


class Components(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """What all estimators of components share."""

    observed = False
    max_epochs: int | None = None
    n_samples_: int
    whiten: bool

    def _keep(self, answer: dict[str, Any], stopped: bool, asked: float) -> None:
        """Keep components and what is proved of them; after Ctrl-C raise the exception."""
        self.model_ = m = answer["model"]
        self.certificate_ = PCACertificate.of(answer["certificate"])
        self.components_ = upright(m.tensor("components"))
        self._values, self._mean, self._scale = m.tensor("eigenvalues"), m.tensor("mean"), m.tensor("scale")
        self.noise_ = answer["noise"]
        self.n_components_ = len(self.components_)
        self._shape()
        self._n_features_out = len(self.components_)
        if stopped:
            self.status_, self.gap_ = answer["status"], self.certificate_.gap
            raise KeyboardInterrupt
        self._take(answer, asked)

    def _shape(self) -> None:
        """Set the attributes that users expect: variances with the divisor n - 1."""
        n = max(self.n_samples_, 2)
        unbiased = n / (n - 1)
        self.mean_ = np.zeros(self.n_features_in_) if self._mean is None else self._mean
        self.explained_variance_ = np.maximum(self._values, 0) * unbiased
        total = self.certificate_.total
        self.explained_variance_ratio_ = self._values / total if total > 0 else np.zeros(len(self._values))
        self.singular_values_ = np.sqrt(np.maximum(self._values, 0) * self.n_samples_)
        self.noise_variance_ = self.noise_ * unbiased

    def _deviations(self) -> np.ndarray:
        d = np.sqrt(self.explained_variance_)
        return np.where(d > 0, d, 1)

    def transform(self, X: Any) -> np.ndarray:
        """Return the coordinates along the components, of shape (n_samples, n_components)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=FLOATS, ensure_all_finite="allow-nan" if self.observed else True)
        X, gaps = _ask.gapped(X) if self.observed else (X, None)
        if gaps is not None:
            return _ask.along_components("pca-project", self.model_, X, len(self.components_), offsets=getattr(self, "_offsets", None), gaps=gaps)
        scaled = self.components_ if self._scale is None else self.components_ * self._scale
        out = np.asarray(X @ scaled.T) - scaled @ self.mean_
        if self.whiten:
            out /= self._deviations()
        return out

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return the rows, of shape (n_samples, n_features), that have these coordinates."""
        check_is_fitted(self)
        X = np.asarray(X)
        if self.whiten:
            X = X * self._deviations()
        out = X @ self.components_
        if self._scale is not None:
            out = np.divide(out, self._scale, out=np.zeros_like(out), where=self._scale != 0)
        result: np.ndarray = out + self.mean_
        return result

    def evaluate(self, X: Any, y: Any = None) -> dict[str, Any]:
        """Return what the components capture of the rows of X, which need not be those of fit.

        The keys are those of ``fenchel evaluate --json``: ``captured`` of ``total``, a mean over
        the rows with its ``standard_error``, and their ``ratio``; ``loss``, the mean squared
        distance of a row from inverse_transform(transform(row)), scaled as the model scales;
        ``missed``, what the best components of X itself capture more, with
        ``missed_standard_error``; ``upper``, the proved bound on what any components capture.

        >>> X = np.array([[0.0, 0.1], [1.0, 0.0], [2.0, 0.1], [4.0, 0.0]])
        >>> found = PCA(1).fit(X).evaluate(X + 1)
        >>> found["captured"] <= found["upper"], abs(found["captured"] + found["loss"] - found["total"]) < 1e-9
        (True, True)
        """
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=FLOATS)
        return _ask.about_components("pca-evaluate", self.model_, _ask.Data(X, names=self._names(), offsets=getattr(self, "_offsets", None)))


def upright(components: np.ndarray) -> np.ndarray:
    """Return components with the sign for which the largest entry of each is above zero."""
    largest = components[np.arange(len(components)), np.abs(components).argmax(axis=1)]
    return components * np.where(largest < 0, -1.0, 1.0)[:, None]


class PCA(Components):
    """Principal components of all rows.

    Parameters
    ----------
    n_components : int, float, "mle" or None
        How many; or, between 0 and 1, what part of the variance; "mle": the number that makes the rows the
        most likely (Minka 2000); None: as many as there are.
    whiten : bool
        Divide coordinates by their deviations.
    center : "yes", "no" or "auto"
        "auto" centres if at least one value in twenty is not zero. Sparse rows stay sparse.
    scale : str
        "none", "std", ... as of ``fenchel pca --scale``.
    method : str
        A name of ``fenchel list methods``, or "auto".
    observed : bool
        NaN are missing numbers, which are not imputed: components of the observed numbers alone, by "ppca", or by
        methods that learn row by row, such as "grouse", without a proof. ``transform`` projects rows by the features that they have.
    max_epochs : int or None
        Passes of a method that learns row by row; None: one.
    gap : float
        The share of the best possible variance that may be missing, by proof.
    max_seconds, random_state, n_jobs
        As of :class:`LinearClassifier`.

    Attributes
    ----------
    components_ : array of shape (n_components, n_features)
    explained_variance_, explained_variance_ratio_, singular_values_ : arrays of shape (n_components,)
    mean_ : array of shape (n_features,)
    noise_variance_ : float
    gap_ : float
    certificate_ : PCACertificate
    status_, model_

    Examples
    --------
    >>> from fenchel import PCA
    >>> p = PCA(1).fit([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]])
    >>> p.components_.round(3), p.certificate_.captured <= p.certificate_.upper
    (array([[0.707, 0.707]]), True)
    """

    def __init__(
        self, n_components: Any = None, *, whiten: bool = False, center: str = "yes", scale: str = "none", method: str = "auto", observed: bool = False,
        max_epochs: int | None = None, gap: float = 1e-3, max_seconds: float | None = None, random_state: Any = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.n_components = n_components
        self.whiten = whiten
        self.center = center
        self.scale = scale
        self.method = method
        self.observed = observed
        self.max_epochs = max_epochs
        self.gap = gap
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _spec(self, X: Any) -> dict[str, Any]:
        return {
            **self._size(X), "method": self.method, "center": self.center, "scale": self.scale, "whiten": "sample" if self.whiten else "", "gap": self.gap, "seconds": self.max_seconds,
            "seed": seed_of(self.random_state), "threads": threads_of(self.n_jobs), "missing": "observed" if self.observed else "", "epochs": self.max_epochs,
        }

    def _size(self, X: Any) -> dict[str, Any]:
        k, most = self.n_components, min(X.shape)
        if k is None:
            return {"share": 1.0}
        if isinstance(k, str) and k == "mle":
            return {"mle": True}
        if isinstance(k, (int, np.integer)) and 1 <= k <= most:
            return {"k": int(k)}
        if isinstance(k, (float, np.floating)) and 0 < k < 1:
            return {"share": float(k)}
        raise ValueError(f"n_components={k!r} must be between 1 and min(n_samples, n_features)={most}, a part of the variance between 0 and 1, or 'mle'")

    def fit(self, X: Any, y: Any = None) -> "PCA":
        """Find the components of X, an array or sparse matrix of shape (n_samples,
        n_features); y is not used."""
        self._fit(X)
        return self

    def _fit(self, X: Any) -> Any:
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, ensure_min_samples=2, ensure_all_finite="allow-nan" if self.observed else True)
        data = _ask.Data(X, names=self._names())
        if self.observed:
            X = data.gapped().X
        if self.center == "yes":
            data.centred()
        self.n_samples_ = X.shape[0]
        self._offsets = data.offsets
        answer, stopped = _ask.components(data, self._spec(X))
        answer["unproved"] = self.observed
        self._keep(answer, stopped, self._asked())
        return X

    def _asked(self) -> float:
        return self.gap

    def _shape(self) -> None:
        super()._shape()
        if self._offsets is not None:
            self.mean_ = self.mean_ + self._offsets

    def get_covariance(self) -> np.ndarray:
        """Return the covariance of the model: components and noise, n_features x n_features."""
        c = self.components_
        left = np.maximum(self.explained_variance_ - self.noise_variance_, 0)
        out = (c.T * left) @ c
        out.flat[:: len(out) + 1] += self.noise_variance_
        result: np.ndarray = out
        return result


class IncrementalPCA(Components):
    """Principal components of rows that come in batches, in memory for one of these.

    The method "ipca", without rows held out, is that of scikit-learn, for batches of the same
    sizes: later rows are learned in batches as large as the first one, and wait until there
    are as many. Nothing is proved of a stream: ``certificate_`` has NaN, until ``fenchel.verify(estimator, X)`` sees all rows.

    Parameters
    ----------
    n_components : int
    whiten : bool
    batch_size : int, optional
        Rows that are learned at a time: if it is None, 5 n_features by ``fit``, and as many as
        come first by ``partial_fit``.
    method : str
        A method of ``fenchel list methods`` for streams.
    center : "yes", "no" or "auto"
    hold_out : float
        Part of the rows not to learn from, to estimate what is captured of new ones.

    Attributes
    ----------
    n_samples_seen_ : int
    components_, explained_variance_, mean_, ...
        As of :class:`PCA`.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel import IncrementalPCA
    >>> X = np.random.RandomState(0).randn(60, 3) * [3, 2, 1]
    >>> p = IncrementalPCA(1)
    >>> for batch in np.split(X, 3):
    ...     p = p.partial_fit(batch)
    >>> p.n_samples_seen_, p.components_.shape
    (60, (1, 3))
    """

    def __init__(
        self, n_components: Any = None, *, whiten: bool = False, batch_size: int | None = None, method: str = "ipca", center: str = "yes", hold_out: float = 0.0,
        random_state: Any = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.n_components = n_components
        self.whiten = whiten
        self.batch_size = batch_size
        self.method = method
        self.center = center
        self.hold_out = hold_out
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any = None) -> "IncrementalPCA":
        """Forget all, and learn the rows of X, of shape (n_samples, n_features), in batches."""
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, ensure_min_samples=2)
        self.__dict__.pop("model_", None)
        self._learn(X, self.batch_size or 5 * X.shape[1])
        return self

    def partial_fit(self, X: Any, y: Any = None) -> "IncrementalPCA":
        """Learn further rows, of shape (n_samples, n_features)."""
        X = validate_data(self, X, reset=not hasattr(self, "model_"), accept_sparse="csr", dtype=FLOATS)
        self._learn(X, self.batch_size or X.shape[0])
        return self

    def _learn(self, X: Any, batch: int) -> None:
        before = getattr(self, "model_", None)
        if before is None:
            k = min(X.shape) if self.n_components is None else self.n_components
            if not isinstance(k, (int, np.integer)) or not 1 <= k <= X.shape[1]:
                raise ValueError(f"n_components={k!r} invalid for n_features={X.shape[1]}, need more rows than columns for IncrementalPCA processing")
            if k > X.shape[0]:
                raise ValueError(f"n_components={k} must be less or equal to the batch number of samples {X.shape[0]} for the first partial_fit call.")
            self.n_samples_seen_ = 0
        else:
            k = self.n_components_
            if self.n_components not in (None, k):
                raise ValueError(f"Number of input features has changed from {k} to {self.n_components} between calls to partial_fit! Try setting n_components to a fixed value.")
        spec = {
            "k": int(k), "method": f"ipca:batch={max(batch, k)}" if self.method == "ipca" else self.method, "center": self.center, "scale": "none", "whiten": "sample" if self.whiten else "", "hold_out": self.hold_out or -1.0,
            "seed": seed_of(self.random_state), "threads": threads_of(self.n_jobs),
        }  # fmt: skip
        answer, stopped = _ask.components(_ask.Data(X), spec, stream=True, init=before)
        self._spread(X, before is None)
        self.n_samples_seen_ += X.shape[0]
        self.n_samples_ = self.n_samples_seen_
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of a stream nothing is proved
            self._keep(answer, stopped, float("inf"))

    def _spread(self, X: Any, first: bool) -> None:
        """Keep the variance of each feature, by sums about the mean of the first rows."""
        if first:
            self._about = np.asarray(X.mean(axis=0), np.float64).ravel()
            self._sums = np.zeros((2, X.shape[1]))
        rows = X.toarray() if is_sparse(X) else X
        away = rows - self._about
        self._sums += [away.sum(axis=0), (away**2).sum(axis=0)]
        n = self.n_samples_seen_ + X.shape[0]
        self.var_ = self._sums[1] / n - (self._sums[0] / n) ** 2

    def _shape(self) -> None:
        super()._shape()
        self.batch_size_ = self.batch_size or 5 * self.n_features_in_


class KernelPCA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator):
    """Principal components of the images of rows in the space of a kernel, centred there, with a
    proof of how much more of their variance any directions of that space could capture.

    Parameters
    ----------
    n_components : int or None
        How many; None: all directions in which the images vary.
    kernel, gamma, degree, coef0
        A name of ``fenchel list kernels``, with its parameters, or a spec such as "rbf:gamma=0.1"; "cosine".
        A function of two rows, or "precomputed", where X is the kernel's matrix: then what is proved is of rows in single precision whose inner products are
        those of the images, as an eigendecomposition in double precision makes them. "sigmoid" is no inner product and refused.
    alpha : float
        Weight of the penalty of the kernel ridge regression by which ``inverse_transform`` makes rows.
    gap : float
        The share of the best possible variance that may be missing, by proof.
    max_seconds, random_state, n_jobs
        As of :class:`LinearClassifier`.

    Attributes
    ----------
    eigenvalues_ : array of shape (n_components,)
        Of the matrix of the kernel, centred.
    eigenvectors_ : array of shape (n_samples, n_components)
    certificate_ : PCACertificate
        About means over the rows: eigenvalues over n_samples.
    gap_, status_, model_

    Examples
    --------
    >>> from fenchel import KernelPCA
    >>> p = KernelPCA(1, gamma=1.0).fit([[0.0], [1.0], [3.0]])
    >>> p.eigenvalues_.round(3), p.certificate_.captured <= p.certificate_.upper
    (array([1.111]), True)
    """

    max_seconds = None
    _mean: np.ndarray  # of the columns of a matrix
    _negative = 0.0  # its least eigenvalue, as a share of the largest

    def __init__(
        self, n_components: Any = None, *, kernel: str | Callable[..., float] = "rbf", gamma: str | float | None = None, degree: float = 3, coef0: float = 1,
        alpha: float = 1.0, gap: float = 1e-3, max_seconds: float | None = None, random_state: Any = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.alpha = alpha
        self.gap = gap
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _kernel(self, X: Any) -> str:
        return "normalised(linear)" if self.kernel == "cosine" else Machine._kernel(self, X)  # type: ignore[arg-type]  # which has the parameters of a machine's kernel

    _gamma_of, _degree = Machine._gamma_of, Machine._degree

    def fit(self, X: Any, y: Any = None) -> "KernelPCA":
        """Find the components of the images of X, an array or sparse matrix of shape (n_samples,
        n_features); y is not used."""
        X = validate_data(self, X, accept_sparse="csr", dtype=FLOATS, ensure_min_samples=2)
        k, n = self.n_components, X.shape[0]
        if k is not None and (not isinstance(k, (int, np.integer)) or not 1 <= k <= n):
            raise ValueError(f"n_components={k!r}: expected 1 to {n}, the number of samples, or None")
        self.X_fit_ = X
        rows, self._mean = (X, np.zeros(0)) if self._named() else self._images(X)
        if rows.shape[1] < (n if k is None else k) and self._negative > 1e-5:
            raise ValueError(f"There are significant negative eigenvalues ({self._negative:g} of the maximum positive), and only {rows.shape[1]} positive ones")
        spec = {
            "kernel": self._kernel(X) if self._named() else "linear", "gap": self.gap, "scale": "none", "seconds": self.max_seconds,
            "seed": seed_of(self.random_state), "threads": threads_of(self.n_jobs), **({"share": 1.0} if k is None else {"k": int(k)}),
        }  # fmt: skip
        answer, stopped = _ask.components(_ask.Data(rows, names=self._names() if self._named() else None), spec)
        self.model_ = m = answer["model"]
        self.certificate_ = PCACertificate.of(answer["certificate"])
        self.eigenvalues_ = m.tensor("eigenvalues") * n
        self.eigenvectors_ = m.tensor("components").T * np.sqrt(self.eigenvalues_)
        self._n_features_out = len(self.eigenvalues_)
        self.gamma_ = Machine._gamma_of(self, X)  # type: ignore[arg-type]  # as in _kernel
        if stopped:
            self.status_, self.gap_ = answer["status"], self.certificate_.gap
            raise KeyboardInterrupt
        self._take(answer, self.gap)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Return the coordinates along the components, of shape (n_samples, n_components)."""
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=FLOATS)
        if not self._named():
            K = self._products(X, self.X_fit_)
            result: np.ndarray = (K - K.mean(axis=1, keepdims=True) - self._mean + self._mean.mean()) @ (self.eigenvectors_ / np.sqrt(self.eigenvalues_))
            return result
        return _ask.along_components("pca-project", self.model_, X, self._n_features_out, threads=threads_of(self.n_jobs))

    def _named(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel != "precomputed"

    def _products(self, X: Any, Y: Any) -> np.ndarray:
        """Return the kernel's values of rows of X and Y, float64; of a matrix these are X."""
        if not callable(self.kernel):
            K: np.ndarray = np.asarray(X.toarray() if is_sparse(X) else X, np.float64)
            return K
        return values(self.kernel, X, Y, getattr(self, "kernel_params", None))

    def _images(self, X: Any) -> tuple[np.ndarray, np.ndarray]:
        """Return rows whose inner products are those of the centred images, of a matrix that has negative eigenvalues as far as they are positive; and the means of its columns."""
        K = self._products(X, X)
        if K.shape[0] != K.shape[1]:
            raise ValueError(f"Precomputed matrix must be a square matrix. Input is a {K.shape[0]}x{K.shape[1]} matrix.")
        mean = K.mean(axis=0)
        K = K - K.mean(axis=1, keepdims=True) - mean + mean.mean()
        size = np.abs(K).max()
        if not np.allclose(K, K.T, rtol=0, atol=1e-6 * size):
            raise ValueError("found a matrix of a kernel that is not symmetric when it is centred, expected one that is")
        lengths, vectors = np.linalg.eigh((K + K.T) / 2)
        there = lengths > 1e-12 * len(K) * size
        self._negative = -lengths[0] / lengths[-1] if lengths[-1] > 0 else 0.0
        return vectors[:, there] * np.sqrt(lengths[there]), mean

    def inverse_transform(self, X: Any) -> np.ndarray:
        """Return rows, of shape (n_samples, n_features), of which the images have about these
        coordinates: kernel ridge regression of the rows of fit on theirs."""
        check_is_fitted(self)
        if not self._named():
            raise ValueError("found a kernel that is a function or a matrix, expected a name: rows of coordinates need the kernel's values of further rows")
        X = np.asarray(X, np.float64)
        if X.ndim != 2 or X.shape[1] != self._n_features_out:
            raise ValueError(f"found coordinates of shape {X.shape}, expected {self._n_features_out} of each row")
        return _ask.along_components("pca-invert", self.model_, X, self.n_features_in_, alpha=float(self.alpha), threads=threads_of(self.n_jobs))


def values(function: Callable[..., float], X: Any, Y: Any, how: dict[str, Any] | None) -> np.ndarray:
    """Return a function of two rows for all of X and Y, float64; of the same rows each pair once."""
    rows, others = ([A[i : i + 1] for i in range(A.shape[0])] if is_sparse(A) else list(A) for A in (X, Y))
    out = np.empty((len(rows), len(others)))
    for i, a in enumerate(rows):
        for j, b in enumerate(others):
            out[i, j] = out[j, i] if X is Y and j < i else float(function(a, b, **(how or {})))
    return out
