"""Pages about models."""

import subprocess

import numpy as np
import pytest

import fenchel
import fenchel.sklearn as twins
from fenchel._engine import program

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


def test_methods(tmp_path):
    """An estimator writes the page of fenchel.report; a loaded model that of the program, of files and tables, with its flags and warnings."""
    estimator = fenchel.LinearClassifier().fit(X[:80], TWO[:80])
    estimator.report(tmp_path / "own.html", X[:80], TWO[:80], test=(X[80:], TWO[80:]), name="mine")
    assert (tmp_path / "own.html").read_text(encoding="utf-8") == fenchel.report(estimator, X[:80], TWO[:80], test=(X[80:], TWO[80:]), name="mine").html
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "town": np.where(X[:, 2] > 0, "Rome", "Bonn"), "answer": TWO})
    frame[:80].to_csv(tmp_path / "train.csv", index=False)
    frame[80:].to_csv(tmp_path / "later.csv", index=False)
    subprocess.run([program(), "train", tmp_path / "train.csv", "-o", tmp_path / "m.model", "--target", "answer", "-q"], check=True, capture_output=True)
    model = fenchel.load(tmp_path / "m.model")
    model.report(tmp_path / "files.html", tmp_path / "train.csv", test=tmp_path / "later.csv", name="towns", slice="town", rows=True)
    model.report(tmp_path / "table.html", frame[:80], test=frame[80:], name="towns")
    for page in ("files", "table"):
        html = (tmp_path / f"{page}.html").read_text(encoding="utf-8")
        assert "Report of towns" in html and "Of 40 rows that are not those it was trained on" in html and "not computed again" not in html and "FALSE" not in html
        assert ("share of errors by town" in html) == (page == "files")


def test_refused(tmp_path):
    """What is no fitted estimator of this package is refused, and what the program refuses is said in a line."""
    model = fenchel.LinearClassifier().fit(X, TWO).model_
    for data, how, error, words in [((X, TWO), {}, TypeError, "found ndarray, ndarray, expected paths"), (("@no",), {}, ValueError, "no"), (("@blobs",), {"slices": 1}, ValueError, "--slices")]:
        with pytest.raises(error, match=words) as told:
            model.report(tmp_path / "no.html", *data, **how)
        assert "\n" not in str(told.value) and not list(tmp_path.iterdir())
    with pytest.raises(TypeError, match="found a Ridge, expected a fitted estimator"):
        fenchel.report(twins.Ridge(), X, NUMBERS)


def test_rows_of_another_width(tmp_path):
    """Rows of fewer or more features than the model has are one line, for a page and for the rows that judge it."""
    model = fenchel.LinearRegressor().fit(X, NUMBERS)
    for other in (X[:, :3], np.column_stack([X, X])):
        for rows, test in ((other, None), (X, (other, NUMBERS))):
            with pytest.raises(ValueError, match="found rows of . features, expected 4"):
                fenchel.report(model, rows, NUMBERS, test=test)
