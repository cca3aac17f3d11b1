"""Linear models of rows that come in batches and are seen once, by the steps that Vowpal Wabbit makes by default: adaptive,
normalised and invariant gradient descent. Nothing is proved of them; the loss of each row before it was learned from
says how good they are.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _ask
from ._base import FLOATS, available_if, encode, spelled, validate_data
from .linear import Classifier, Linear, Regressor, _probabilistic, probabilities

__all__ = ["OnlineClassifier", "OnlineRegressor"]


class Online(Linear):
    """What online classifiers and regressors share."""

    def _partial(self, data: _ask.Data) -> None:
        before = getattr(self, "model_", None)
        answer, stopped = _ask.online(data, str(self.loss), before)
        self.model_ = answer["model"]
        self.coef_, self.intercept_ = self.model_.weights()
        self.status_, seen = answer["status"], answer["one_pass"]
        self.n_samples_seen_, self.loss_, self.loss_error_ = seen["rows"], seen["loss"], seen["standard_error"]
        self._shape()
        if stopped:
            raise KeyboardInterrupt

    def _rows(self, X: Any, y: Any, reset: bool, **how: Any) -> tuple[Any, Any]:
        result: tuple[Any, Any] = validate_data(self, X, y, reset=reset, accept_sparse="csr", dtype=FLOATS, **how)
        return result

    def _forget(self) -> None:
        for name in ("model_", "classes_"):
            self.__dict__.pop(name, None)


class OnlineClassifier(Classifier, Online):
    """A linear classifier of two classes that learns each row once.

    Parameters
    ----------
    loss : "logistic" or "hinge"

    Attributes
    ----------
    coef_ : array of shape (1, n_features)
    intercept_ : array of shape (1,)
    classes_ : array of shape (2,)
    n_samples_seen_ : int
    loss_, loss_error_ : float
        Mean loss of all rows so far, each before it was learned from, and its standard error as if rows were independent.
    model_ : Model
        ``model_.save(path)`` writes it for the command line; ``fenchel train DATA --init`` goes on to a proof.

    Examples
    --------
    >>> from fenchel import OnlineClassifier
    >>> c = OnlineClassifier()
    >>> for batch in range(3):
    ...     c = c.partial_fit([[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "b"], classes=["a", "b"])
    >>> c.n_samples_seen_, c.predict([[0.0], [3.0]])
    (12, array(['a', 'b'], dtype='<U1'))
    """

    def __init__(self, loss: str = "logistic") -> None:
        self.loss = loss

    def fit(self, X: Any, y: Any) -> "OnlineClassifier":  # type: ignore[override]  # rows of one pass have no weights
        """Forget all, and learn each row of X, of shape (n_samples, n_features), once, in order; y has the two classes."""
        self._forget()
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> "OnlineClassifier":
        """Learn further rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_samples, n_features)
        y : array of shape (n_samples,)
        classes : array of shape (2,), optional
            Both classes; needed in the first call unless y has both.

        Returns
        -------
        self
        """
        first = not hasattr(self, "model_")
        X, y = self._rows(X, y, first)
        found, codes = encode(y)
        if first:
            known = found if classes is None else np.unique(np.asarray(classes))
            if len(known) == 1:
                raise ValueError(f"This solver needs samples of at least 2 classes in the data, but the data contains only one class: {found.tolist()[0]!r}; name both by classes=")
            if len(known) != 2:
                raise ValueError(f"Only binary classification is supported. found {len(known)} classes, expected 2")
        else:
            known = self.classes_
            if classes is not None and not np.array_equal(known, np.unique(np.asarray(classes))):
                raise ValueError(f"classes={classes!r}: expected {known.tolist()}, those of the first call to partial_fit")
        if not np.isin(found, known).all():
            raise ValueError(f"y: found the label {found[~np.isin(found, known)].tolist()[0]!r}, expected {known.tolist()}")
        codes = np.searchsorted(known, found)[codes].astype(np.uint32)
        self.classes_ = known
        self._partial(_ask.Data(X, names=self._names(), codes=codes, labels=spelled(known)))
        return self

    @available_if(_probabilistic)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return probabilities of shape (n_samples, 2), with the loss logistic."""
        return probabilities(self.decision_function(X))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


class OnlineRegressor(Regressor, Online):
    """A linear regressor that learns each row once.

    Parameters
    ----------
    loss : "squared", "absolute" or "quantile:tau=X"

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : float
    n_samples_seen_, loss_, loss_error_, model_
        As of :class:`OnlineClassifier`; of the loss squared ``loss_`` is the mean of (p-y)^2.

    Examples
    --------
    >>> from fenchel import OnlineRegressor
    >>> r = OnlineRegressor()
    >>> for batch in range(50):
    ...     r = r.partial_fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> r.n_samples_seen_, bool(2.9 < r.predict([[1.0]])[0] < 3.1)
    (150, True)
    """

    def __init__(self, loss: str = "squared") -> None:
        self.loss = loss

    def fit(self, X: Any, y: Any) -> "OnlineRegressor":  # type: ignore[override]  # as above
        """Forget all, and learn each row of X, of shape (n_samples, n_features), once, in order; y has their numbers."""
        self._forget()
        return self.partial_fit(X, y)

    def partial_fit(self, X: Any, y: Any) -> "OnlineRegressor":
        """Learn further rows: X of shape (n_samples, n_features), y of shape (n_samples,)."""
        X, y = self._rows(X, y, not hasattr(self, "model_"), y_numeric=True)
        self._partial(_ask.Data(X, names=self._names(), numbers=np.asarray(y, np.float64)))
        return self

    def _shape(self) -> None:
        self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
