"""Models that see each row once."""

import json
import os
import subprocess

import numpy as np
import pytest

import fenchel
from fenchel import OnlineClassifier, OnlineRegressor

R = np.random.RandomState(0)
X = R.randn(600, 5) * [1, 10, 0.1, 1, 3]
SCORE = X @ [1.0, -0.2, 5.0, 0.0, 0.3] + 0.5
Y = np.where(SCORE + R.randn(600) > 0, "yes", "no")


def test_batches_are_one_run(tmp_path):
    """Batches, the command line and one call of fit give the same weights."""
    whole, parts = OnlineClassifier().fit(X, Y), OnlineClassifier()
    for rows in np.array_split(np.arange(600), 7):
        parts.partial_fit(X[rows], Y[rows], classes=["yes", "no"])
    assert np.array_equal(whole.coef_, parts.coef_) and whole.intercept_ == parts.intercept_
    assert parts.n_samples_seen_ == 600 and parts.loss_ == whole.loss_ and 0 < parts.loss_error_ < parts.loss_ < np.log(2)
    assert (parts.predict(X) == Y).mean() > 0.75 and parts.predict_proba(X).shape == (600, 2)
    svm = tmp_path / "rows.svm"
    svm.write_text("".join(f"{y} " + " ".join(f"{j + 1}:{np.float32(v)!s}" for j, v in enumerate(x)) + "\n" for x, y in zip(X, Y)))
    program = os.environ.get("FENCHEL_BINARY", "fenchel")
    out = subprocess.run([program, "train", "--stream", svm, "--loss", "logistic", "--bits", "4", "--json", "-q"], check=True, capture_output=True, text=True).stdout
    assert json.loads(out)["one_pass"]["loss"] == pytest.approx(whole.loss_, rel=1e-12)


def test_nothing_is_proved(tmp_path):
    """The model goes to the command line, where verify proves nothing of it."""
    c = OnlineClassifier("hinge").fit(X, Y)
    assert not hasattr(c, "predict_proba")
    with pytest.raises(AttributeError):
        c.certificate_
    path = str(tmp_path / "once.model")
    c.model_.save(path)
    with open(path, "rb") as file:
        assert fenchel.Model(file.read()).key == c.model_.key
    found = fenchel.verify(c, X, Y)
    assert not found.problems and "nothing is proved of one pass" in found.unproved


def test_numbers():
    """Numbers, sparse rows too; quantiles lie above medians."""
    sparse = pytest.importorskip("scipy.sparse")
    r = OnlineRegressor().fit(X, SCORE)
    assert np.array_equal(r.coef_, OnlineRegressor().fit(sparse.csr_matrix(X), SCORE).coef_)
    assert np.mean((r.predict(X[300:]) - SCORE[300:]) ** 2) < 0.05
    noisy = SCORE + 3 * R.randn(600)
    low, high = (np.mean(noisy < OnlineRegressor(f"quantile:tau={tau}").fit(X, noisy).predict(X)) for tau in (0.1, 0.9))
    assert low < 0.3 < 0.7 < high


@pytest.mark.parametrize("make, says", [
    (lambda: OnlineClassifier().fit(X, np.zeros(600)), "only one class"),
    (lambda: OnlineClassifier().fit(X[:3], [1, 2, 3]), "found 3 classes"),
    (lambda: OnlineClassifier().fit(X, Y).partial_fit(X[:1], ["perhaps"]), "found the label 'perhaps'"),
    (lambda: OnlineClassifier().fit(X, Y).partial_fit(X, Y, classes=["a", "b"]), "those of the first call"),
    (lambda: OnlineClassifier("huber-hinge").fit(X, Y), "whose steps for one row are known"),
    (lambda: OnlineRegressor().fit(X, SCORE).partial_fit(X[:, :3], SCORE), "features"),
    (lambda: OnlineRegressor().fit(X, SCORE * 1e70), "found the target"),
])
def test_refusals(make, says):
    with pytest.raises(ValueError, match=says):
        make()
