"""Logistic regression with C chosen by cross-validation, as scikit-learn does."""

from __future__ import annotations

import inspect
import numbers
from typing import Any

import numpy as np

from .. import _ask
from .._base import FLOATS, Certificate, class_factors, encode, spelled, validate_data
from .._tune import problem, splits
from .._warn import told
from ..linear import LOW
from ._common import Routed
from ._linear import LogisticRegression

__all__ = ["LogisticRegressionCV"]

SCORES = {"accuracy": "accuracy", "balanced_accuracy": "balanced", "roc_auc": "auc", "neg_log_loss": "logloss", "f1_macro": "f1"}  # those of the engine

DEFAULTS = {  # that scikit-learn changes
    "l1_ratios": "for l1_ratios will change from None to (0.0,) in version 1.10", "use_legacy_attributes": "of use_legacy_attributes will change from True to False in version 1.10",
    "scoring": "of the parameter 'scoring' will change from None, i.e. accuracy, to 'neg_log_loss' in version 1.11",
}  # fmt: skip


def knowing(scorer: Any, classes: np.ndarray) -> Any:
    """Return a scorer of scikit-learn that knows all classes, where its score asks for them: the rows of a fold may not have all."""
    from sklearn.metrics import make_scorer

    asked = inspect.signature(scorer._score_func).parameters if hasattr(scorer, "_score_func") else {}
    if "labels" not in asked:
        return scorer
    own = {"pos_label": classes[-1]} if len(classes) == 2 and "pos_label" in asked else {}
    return make_scorer(scorer._score_func, greater_is_better=scorer._sign == 1, response_method=scorer._response_method, **{"labels": classes, **own, **scorer._kwargs})


