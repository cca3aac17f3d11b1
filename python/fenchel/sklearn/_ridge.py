"""Ridge regression for classes, and with alpha chosen by rows left out, as scikit-learn does."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _ask
from .._arrays import is_sparse
from .._base import FLOATS, positive, row_weights, validate_data
from .._warn import told
from ..linear import Classifier, Linear
from ._common import Routed, adopt, alphas_of, checked
from ._linear import LinearNumbers, Ridge

__all__ = ["RidgeCV", "RidgeClassifier", "RidgeClassifierCV"]


class Labelled(Classifier, Linear):
    """What the twins share whose rows may have several labels: y of shape (n_samples, n_labels) of zeros and ones, a problem each."""

    estimators_: list[Any]

    def predict(self, X: Any) -> np.ndarray:
        """Return the class of each row, of shape (n_samples,), or its labels, of shape (n_samples, n_labels)."""
        return (self._scores(X) > 0).astype(int) if hasattr(self, "estimators_") else super().predict(X)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


def several(y: Any) -> bool:
    """Tell whether rows have several labels."""
    labels = np.asarray(y)
    return labels.ndim == 2 and labels.shape[1] > 1


class RidgeClassifier(Labelled):
    """Twin of ``sklearn.linear_model.RidgeClassifier``: :class:`Ridge` of targets 1 and -1, for each class
    against the rest. Rows may have several labels.

    Attributes
    ----------
    coef_ : array of shape (n_features,) or (n_classes, n_features)
    intercept_ : array of shape (1,) or (n_classes,)
    classes_, n_iter_, gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import RidgeClassifier
    >>> RidgeClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.0], [3.0]])
    array([0, 1])
    """

    n_jobs = None

    def __init__(
        self, alpha: Any = 1.0, *, fit_intercept: bool = True, copy_X: bool = True, max_iter: int | None = None, tol: float = 1e-4,
        class_weight: dict[Any, float] | str | None = None, solver: str = "auto", positive: bool = False, random_state: Any = None,
    ) -> None:  # fmt: skip
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.max_iter = max_iter
        self.tol = tol
        self.class_weight = class_weight
        self.solver = solver
        self.positive = positive
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Train on X of shape (n_samples, n_features), y of shape (n_samples,), or (n_samples, n_labels) of zeros and ones, and ``sample_weight`` of shape (n_samples,)."""
        self.__dict__.pop("estimators_", None)
        if not several(y):
            return super().fit(X, y, sample_weight)
        checked(self)
        rows, y = validate_data(self, X, y, accept_sparse="csr", dtype=FLOATS, multi_output=True)
        if self.class_weight is not None:
            from sklearn.utils.class_weight import compute_sample_weight

            sample_weight = compute_sample_weight(self.class_weight, y) * (1 if sample_weight is None else np.asarray(sample_weight))
        adopt(self, Ridge(**{name: value for name, value in self.get_params().items() if name != "class_weight"}).fit(X, np.where(y > 0, 1.0, -1.0), sample_weight))
        self.classes_ = np.arange(y.shape[1])
        return self

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        checked(self)
        own = {name: value for name, value in self.get_params().items() if name != "class_weight"}
        return Ridge(**own)._spec(X, weights)

    def _asked(self) -> float:
        return Ridge(self.alpha, tol=self.tol)._asked()

    def _shape(self) -> None:
        self.coef_ = self.coef_[0] if len(self.coef_) == 1 else self.coef_
        if not self.fit_intercept and self._counted is None:
            self.intercept_ = 0.0


def left_out(X: Any, Y: np.ndarray, weights: np.ndarray | None, alphas: np.ndarray, fit_intercept: bool) -> np.ndarray:
    """Return what each row is predicted to be by the model of all others: rows x targets x alphas."""
    rows, targets, counts, kept = positive(X, Y, weights)
    spec = {"loss": "squared", "penalty": "l2", "bias": "free" if fit_intercept else "none", "scaling": "none", "task": "regression"}
    found = [_ask.leave_out(_ask.Data(rows, weights=counts, numbers=y).centred(), spec, [1 / a for a in alphas.tolist()]).T for y in targets.T]
    out = np.repeat(Y[:, :, None], len(alphas), axis=2)  # rows of weight zero have no error that counts
    out[slice(None) if kept is None else kept] = np.stack(found, axis=1)
    return out


