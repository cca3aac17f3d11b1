"""Pages about models."""

import numpy as np
import pytest

import fenchel
import fenchel.sklearn as twins

RNG = np.random.RandomState(0)
X = RNG.randn(120, 4)
TWO = np.where(X[:, 0] + 0.5 * RNG.randn(120) > 0, "<yes>", "no")
NUMBERS = X @ np.arange(4.0) + RNG.randn(120)


@pytest.mark.parametrize("estimator, y, words", [
    (fenchel.LinearClassifier(), TWO, ["ROC", "&lt;yes&gt;"]), (fenchel.LinearRegressor(), NUMBERS, ["How far predictions are off"]),
    (fenchel.KernelClassifier(), TWO, ["ROC"]), (twins.SVC(class_weight="balanced"), TWO, ["ROC"]), (fenchel.PCA(2), None, ["Spectrum"]),
])  # fmt: skip
def test_report(estimator, y, words, tmp_path):
    """The page says what is proved of the rows that a model learned from, and shows itself."""
    page = fenchel.report(estimator.fit(X, y), X, y, name="<mine>")
    for text in [*words, "What is proved", "Report of &lt;mine&gt;", "<svg"]:
        assert text in page.html, text
    assert "FALSE" not in page.html and "not computed again" not in page.html and "<yes>" not in page.html and "<script" not in page.html
    shown = page._repr_html_()
    assert shown.startswith("<iframe sandbox") and "<svg" not in shown and "&lt;svg" in shown
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text(encoding="utf-8") == page.html


def test_judged_by_others():
    """Other rows judge; rows of which the model knows nothing are said to be others."""
    estimator = fenchel.LinearClassifier().fit(X[:80], TWO[:80])
    assert "Of 40 rows that are not those it was trained on" in fenchel.report(estimator, X[:80], TWO[:80], test=(X[80:], TWO[80:])).html
    assert "not computed again" in fenchel.report(estimator, X[80:], TWO[80:]).html


def test_refused():
    """What is no fitted estimator of this package is refused."""
    with pytest.raises(TypeError, match="found a Ridge, expected a fitted estimator"):
        fenchel.report(twins.Ridge(), X, NUMBERS)
