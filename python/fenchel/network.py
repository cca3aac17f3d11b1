"""Small feed-forward networks: classes and numbers from hidden layers. No certificate exists for one: ``gap_`` is
NaN, and what is said of the point instead is the norm of the gradient.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _ask
from ._base import FLOATS, Certificate, check_is_fitted, threads_of, validate_data
from .linear import LOW, Classifier, Predictor, Regressor, difference, is_joint, probabilities

__all__ = ["NetworkClassifier", "NetworkRegressor"]


class Network(Predictor):
    """What classifiers and regressors share."""

    penalty, bias, gap = "l2", "free", None
    _counted: np.ndarray | None = None

    def __init__(
        self, hidden_layer_sizes: Any = (100,), activation: str = "relu", *, loss: str | None = None, C: float | None = None, lam: float | None = None, scale: str | None = None,
        solver: str = "adam", max_epochs: int | None = None, max_seconds: float | None = None, random_state: Any = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        self.hidden_layer_sizes = hidden_layer_sizes
        self.activation = activation
        self.loss = loss
        self.C = C
        self.lam = lam
        self.scale = scale
        self.solver = solver
        self.max_epochs = max_epochs
        self.max_seconds = max_seconds
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _spec(self, X: Any, weights: np.ndarray | None) -> dict[str, Any]:
        sizes = np.atleast_1d(self.hidden_layer_sizes)
        if sizes.ndim != 1 or not len(sizes) or sizes.dtype.kind not in "iu" or (sizes < 1).any():
            raise ValueError(f"hidden_layer_sizes={self.hidden_layer_sizes!r}: expected the units of each hidden layer, such as (100, 50)")
        return {**super()._spec(X, weights), "hidden": sizes.tolist(), "activation": self.activation}

    def _learn(self, data: _ask.Data, task: str, init: Any = None) -> None:
        data.centred()
        self._offsets = data.offsets
        answer, stopped = _ask.fit(data, dict(self._spec(data.X, data.weights), task=task), init)
        self.model_ = answer["model"]
        self.certificate_ = Certificate.of(answer["certificate"])
        self.gradient_norm_ = self.model_.part("network")["gradient_norm"]
        self.coefs_, self.intercepts_ = self._layers()
        self.n_iter_ = max(1, answer["epochs"])
        self.trace_, self.seconds_, self.solver_ = answer["trace"], answer["seconds"], answer["solver"]
        if stopped:
            self.status_, self.gap_ = answer["status"], self.certificate_.gap
            raise KeyboardInterrupt
        self._take(answer, 1e-3)

    def _layers(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Return the weights, units before x units, and the biases of each layer, for features as training scales them."""
        names = [f"hidden.{k + 1}." for k in range(len(np.atleast_1d(self.hidden_layer_sizes)))]
        coefs = [self.model_.tensor(name + "weights") for name in names] + [self.model_.tensor("weights").T]
        return coefs, [self.model_.tensor(name + "bias") for name in names] + [self.model_.tensor("bias")]

    def _joint(self) -> bool:
        return is_joint(self.model_.part("problem")["loss"])

    def _widen(self, outputs: np.ndarray, absent: float, pairs: bool = False) -> np.ndarray:
        raise NotImplementedError  # that of classifiers

    def _scores(self, X: Any, probabilities: bool = False, interval: bool = False) -> np.ndarray:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, accept_sparse="csr", dtype=FLOATS)
        scores = _ask.scores(self.model_, X, self._offsets, threads_of(self.n_jobs))
        if getattr(self, "_counted", None) is not None:
            result: np.ndarray = self._widen(scores, LOW)
            return result
        return difference(scores.T)[0].T if self._joint() else scores


class NetworkClassifier(Classifier, Network):
    """A feed-forward network that tells classes apart: logistic for two, softmax for more.

    Parameters
    ----------
    hidden_layer_sizes : tuple of int
        The units of each hidden layer.
    activation : "relu", "tanh" or "sigmoid"
    C, lam : float, optional
        The weight of the losses, or of the penalty: lam = 1/(C N). lam is 1e-5 if neither is given.
    scale : "none", "max" or "std", optional
        None: std, or max where a quarter of the values or more are 0.
    class_weight : dict or "balanced", optional
        Multiplies the weights of the rows of a class.
    solver : str
        "adam" or "sgd", with parameters: "adam:gamma=0.001,batch=64,held=0.1" holds a tenth of the rows out to
        judge when to stop.
    max_epochs, max_seconds : optional
        Limits.
    random_state : int, RandomState or None
        None is seed 0: results repeat.
    n_jobs : int, optional
        Threads, None: all. It never changes a result.

    Attributes
    ----------
    coefs_, intercepts_ : list of arrays
        Of each layer, for features as they are scaled.
    gradient_norm_ : float
    classes_ : array of shape (n_classes,)
    gap_ : float
        NaN: nothing is proved.
    model_ : Model

    Examples
    --------
    >>> from fenchel import NetworkClassifier
    >>> n = NetworkClassifier((8,)).fit([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 1, 1, 0])
    >>> n.predict([[0.0, 1.0], [1.0, 1.0]])
    array([1, 0])
    """

    def __init__(
        self, hidden_layer_sizes: Any = (100,), activation: str = "relu", *, loss: str | None = None, C: float | None = None, lam: float | None = None, scale: str | None = None,
        class_weight: dict[Any, float] | str | None = None, solver: str = "adam", max_epochs: int | None = None, max_seconds: float | None = None,
        random_state: Any = None, n_jobs: int | None = None,
    ) -> None:  # fmt: skip
        super().__init__(
            hidden_layer_sizes, activation, loss=loss, C=C, lam=lam, scale=scale, solver=solver, max_epochs=max_epochs, max_seconds=max_seconds,
            random_state=random_state, n_jobs=n_jobs,
        )  # fmt: skip
        self.class_weight = class_weight

    def predict_proba(self, X: Any) -> np.ndarray:
        """Return probabilities of shape (n_samples, n_classes)."""
        return probabilities(self.decision_function(X), self._joint())


class NetworkRegressor(Regressor, Network):
    """A feed-forward network that predicts numbers, by the squared loss. Parameters are those of
    :class:`NetworkClassifier`.

    >>> from fenchel import NetworkRegressor
    >>> n = NetworkRegressor((8,)).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 0.0, 1.0])
    >>> abs(float(n.predict([[2.0]])[0])) < 0.05
    True
    """
