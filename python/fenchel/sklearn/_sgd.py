"""Linear models of many losses under the names and with the parameters of scikit-learn's stochastic gradient descent."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._base import FLOATS, Mixin, available_if, encode, seed_of, threads_of, validate_data
from .._verify import elastic
from .._warn import told
from ..linear import Classifier, Linear, Regressor, probabilities
from ..online import OnlineClassifier, OnlineRegressor
from ._common import above_zero, checked, insensitive, limit, refuse
from ._linear import unpenalised

__all__ = ["SGDClassifier", "SGDRegressor"]


class Descent(Mixin):
    """What both share: the best weights of the objective, of which the gap is proved."""

    loss: str
    penalty: str | None
    alpha: float
    epsilon: float
    l1_ratio: float | None
    fit_intercept: bool
    max_iter: int
    tol: float | None
    warm_start: bool
    power_t: float
    LOSSES: dict[str, str] = {}
    ONLINE: dict[str, str] = {}

    def fit(self, X: Any, y: Any, coef_init: Any = None, intercept_init: Any = None, sample_weight: Any = None) -> Any:  # type: ignore[override]  # the order is scikit-learn's
        """Train on X of shape (n_samples, n_features), y and ``sample_weight`` of shape (n_samples,). Where training begins, ``coef_init`` and
        ``intercept_init`` of the shapes of ``coef_`` and ``intercept_``, changes nothing."""
        super().fit(X, y, sample_weight)
        for name, given, own in (("coef_init", coef_init, self.coef_), ("intercept_init", intercept_init, self.intercept_)):
            if given is not None and np.size(given) != np.size(own) or np.ndim(given) == 2 and np.shape(given) != np.shape(own):
                raise ValueError(f"Provided {name} does not match dataset: found the shape {np.shape(given)}, expected {np.shape(own)}")
        return self

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        checked(self)
        if self.power_t < 0:
            told("Negative values for `power_t` are deprecated in version 1.8 of scikit-learn and will raise an error in 1.10. Use values in the range [0.0, inf) instead.", FutureWarning)
        refuse(self, loss=(*self.LOSSES, "huber", "squared_error", "epsilon_insensitive", "squared_epsilon_insensitive"), penalty=("l2", "l1", "elasticnet", None), early_stopping=False, learning_rate=("optimal", "constant", "invscaling", "adaptive"))
        loss, times = self.LOSSES.get(self.loss, "squared"), 1.0
        if self.loss == "huber":
            loss = f"huber:delta={above_zero(self, 'epsilon')[0]!r}"
        elif self.loss.endswith("insensitive"):
            loss, times = insensitive(self.loss, self.epsilon)
        elif self.loss == "modified_huber":  # four times a hinge with a corner as wide as 2
            times = 4.0
        free = self.alpha == 0 or self.penalty is None
        penalty: dict[str, Any] = {"penalty": self.penalty, "lambda": None if free else above_zero(self, "alpha")[0] / times}
        if self.penalty == "elasticnet":
            if self.l1_ratio is None:
                raise ValueError("l1_ratio must be set when penalty is 'elasticnet'")
            penalty["penalty"] = elastic(self.l1_ratio)
        return {
            "loss": loss, **penalty, "bias": "free" if self.fit_intercept else "none", "scaling": "none", "gap": self._asked() / 100, **(unpenalised(X, weights, self.fit_intercept) if free else {}),
            **limit(self.max_iter), "seed": seed_of(self.random_state), "threads": threads_of(getattr(self, "n_jobs", None)),
        }  # fmt: skip

    def _asked(self) -> float:
        return 1e-4 if self.tol is None else max(self.tol, 1e-12)

    def _learn(self, data: Any, task: str, init: Any = None) -> None:
        before = getattr(self, "model_", None)
        same = self.warm_start and before is not None and before.part("classes") == data.labels and before.part("data")["features"] == data.X.shape[1]
        self.__dict__.pop("_passes", None)
        super()._learn(data, task, before if same else init)
        self._typed(data.X.dtype)
        self.t_ = 1.0 + self.n_iter_ * data.X.shape[0]

    def _steps(self, X: Any, sample_weight: Any) -> str:
        """Return the loss of steps that see each row once, and refuse what these have nothing for."""
        checked(self)
        if getattr(self, "early_stopping"):
            raise ValueError("early_stopping should be False with partial_fit")
        if self.loss not in self.ONLINE:
            raise ValueError(f"partial_fit: found loss={self.loss!r}, expected {' or '.join(map(repr, self.ONLINE))}: Fenchel has nothing else")
        if sample_weight is not None or getattr(self, "class_weight", None) is not None:
            raise ValueError("partial_fit: found weights of rows or classes, expected none: Fenchel has nothing for them")
        return self.ONLINE[self.loss]

    def _follow(self, passes: list[Any]) -> None:
        """Take over what models of rows that are seen once have learned."""
        self._passes, self.model_ = passes, passes[0].model_
        self.n_iter_, self.t_, self.status_ = 1, 1.0 + passes[0].n_samples_seen_, passes[0].status_
        self.gap_ = float("nan")
        self.coef_, self.intercept_ = np.vstack([p.coef_ for p in passes]), np.concatenate([np.ravel(p.intercept_) for p in passes])


def _probabilistic(estimator: Any) -> bool:
    if estimator.loss not in ("log_loss", "modified_huber"):
        raise AttributeError(f"probability estimates are not available for loss={estimator.loss!r}")
    return True


class SGDClassifier(Descent, Classifier, Linear):  # type: ignore[misc]  # of the order of fit
    """Twin of ``sklearn.linear_model.SGDClassifier``: the mean of the loss with the weights of the rows, + alpha times the penalty;
    several classes each against the rest.

    ``fit`` finds the best weights of this objective, with ``tol / 100`` as the relative duality gap to be proved, and so what steps
    are made of changes nothing: ``shuffle``, ``learning_rate``, ``eta0``, ``power_t``, ``average``, ``validation_fraction``,
    ``n_iter_no_change``, ``verbose``; ``n_jobs`` are threads. ``alpha=0`` and ``penalty=None`` are as of
    :class:`LogisticRegression`. Refused: ``early_stopping=True``, the loss "perceptron", and learning rates of passive-aggressive steps.

    ``partial_fit`` learns each row once by the steps of :class:`fenchel.OnlineClassifier`, without a penalty: of the
    losses "hinge" and "log_loss"; nothing is proved of it. It begins at zero, and ``fit`` forgets what it has learned.

    Attributes
    ----------
    coef_ : array of shape (1, n_features) or (n_classes, n_features)
    intercept_ : array of shape (1,) or (n_classes,)
    classes_, n_iter_, t_, gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import SGDClassifier
    >>> SGDClassifier().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.0], [3.0]])
    array([0, 1])
    """

    LOSSES = {"hinge": "hinge", "log_loss": "logistic", "squared_hinge": "squared-hinge", "modified_huber": "huber-hinge:width=2"}
    ONLINE = {"hinge": "hinge", "log_loss": "logistic"}

    def __init__(
        self, loss: str = "hinge", *, penalty: str | None = "l2", alpha: float = 1e-4, l1_ratio: float = 0.15, fit_intercept: bool = True, max_iter: int = 1000,
        tol: float | None = 1e-3, shuffle: bool = True, verbose: bool | int = 0, epsilon: float = 0.1, n_jobs: int | None = None, random_state: Any = None,
        learning_rate: str = "optimal", eta0: float = 0.01, power_t: float = 0.5, early_stopping: bool = False, validation_fraction: float = 0.1,
        n_iter_no_change: int = 5, class_weight: dict[Any, float] | str | None = None, warm_start: bool = False, average: bool | int = False,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.average = average

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> "SGDClassifier":
        """Learn further rows, each once: X of shape (n_samples, n_features), y of shape (n_samples,); the first call needs all ``classes``."""
        loss, first = self._steps(X, sample_weight), not hasattr(self, "_passes")
        if classes is None and not hasattr(self, "classes_"):
            raise ValueError("classes must be passed on the first call to partial_fit.")
        X, y = validate_data(self, X, y, reset=first, accept_sparse="csr", dtype=FLOATS)
        known = self.classes_ if not first or classes is None else np.unique(np.asarray(classes))
        if classes is not None and not np.array_equal(known, np.unique(np.asarray(classes))):
            raise ValueError(f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {known!r}")
        if not np.isin(encode(y)[0], known).all():
            raise ValueError(f"y: found the label {y[~np.isin(y, known)].tolist()[0]!r}, expected {known.tolist()}")
        if len(known) < 2:
            raise ValueError(f"found {len(known)} class, expected at least 2")
        each = known[1:] if len(known) == 2 else known
        passes = [OnlineClassifier(loss) for _ in each] if first else self._passes
        self.classes_ = known
        self._follow([p.partial_fit(X, y == k, classes=[False, True]) for p, k in zip(passes, each)])
        return self

    @available_if(_probabilistic)
    def predict_proba(self, X: Any) -> np.ndarray:
        """Return probabilities of shape (n_samples, n_classes), with the losses "log_loss" and "modified_huber"."""
        scores = self.decision_function(X)
        if self.loss == "log_loss":
            return probabilities(scores)
        p = (np.clip(scores, -1, 1) + 1) / 2
        if p.ndim == 1:
            return np.column_stack([1 - p, p])
        total = p.sum(axis=1, keepdims=True)
        result: np.ndarray = np.divide(p, total, out=np.full_like(p, 1 / p.shape[1]), where=total > 0)
        return result

    @available_if(_probabilistic)
    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Return logarithms of probabilities, of shape (n_samples, n_classes)."""
        with np.errstate(divide="ignore"):
            result: np.ndarray = np.log(self.predict_proba(X))
            return result


