"""Ridge regression for classes, and with alpha chosen by rows left out, as scikit-learn does."""

from __future__ import annotations

from typing import Any

import numpy as np

from .. import _ask
from .._base import FLOATS, Mixin, positive, row_weights, validate_data
from ..linear import Classifier, Linear
from ._common import adopt, checked
from ._linear import LinearNumbers, Ridge

__all__ = ["RidgeCV", "RidgeClassifier", "RidgeClassifierCV"]


class RidgeClassifier(Classifier, Linear):
    """Twin of ``sklearn.linear_model.RidgeClassifier``: :class:`Ridge` of targets 1 and -1, for each class
    against the rest. Refused: rows of several labels.

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


class Chosen(Mixin):
    """What the ridge twins share that choose alpha: by the closed form of rows left out one by one if ``cv`` is None,
    else by scikit-learn's ``GridSearchCV`` of the twin without."""

    n_jobs = None
    alphas: Any
    cv: Any
    scoring: Any
    fit_intercept: bool
    store_cv_results: bool

    def _chosen(self, single: Any, X: Any, rows: Any, y: np.ndarray, sample_weight: Any, Y: np.ndarray) -> Any:
        """Choose for ``single``, the twin without a choice: Y are the targets of y, one or more, ``rows`` X as an array."""
        from sklearn.metrics import check_scoring
        from sklearn.model_selection import GridSearchCV

        scorer = check_scoring(self, scoring=self.scoring, allow_none=True)
        alphas = np.atleast_1d(np.asarray(self.alphas, np.float64))
        if not (alphas > 0 if self.cv is None else alphas >= 0).all():
            raise ValueError(f"alphas: found {alphas.min():g}, expected numbers {'>' if self.cv is None else '>='} 0")
        if self.cv is not None:
            if self.store_cv_results or getattr(self, "alpha_per_target", False):
                raise ValueError(f"cv!=None and {'store_cv_results' if self.store_cv_results else 'alpha_per_target'}=True are incompatible")
            grid = GridSearchCV(single, {"alpha": alphas.tolist()}, cv=self.cv, scoring=scorer)
            grid.fit(X, y, **({} if sample_weight is None else {"sample_weight": sample_weight}))
            self.alpha_, self.best_score_ = grid.best_params_["alpha"], grid.best_score_
            return adopt(self, grid.best_estimator_)
        weights = row_weights(sample_weight, rows, single._factors(*np.unique(y, return_inverse=True), row_weights(sample_weight, rows)) if hasattr(single, "_factors") else None)
        found = left_out(rows, Y, weights, alphas, self.fit_intercept)
        errors = (Y[:, :, None] - found) ** 2 * (1 if weights is None else weights[:, None, None])
        scores = self._scored(scorer, found, y, sample_weight) if self.scoring is not None else -errors.mean(axis=0)
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

    def _scored(self, scorer: Any, found: np.ndarray, y: np.ndarray, sample_weight: Any) -> np.ndarray:
        """Return the score of each alpha, or of each target and alpha, by predictions of rows left out."""
        from sklearn.linear_model._ridge import _IdentityClassifier, _IdentityRegressor

        seen = {} if sample_weight is None else {"sample_weight": sample_weight}
        if isinstance(self, Classifier):
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Choose alpha and train with it: X of shape (n_samples, n_features), y of shape (n_samples,) or (n_samples,
        n_targets), ``sample_weight`` of shape (n_samples,)."""
        checked(self)
        rows, y = validate_data(self, X, y, accept_sparse="csr", dtype=FLOATS, multi_output=True, y_numeric=True)
        single = Ridge(fit_intercept=self.fit_intercept)
        return self._chosen(single, X, rows, y, sample_weight, y.reshape(len(y), -1).astype(np.float64))


class RidgeClassifierCV(Chosen, Classifier, Linear):
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Choose alpha and train with it: X of shape (n_samples, n_features), y and ``sample_weight`` of shape (n_samples,)."""
        checked(self)
        rows, y = validate_data(self, X, y, accept_sparse="csr", dtype=FLOATS)
        classes, codes = np.unique(y, return_inverse=True)
        Y = np.where(codes[:, None] == np.arange(len(classes)), 1.0, -1.0)
        single = RidgeClassifier(fit_intercept=self.fit_intercept, class_weight=self.class_weight)
        return self._chosen(single, X, rows, y, sample_weight, Y[:, 1:] if len(classes) == 2 else Y)