class Chosen(Routed):
    """What the ridge twins share that choose alpha: by the closed form of rows left out one by one if ``cv`` is None,
    else by scikit-learn's ``GridSearchCV`` of the twin without."""

    n_jobs = None
    alphas: Any
    cv: Any
    scoring: Any
    fit_intercept: bool
    store_cv_results: bool

    def _get_scorer(self) -> Any:
        """Return what judges, a scorer of scikit-learn."""
        from sklearn.metrics import check_scoring, get_scorer
        from sklearn.utils._metadata_requests import _routing_enabled

        if _routing_enabled() and self.scoring is None:
            return get_scorer("accuracy" if isinstance(self, Classifier) else "r2").set_score_request(sample_weight=True)
        return check_scoring(self, scoring=self.scoring, allow_none=True)

    def _chosen(self, single: Any, X: Any, rows: Any, y: np.ndarray, sample_weight: Any, Y: np.ndarray, params: dict[str, Any]) -> Any:
        """Choose for ``single``, the twin without a choice: Y are the targets of y, one or more, ``rows`` X as an array."""
        from sklearn.model_selection import GridSearchCV
        from sklearn.utils._metadata_requests import _routing_enabled

        scorer, alphas = self._get_scorer(), alphas_of(self.alphas, self.cv is not None)
        seen = self._routed("fit", sample_weight, params)[1]
        if self.cv is not None:
            if self.store_cv_results or getattr(self, "alpha_per_target", False):
                raise ValueError(f"cv!=None and {'store_cv_results' if self.store_cv_results else 'alpha_per_target'}=True are incompatible")
            grid = GridSearchCV(single, {"alpha": alphas.tolist()}, cv=self.cv, scoring=scorer)
            if _routing_enabled():
                single.set_fit_request(sample_weight=True)
            grid.fit(X, y, **({} if sample_weight is None else {"sample_weight": sample_weight}), **params)
            self.alpha_, self.best_score_ = grid.best_params_["alpha"], grid.best_score_
            return adopt(self, grid.best_estimator_)
        factors = single._factors(*np.unique(y, return_inverse=True), row_weights(sample_weight, rows)) if hasattr(single, "_factors") and y.ndim == 1 else None
        weights = row_weights(sample_weight, rows, factors)
        found = left_out(rows, Y, weights, alphas, self.fit_intercept)
        errors = (Y[:, :, None] - found) ** 2 * (1 if weights is None else weights[:, None, None])
        scores = self._scored(scorer, found, y, seen) if self.scoring is not None else -errors.mean(axis=0)
        if not getattr(self, "alpha_per_target", False) and scores.ndim == 2:
            scores = scores.mean(axis=0)
        best = scores.argmax(axis=-1)
        self.alpha_, self.best_score_ = alphas[best], scores.max(axis=-1)
        if np.size(best) == 1:
            self.alpha_, self.best_score_ = float(np.ravel(self.alpha_)[0]), float(np.ravel(self.best_score_)[0])
        if self.store_cv_results:
            self.cv_results_ = errors if self.scoring is None else found
            self.cv_results_ = self.cv_results_[:, 0] if y.ndim == 1 and Y.shape[1] == 1 and hasattr(single, "_gather") else self.cv_results_
        return adopt(self, single.set_params(alpha=self.alpha_).fit(X, y, sample_weight))

    def _scored(self, scorer: Any, found: np.ndarray, y: np.ndarray, seen: dict[str, Any]) -> np.ndarray:
        """Return the score of each alpha, or of each target and alpha, by predictions of rows left out."""
        from sklearn.linear_model._ridge import _IdentityClassifier, _IdentityRegressor

        if isinstance(self, Classifier) and y.ndim == 1:
            found = np.concatenate([-found, found], axis=1) if found.shape[1] == 1 else found
            judge, codes = _IdentityClassifier(classes=np.arange(found.shape[1])), np.unique(y, return_inverse=True)[1]
            return np.array([scorer(judge, found[:, :, k], codes, **seen) for k in range(found.shape[2])])
        if getattr(self, "alpha_per_target", False):
            return np.array([[scorer(_IdentityRegressor(), found[:, t, k], y.reshape(len(y), -1)[:, t], **seen) for k in range(found.shape[2])] for t in range(found.shape[1])])
        return np.array([scorer(_IdentityRegressor(), found[:, :, k].reshape(y.shape), y, **seen) for k in range(found.shape[2])])