class SGDRegressor(Descent, Regressor, Linear):  # type: ignore[misc]  # of the order of fit
    """Twin of ``sklearn.linear_model.SGDRegressor``, as :class:`SGDClassifier`; ``partial_fit`` has the losses "squared_error", and
    "epsilon_insensitive" with ``epsilon=0``.

    Attributes
    ----------
    coef_ : array of shape (n_features,)
    intercept_ : array of shape (1,)
    n_iter_, t_, gap_, certificate_, status_, model_

    Examples
    --------
    >>> from fenchel.sklearn import SGDRegressor
    >>> SGDRegressor().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0]).coef_.round(2)
    array([2.])
    """

    ONLINE = {"squared_error": "squared", "epsilon_insensitive": "absolute"}

    def __init__(
        self, loss: str = "squared_error", *, penalty: str | None = "l2", alpha: float = 1e-4, l1_ratio: float = 0.15, fit_intercept: bool = True, max_iter: int = 1000,
        tol: float | None = 1e-3, shuffle: bool = True, verbose: bool | int = 0, epsilon: float = 0.1, random_state: Any = None, learning_rate: str = "invscaling",
        eta0: float = 0.01, power_t: float = 0.25, early_stopping: bool = False, validation_fraction: float = 0.1, n_iter_no_change: int = 5, warm_start: bool = False,
        average: bool | int = False,
    ) -> None:  # fmt: skip
        self.loss = loss
        self.penalty = penalty
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.shuffle = shuffle
        self.verbose = verbose
        self.epsilon = epsilon
        self.random_state = random_state
        self.learning_rate = learning_rate
        self.eta0 = eta0
        self.power_t = power_t
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.warm_start = warm_start
        self.average = average

    def _shape(self) -> None:
        self.coef_ = self.coef_[0]

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> "SGDRegressor":
        """Learn further rows, each once: X of shape (n_samples, n_features), y of shape (n_samples,)."""
        loss, first = self._steps(X, sample_weight), not hasattr(self, "_passes")
        if self.loss == "epsilon_insensitive" and self.epsilon != 0:
            raise ValueError(f"partial_fit: found epsilon={self.epsilon!r}, expected 0: Fenchel has nothing else")
        X, y = validate_data(self, X, y, reset=first, accept_sparse="csr", dtype=FLOATS, y_numeric=True)
        self._follow([(OnlineRegressor(loss) if first else self._passes[0]).partial_fit(X, y)])
        self.coef_ = self.coef_[0]
        return self