class LogisticRegressionCV(Routed, LogisticRegression):
    """Twin of ``sklearn.linear_model.LogisticRegressionCV``; it needs scikit-learn, whose
    folds it takes. The engine judges all values of C on all folds, as ``fenchel.tune`` does, by
    the scores accuracy, balanced_accuracy, roc_auc, neg_log_loss and f1_macro; for others, or a
    function, it trains the models one after another, and scikit-learn judges them.

    With ``refit=False`` the weights are the mean of those that are best on each fold,
    of which nothing is proved: ``gap_`` is NaN. Other parameters are those of :class:`LogisticRegression`.

    Attributes
    ----------
    C_, l1_ratio_ : float, or arrays of shape (1,) or (n_classes,) unless ``use_legacy_attributes=False``
        The chosen ones, or their means over the folds.
    Cs_ : array of shape (n_cs,)
    l1_ratios_ : array of shape (n_l1_ratios,)
    scores_ : array of shape (n_folds, n_l1_ratios, n_cs)
    coefs_paths_ : array of shape (n_folds, n_l1_ratios, n_cs, n_classes, n_features + 1), or 1 for two classes
        Unless ``use_legacy_attributes=False`` both are dicts by class, of shape (n_folds, n_cs, n_l1_ratios, ...),
        without the third if ``l1_ratios`` is None.
    n_iter_ : array of shape (n_folds, n_l1_ratios, n_cs), or (1, n_folds, n_cs, n_l1_ratios) so
        Passes, at least 1. They are few where the folds share what another C has found.

    Examples
    --------
    >>> import numpy as np
    >>> from fenchel.sklearn import LogisticRegressionCV
    >>> X = np.arange(20.0)[:, None]
    >>> LogisticRegressionCV(Cs=[0.1, 1.0], cv=2).fit(X, X.ravel() > 9.5).Cs_
    array([0.1, 1. ])
    """

    C_: Any
    l1_ratio_: Any
    scores_: Any
    coefs_paths_: Any

    def __init__(
        self, *, Cs: Any = 10, l1_ratios: Any = "warn", fit_intercept: bool = True, cv: Any = None, dual: bool = False, penalty: str | None = "deprecated",
        scoring: Any = "warn", solver: str = "lbfgs", tol: float = 1e-4, max_iter: int = 100, class_weight: dict[Any, float] | str | None = None,
        n_jobs: int | None = None, verbose: bool | int = 0, refit: bool = True, intercept_scaling: float = 1.0, random_state: Any = None,
        use_legacy_attributes: bool | str = "warn",
    ) -> None:  # fmt: skip
        super().__init__(
            penalty, dual=dual, tol=tol, fit_intercept=fit_intercept, intercept_scaling=intercept_scaling, class_weight=class_weight,
            random_state=random_state, solver=solver, max_iter=max_iter, verbose=verbose, n_jobs=n_jobs,
        )  # fmt: skip
        del self.C, self.l1_ratio, self.warm_start
        self.Cs = Cs
        self.l1_ratios = l1_ratios
        self.cv = cv
        self.scoring = scoring
        self.refit = refit
        self.use_legacy_attributes = use_legacy_attributes

    def _announce(self) -> None:
        """Warn of parameters that scikit-learn gives up, and of defaults that it changes."""
        if self.penalty != "deprecated":
            told("'penalty' was deprecated in version 1.8 and will be removed in 1.10 of scikit-learn. Leave it out and use l1_ratios=(0,) instead of penalty='l2', l1_ratios=(1,) instead of "
                 "penalty='l1', l1_ratios between 0 and 1 instead of penalty='elasticnet', and Cs=(np.inf,) instead of penalty=None.", FutureWarning)  # fmt: skip
        elif self.l1_ratios is None:
            told("'l1_ratios=None' was deprecated in version 1.8 and will trigger an error in 1.10 of scikit-learn. Use an array-like with values in [0, 1] instead.", FutureWarning)
        for name, text in DEFAULTS.items():
            if isinstance(given := getattr(self, name), str) and given == "warn":
                told(f"The default value {text} of scikit-learn. To silence this warning, set it explicitly.", FutureWarning)

    def _get_scorer(self) -> Any:
        """Return what judges, a scorer of scikit-learn: the accuracy where ``scoring`` says nothing else."""
        from sklearn.metrics import get_scorer

        return get_scorer("accuracy" if self.scoring is None or isinstance(self.scoring, str) and self.scoring == "warn" else self.scoring)

    def score(self, X: Any, y: Any, **params: Any) -> float:  # type: ignore[override]  # weights are the scorer's
        """Return the score of rows by ``scoring``; ``params`` are for the scorer: ``sample_weight``, and with metadata routing others."""
        return float(self._get_scorer()(self, X, y, **self._routed("score", params.pop("sample_weight", None), params)[1]))

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **params: Any) -> "LogisticRegressionCV":
        """Choose C and train with it on all rows: X of shape (n_samples, n_features), y and
        ``sample_weight`` of shape (n_samples,); ``params`` are for folds and scorer, with metadata routing."""
        from sklearn.base import is_classifier
        from sklearn.model_selection import check_cv

        dealt, seen = self._routed("fit", sample_weight, params)
        self._announce()
        if self.penalty == "elasticnet" and (self.l1_ratios is None or isinstance(self.l1_ratios, str)):
            raise ValueError(f"l1_ratios must be an array-like of numbers between 0 and 1; got (l1_ratios={self.l1_ratios!r})")
        rows, y = validate_data(self, X, y, accept_sparse="csr", dtype=FLOATS)
        weights = None if sample_weight is None else np.broadcast_to(np.asarray(sample_weight, float), len(y))
        self.Cs_ = np.logspace(-4, 4, self.Cs) if isinstance(self.Cs, numbers.Integral) else np.asarray(self.Cs, float)
        ratios = [0.0] if self.l1_ratios is None or isinstance(self.l1_ratios, str) else list(self.l1_ratios)
        scoring = "accuracy" if self.scoring is None or isinstance(self.scoring, str) and self.scoring == "warn" else self.scoring
        seen = {name: np.broadcast_to(np.asarray(value), len(y)) if name == "sample_weight" else value for name, value in seen.items()}
        folds = list(check_cv(self.cv, y, classifier=is_classifier(self)).split(rows, y, **dealt))
        self._weight = self.class_weight
        if isinstance(self.class_weight, str):  # as scikit-learn has them: of all rows, for every fold
            classes, codes = encode(y)
            factors = class_factors(self.class_weight, classes, codes, weights)
            self._weight = {label: float(np.asarray(factors)[codes == k][0]) for k, label in enumerate(classes)}
        self.l1_ratios_, self._now = np.asarray(ratios), (1.0, ratios[0])
        whole = all(len(np.unique(y[train])) == len(np.unique(y)) for train, _ in folds)
        if whole and isinstance(scoring, str) and scoring in SCORES and (weights is None) == ("sample_weight" not in seen):
            self.scores_, self.coefs_paths_, passes = self._searched(rows, y, weights, folds, ratios, scoring)
        else:
            scorer = knowing(self._get_scorer(), np.unique(y))
            paths = [[self._path(rows, y, weights, train, test, ratio, scorer, seen) for ratio in ratios] for train, test in folds]
            self.scores_, self.coefs_paths_, passes = (np.array([[[c[part] for c in path] for path in fold] for fold in paths]) for part in range(3))
        best = self.scores_.mean(axis=0)[None] if self.refit else self.scores_
        best = np.array([np.unravel_index(scores.T.argmax(), scores.T.shape) for scores in best])  # of equal ones the first C, as scikit-learn does
        self.C_, self.l1_ratio_ = float(self.Cs_[best[:, 0]].mean()), float(self.l1_ratios_[best[:, 1]].mean())
        self._now = (self.C_, self.l1_ratio_)
        if self.refit:
            super().fit(X, y, sample_weight)
        else:
            self._average(y, self.coefs_paths_[np.arange(len(folds)), best[:, 1], best[:, 0]].mean(axis=0))
        self.n_iter_ = passes
        if self.use_legacy_attributes is not False:
            self._by_class()
        return self

    def _average(self, y: np.ndarray, weights: np.ndarray) -> None:
        """Take over weights that are means of those of other models, of which nothing is proved."""
        self.classes_ = np.unique(y)
        self.coef_, self.intercept_ = (weights[:, :-1], weights[:, -1]) if self.fit_intercept else (weights, np.zeros(len(weights)))
        self.certificate_, self.gap_, self.status_ = Certificate(*[float("nan")] * 5), float("nan"), "averaged"
        for name in ("model_", "_now", "_weight"):
            self.__dict__.pop(name, None)

    def _by_class(self) -> None:
        """Give attributes the form that they have in scikit-learn before 1.10: a dict with an entry for each class, which differ in the weights alone."""
        classes = self.classes_ if len(self.classes_) > 2 else self.classes_[1:]
        ratios = slice(None) if self.l1_ratios is not None and not isinstance(self.l1_ratios, str) else 0
        scores = np.moveaxis(self.scores_, 1, 2)[:, :, ratios]
        self.scores_ = dict.fromkeys(classes.tolist(), scores)
        self.C_, self.l1_ratio_ = np.full(len(classes), self.C_), np.full(len(classes), self.l1_ratio_)
        self.n_iter_ = np.moveaxis(self.n_iter_, 1, 2)[None, :, :, ratios]
        self.coefs_paths_ = {label: np.moveaxis(self.coefs_paths_[..., k, :], 1, 2)[:, :, ratios] for k, label in enumerate(classes.tolist())}

    def _one(self, C: float, ratio: float, warm: bool = False) -> LogisticRegression:
        ratio = {"l1": 1.0, "l2": 0.0, None: 0.0}.get(self.penalty, ratio)
        return LogisticRegression(
            C=np.inf if self.penalty is None else C, l1_ratio=ratio, tol=self.tol, fit_intercept=self.fit_intercept, intercept_scaling=self.intercept_scaling,
            class_weight=self._weight, random_state=self.random_state, solver=self.solver, max_iter=self.max_iter, warm_start=warm, n_jobs=self.n_jobs,
        )  # fmt: skip

    def _searched(self, X: Any, y: np.ndarray, weights: Any, folds: Any, ratios: list[float], scoring: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the score, the weights and the passes of each fold, ratio and C, by one search of the engine."""
        one = self._one(1.0, ratios[0])
        one.classes_ = np.unique(y)
        penalties = ",".join(self._one(1.0, ratio)._term() for ratio in ratios)
        data, spec = problem(one, X, y, weights, "")
        if len(labels := data.labels or []) < 2:
            raise ValueError("This solver needs samples of at least 2 classes in the data, but all that count belong to the same class")
        axes = f"penalty={penalties} C={','.join(repr(float(C)) for C in self.Cs_)}"
        answer = _ask.tune(data, spec, splits(folds, data, y), search=axes, score=SCORES[scoring], weights=True)
        for candidate in answer["candidates"]:
            if candidate["reason"]:
                raise ValueError(candidate["reason"])
        shape = (len(ratios), len(self.Cs_), len(folds))
        scores = np.moveaxis(np.reshape([c["scores"] for c in answer["candidates"]], shape).astype(float), -1, 0)
        coefs = np.moveaxis(np.reshape(answer["weights"], (*shape, -1, X.shape[1] + 1)), 2, 0)
        if coefs.shape[3] > 1:
            coefs[:, [r == 0 for r in ratios]] -= coefs[:, [r == 0 for r in ratios]].mean(axis=3, keepdims=True)  # what all scores have in common says nothing
        if len(labels) < len(one.classes_):
            one._counted = np.flatnonzero(np.isin(spelled(one.classes_), labels))
            coefs = np.stack([one._widen(coefs[..., j], LOW if j == X.shape[1] else 0) for j in range(X.shape[1] + 1)], axis=-1)
        passes = np.moveaxis(np.maximum(1, np.reshape(answer["epochs"], shape)), -1, 0)
        return -scores if answer["lower"] else scores, coefs if self.fit_intercept else coefs[..., :-1], passes

    def _path(self, X: Any, y: np.ndarray, weights: Any, train: np.ndarray, test: np.ndarray, ratio: float, scorer: Any, seen: dict[str, Any]) -> list[tuple[Any, ...]]:
        """Return the score, the weights and the passes of each C on one fold, which may lack a class."""
        found = {}
        model = self._one(1.0, ratio, warm=True)
        own = np.zeros(len(y))
        own[train] = 1.0 if weights is None else weights[train]
        seen = {name: value[test] if np.ndim(value) and len(value) == len(y) else value for name, value in seen.items()}
        for C in sorted(self.Cs_):
            model.set_params(C=C).fit(X, y, own)
            coef = np.column_stack([model.coef_, model.intercept_]) if self.fit_intercept else model.coef_
            found[C] = scorer(model, X[test], y[test], **seen), coef, model.n_iter_[0]
        return [found[C] for C in self.Cs_]

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        one = self._one(*self._now)
        one.classes_ = self.classes_
        return one._spec(X, weights)

    def _learn(self, data: Any, task: str, init: Any = None) -> None:
        super(LogisticRegression, self)._learn(data, task, init)
        del self._now, self._weight