class RidgeCV(Chosen, LinearNumbers):
    """Twin of ``sklearn.linear_model.RidgeCV``; it needs scikit-learn. Without ``cv`` rows are left out one by one, in
    closed form, of up to 4,096 rows or features; ``gcv_mode`` changes nothing.

    Attributes
    ----------
    alpha_ : float, or array of shape (n_targets,)
    best_score_ : float, or array of shape (n_targets,)
    cv_results_ : array of shape (n_samples, n_alphas) or (n_samples, n_targets, n_alphas)
        With ``store_cv_results``.
    coef_, intercept_, n_iter_, gap_, certificate_, status_, model_
        As of :class:`Ridge`.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.sklearn import RidgeCV
    >>> X = np.arange(10.0)[:, None]
    >>> RidgeCV().fit(X, 2 * X.ravel()).alpha_
    0.1
    """

    def __init__(
        self, alphas: Any = (0.1, 1.0, 10.0), *, fit_intercept: bool = True, scoring: Any = None, cv: Any = None, gcv_mode: str | None = None,
        store_cv_results: bool = False, alpha_per_target: bool = False,
    ) -> None:  # fmt: skip
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Any:
        """Choose alpha and train with it: X of shape (n_samples, n_features), y of shape (n_samples,) or (n_samples,
        n_targets), ``sample_weight`` of shape (n_samples,); ``params`` are for folds and scorer, with metadata routing."""
        checked(self)
        rows, y = validate_data(self, X, y, accept_sparse="csr", dtype=FLOATS, multi_output=True, y_numeric=True)
        if self.gcv_mode == "svd" and self.cv is None and is_sparse(rows):
            told("The 'svd' mode is not supported for sparse X, we fallback to `gcv_mode='eigen'`. Passing `gcv_mode='svd'` on sparse X will raise an error in 1.11 of scikit-learn.", FutureWarning)
        single = Ridge(fit_intercept=self.fit_intercept)
        return self._chosen(single, X, rows, y, sample_weight, y.reshape(len(y), -1).astype(np.float64), params)


class RidgeClassifierCV(Chosen, Labelled):
    """Twin of ``sklearn.linear_model.RidgeClassifierCV``; see :class:`RidgeCV` and :class:`RidgeClassifier`.

    Attributes
    ----------
    alpha_, best_score_ : float
    cv_results_ : array of shape (n_samples, n_outputs, n_alphas)
    coef_, intercept_, classes_, gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import RidgeClassifierCV
    >>> RidgeClassifierCV().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.0], [3.0]])
    array([0, 1])
    """

    def __init__(
        self, alphas: Any = (0.1, 1.0, 10.0), *, fit_intercept: bool = True, scoring: Any = None, cv: Any = None, class_weight: dict[Any, float] | str | None = None,
        store_cv_results: bool = False,
    ) -> None:  # fmt: skip
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.class_weight = class_weight
        self.store_cv_results = store_cv_results

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> Any:
        """Choose alpha and train with it: X of shape (n_samples, n_features), y of shape (n_samples,), or (n_samples, n_labels) of zeros and ones, and ``sample_weight`` of shape
        (n_samples,); ``params`` are for folds and scorer, with metadata routing."""
        checked(self)
        self.__dict__.pop("estimators_", None)
        rows, y = validate_data(self, X, y, accept_sparse="csr", dtype=FLOATS, multi_output=several(y))
        classes, codes = np.unique(y, return_inverse=True)
        Y = np.where(y > 0, 1.0, -1.0) if y.ndim == 2 else np.where(codes[:, None] == np.arange(len(classes)), 1.0, -1.0)
        single = RidgeClassifier(fit_intercept=self.fit_intercept, class_weight=self.class_weight)
        return self._chosen(single, X, rows, y, sample_weight, Y[:, 1:] if y.ndim == 1 and len(classes) == 2 else Y, params)
