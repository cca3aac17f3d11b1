"""Tables with texts, categories, dates and gaps, and lists of texts: the features, and the predictions, are those of the command line."""

import gzip
import os
import pathlib
import pickle
import subprocess
import time

import numpy as np
import pytest

import fenchel
import fenchel.sklearn as twins
from fenchel._engine import program

pd = pytest.importorskip("pandas")

WORDS = "red green blue fast slow good bad new old great small large".split()
RNG = np.random.RandomState(0)
N = 300


def _made():
    frame = pd.DataFrame({
        "note": [" ".join(RNG.choice(WORDS, 8)) + f' w{RNG.randint(1000)}, "x{RNG.randint(1000)}" end.' for _ in range(N)],
        "city": RNG.choice(["Paris", "Rome", "Bonn\r\nSud", 'a "b"'], N),
        "size": pd.Categorical(RNG.choice(["s", "m", "l"], N)),
        "flag": RNG.rand(N) > 0.5,
        "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(RNG.randint(0, 400, N), "D") + pd.to_timedelta(RNG.randint(0, 86400, N), "s"),
        "x": RNG.randn(N).astype(np.float32),
        "y": RNG.randn(N),
    })  # fmt: skip
    worth = frame.note.str.contains("good") * 2.0 + (frame.city == "Paris") + (frame["size"] == "s") + frame.flag + frame.x
    frame.loc[::7, "x"] = np.nan
    frame.loc[::11, "city"] = None
    frame.loc[::13, "note"] = None
    return frame, worth.to_numpy(float)


FRAME, WORTH = _made()
LABELS = np.where(WORTH > np.median(WORTH), "yes", "no")
NEW = FRAME.sample(60, random_state=1).reset_index(drop=True)
NEW.loc[0, "city"] = "Unknown town"
pytestmark = [pytest.mark.filterwarnings("ignore:column|.*missing|.*unknown")]


def _as(kind, frame):
    if kind == "pandas":
        return frame
    if kind == "polars":
        return pytest.importorskip("polars").from_pandas(frame)
    return pytest.importorskip("pyarrow").Table.from_pandas(frame, preserve_index=False)


def _told(model, frame, folder, *flags):
    """Return what the command line predicts from the CSV of a table, cell by cell."""
    path = os.fspath(folder / "new.csv")
    with open(path, "w", newline="") as file:
        frame.to_csv(file, index=False)
    out = subprocess.run([program(), "predict", os.fspath(model), path, *flags], capture_output=True, text=True, check=True)
    return [line.split("\t") for line in out.stdout.splitlines()]


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_as_the_command_line(kind, tmp_path):
    """The model is the same of all libraries, has the schema of the table, and predicts as the command line does from its CSV."""
    table, new = _as(kind, FRAME), _as(kind, NEW)
    model = fenchel.LinearClassifier("logistic", gap=1e-5).fit(table, LABELS)
    assert model.model_.key == fenchel.LinearClassifier("logistic", gap=1e-5).fit(FRAME, LABELS).model_.key
    assert {c["name"]: c.get("kind") or ("words" if c["category"] else "number") for c in model.model_.part("schema")["columns"]} == {
        "note": "text", "city": "words", "size": "words", "flag": "boolean", "day": "date", "x": "number", "y": "number", "target": "number"}  # fmt: skip
    assert model.n_features_in_ == 7 and list(model.feature_names_in_) == list(FRAME.columns) and model.coef_.shape == (1, len(model.model_.part("features")))
    model.model_.save(tmp_path / "m.model")
    told = _told(tmp_path / "m.model", NEW, tmp_path, "--scores")
    assert [t[0] for t in told] == list(model.predict(new))
    np.testing.assert_array_equal([float(t[1]) for t in told], model.decision_function(new))
    told = _told(tmp_path / "m.model", NEW, tmp_path, "--probabilities")
    np.testing.assert_allclose([[float(v) for v in t[1:]] for t in told], model.predict_proba(new), rtol=1e-12)
    loaded = fenchel.load(tmp_path / "m.model")
    np.testing.assert_array_equal(loaded.predict(new), model.predict(new))
    np.testing.assert_array_equal(loaded.decision_function(new)[:, 0], model.decision_function(new))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).predict_proba(new), model.predict_proba(new))
    assert fenchel.verify(model, table, LABELS).valid and "What is proved" in fenchel.report(model, table, LABELS, test=(new, LABELS[:60])).html


@pytest.mark.parametrize("task", ["classes", "numbers"])
def test_same_problem_as_the_command_line(task, tmp_path):
    """``fenchel train`` of the CSV states the same problem of the same features, and ``fenchel verify`` proves the model of either."""
    y = pd.Series(LABELS if task == "classes" else WORTH, name="answer")
    est = fenchel.LinearClassifier("logistic", gap=1e-9, table={"ngrams": "1..2", "min_count": 2}) if task == "classes" else fenchel.LinearRegressor("squared", C=1, gap=1e-9, table={"ngrams": "1..2", "min_count": 2})
    model = est.fit(FRAME, y)
    data, path = os.fspath(tmp_path / "t.csv"), os.fspath(tmp_path / "m.model")
    FRAME.assign(answer=y).to_csv(data, index=False)
    model.model_.save(path)
    assert subprocess.run([program(), "verify", path, data], capture_output=True).returncode == 0
    subprocess.run([program(), "train", data, "-o", path, "--target", "answer", "--loss", model.loss, "--C", "1", "--ngrams", "1..2", "--min-count", "2", "--categorical", "size", "--scale", "none", "--gap", "1e-9"], check=True, capture_output=True)
    theirs = fenchel.load(path)
    assert theirs.part("schema") == model.model_.part("schema") and theirs.part("features") == model.model_.part("features")
    np.testing.assert_allclose(theirs.decision_function(NEW).ravel(), model.decision_function(NEW) if task == "classes" else model.predict(NEW), atol=1e-3)
    assert fenchel.verify(model, FRAME, y).valid


@pytest.mark.parametrize("flags, digits", [(["--loss", "logistic", "--scale", "none"], 1e-9), (["--loss", "squared", "--scale", "std", "--ngrams", "1..2", "--hash", "6"], 1e-6)])
@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_read_like(kind, flags, digits, tmp_path):
    """Rows that are read as the columns of a model, times its weights, are the scores of the command line, cell by cell: of files, tables and in whatever order the columns are. A scaling of the model rounds what it
    scales to single precision."""
    worth = LABELS if "logistic" in flags else WORTH
    data, path, new = os.fspath(tmp_path / "t.csv"), tmp_path / "m.model", os.fspath(tmp_path / "later.csv")
    FRAME.assign(when=20000000 + FRAME.y, answer=worth).to_csv(data, index=False)  # when: far from zero, so that an offset is subtracted
    later = NEW.assign(when=20000000 + NEW.y)[["y", "when", *NEW.columns[::-1].drop("y")]]
    later.to_csv(new, index=False)
    subprocess.run([program(), "train", data, "-o", path, "--target", "answer", "--categorical", "size", "-q", *flags], check=True, capture_output=True)
    scores = np.array([float(t[-1]) for t in _told(path, later, tmp_path, "--scores")])
    model = fenchel.load(path)
    weights, bias = model.weights()
    for rows in (fenchel.read(new, like=path), fenchel.read(_as(kind, later), like=model)):
        assert rows.X.shape == (60, len(model.part("features"))) and rows.y is None
        dense = rows.X.toarray() if hasattr(rows.X, "toarray") else rows.X
        X = dense / (1 if rows.factors is None else rows.factors) + (0 if rows.offsets is None else rows.offsets)
        np.testing.assert_allclose(X @ weights[0] + bias[0], scores, rtol=digits, atol=digits)
    later["answer"] = worth[:60]
    X, y = fenchel.read(_as(kind, later), like=model)
    np.testing.assert_array_equal(X.toarray() if hasattr(X, "toarray") else X, dense)
    np.testing.assert_array_equal(y, worth[:60])


def test_read_like_estimators(tmp_path):
    """A fitted estimator, one of arrays too, does as a model of a file does, also with texts; no rows, other models, options and tables are refused in a line."""
    est = fenchel.LinearClassifier("logistic", gap=1e-5).fit(FRAME, LABELS)
    X = fenchel.read(NEW, like=est).X.toarray().astype(float)
    np.testing.assert_allclose(X @ est.model_.tensor("weights")[0] + est.model_.tensor("bias"), est.decision_function(NEW), rtol=1e-9, atol=1e-9)
    texts = FRAME.note.fillna("").tolist()
    words = fenchel.LinearRegressor(gap=1e-5).fit(texts, WORTH)
    np.testing.assert_allclose(fenchel.read(texts, like=words).X @ words.coef_ + words.intercept_, words.predict(texts), rtol=1e-9, atol=1e-9)
    numbers = pd.DataFrame({"a": FRAME.y + 1e6, "b": WORTH})
    twin = twins.Ridge().fit(numbers, WORTH)
    rows = fenchel.read(numbers, like=twin)
    np.testing.assert_allclose((rows.X + rows.offsets) @ twin.coef_ + twin.intercept_, twin.predict(numbers), rtol=1e-6, atol=1e-6)
    (tmp_path / "no.model").write_text("a,b\n1,2\n")
    for source, how, error, words in [
        (NEW.drop(columns="x"), {"like": est}, ValueError, '^table: found no column "x"'), (NEW, {"like": tmp_path / "no.model"}, ValueError, "no.model: found no model of fenchel"),
        (NEW, {"like": twins.Ridge()}, TypeError, "like: found a Ridge"), (NEW, {"like": est, "text": ["note"], "hash": 8}, ValueError, "like: found text, hash beside it"),
        (FRAME[["flag"]], {"like": fenchel.PCA(1).fit(FRAME[["flag", "y"]].to_numpy(float))}, ValueError, "found principal components"),
    ]:  # fmt: skip
        with pytest.raises(error, match=words) as told:
            fenchel.read(source, **how)
        assert "\n" not in str(told.value)


def test_frames_of_numbers():
    """All-number frames go the way of arrays; missing numbers make a table; arrays after tables are arrays again."""
    numbers = FRAME[["flag", "y"]].assign(z=1 + RNG.randn(N))
    model = fenchel.LinearClassifier().fit(numbers, LABELS)
    assert model.model_.part("schema") is None and model.model_.key == fenchel.LinearClassifier().fit(numbers, LABELS).model_.key
    with pytest.raises(ValueError, match="convert|could not|string"):
        model.predict(FRAME[["flag", "y"]].assign(z="a b"))
    model.fit(FRAME[["flag", "x"]], LABELS)
    assert model.model_.part("schema")["columns"][1]["fill"] != 0 and model.predict(FRAME[["flag", "x"]]).shape == (N,)
    model.fit(numbers.to_numpy(float), LABELS)
    assert not hasattr(model, "feature_names_in_") and model.predict(np.zeros((2, 3))).shape == (2,)


def test_refused():
    """What a table lacks, and options that there are none of, are said in a line."""
    model = fenchel.LinearClassifier().fit(FRAME, LABELS)
    with pytest.raises(ValueError, match='found no column "x"'):
        model.predict(FRAME.drop(columns="x"))
    with pytest.raises(ValueError, match="found a ndarray, expected a table"):
        model.predict(np.zeros((2, 7)))
    with pytest.raises(ValueError, match="table: found the option 'ngram', expected one of text"):
        fenchel.LinearClassifier(table={"ngram": "1"}).fit(FRAME, LABELS)
    with pytest.raises(ValueError, match="ngrams=\"a\": expected a number of words"):
        fenchel.LinearClassifier(table={"ngrams": "a"}).fit(FRAME, LABELS)
    with pytest.raises(ValueError, match="inconsistent numbers of samples: \\[300, 299\\]"):
        fenchel.LinearClassifier().fit(FRAME, LABELS[1:])
    with pytest.warns(UserWarning, match='Unknown town'):
        model.predict(NEW)
    with pytest.raises(ValueError, match="could not convert"):
        fenchel.KernelClassifier().fit(FRAME, LABELS)


def test_weights_and_targets():
    """Weights, absent classes, several targets and joint losses are as of arrays."""
    y, w = np.where(FRAME.x > 1, "c", LABELS), np.arange(N) % 3
    model = fenchel.LinearClassifier("softmax", class_weight="balanced").fit(FRAME, y, w)
    assert model.decision_function(NEW).shape == (60, 3) and fenchel.verify(model, FRAME, y, w).valid
    np.testing.assert_allclose(model.predict_proba(NEW).sum(axis=1), 1)
    model = fenchel.LinearClassifier("logistic").fit(FRAME, y, (y != "c") * 1.0)
    assert list(model.classes_) == ["c", "no", "yes"] and (model.predict_proba(NEW)[:, 0] == 0).all() and model.score(FRAME, y) > 0.7
    several = fenchel.LinearRegressor().fit(FRAME, np.column_stack([WORTH, -WORTH]))
    assert several.predict(NEW).shape == (60, 2) and several.score(FRAME, np.column_stack([WORTH, -WORTH])) > 0.8
    np.testing.assert_allclose(several.predict(NEW)[:, 0], -several.predict(NEW)[:, 1], atol=0.05)
    assert fenchel.LinearClassifier().fit(FRAME.rename(columns={"y": "target", "x": "label"}), LABELS).n_features_in_ == 7


def test_searches():
    """Folds, searches, pipelines and clones of scikit-learn, and tune, take tables."""
    pytest.importorskip("sklearn")
    from sklearn.base import clone
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline

    best = fenchel.tune(fenchel.LinearClassifier("logistic", table={"text": "note", "ngrams": "chars:2..3"}), FRAME, LABELS, search="C=0.1,10")
    assert best.best_score_ > 0.75 and best.get_params()["table"]["ngrams"] == "chars:2..3"
    assert cross_val_score(make_pipeline(clone(best)), FRAME, LABELS).mean() > 0.75
    texts = FRAME.note.fillna("").tolist()
    assert len(cross_val_score(fenchel.LinearClassifier(), texts, LABELS)) == 5


@pytest.mark.parametrize("make", [list, np.array, lambda t: np.array(t, object), pd.Series], ids=["list", "array", "objects", "series"])
def test_texts(make):
    """One column of texts is a list, an array or a series of them: short ones too."""
    texts, y = ["good day", "bad day", "so good", "so bad", "", "bad bad"] * 5, [1, 0, 1, 0, 1, 0] * 5
    model = fenchel.LinearClassifier("logistic").fit(make(texts), y)
    assert model.model_.part("features") == ["text=bad", "text=day", "text=good", "text=so"] and model.score(make(texts), y) == 1
    np.testing.assert_array_equal(model.predict(make(["a good one", "a bad one", "nothing\nof it"])), [1, 0, 1])
    with pytest.raises(ValueError):
        model.fit(make(["1"]), [1, 0])


def test_read():
    """fenchel.read takes the same tables and options."""
    X, y = fenchel.read(_as("arrow", FRAME.assign(answer=LABELS)), target="answer", text=["note"], hash=10)
    assert X.shape[1] > 1024 and list(y) == list(LABELS)
    with pytest.raises(ValueError, match="found the option 'bits'"):
        fenchel.read(FRAME, bits=3)


def _sentences(name):
    path = pathlib.Path(__file__).resolve().parents[2].parent / "shared/data/text" / (name + ".tsv.gz")
    if not path.exists():
        pytest.skip(f"found no {path.name} in shared/data/text")
    rows = [line.rstrip("\n").split("\t") for line in gzip.open(path, "rt", encoding="utf-8", newline="\n")]
    order = np.random.RandomState(0).permutation(len(rows))
    cut = len(rows) * 4 // 5
    texts, y = [rows[i][1] for i in order], np.array([rows[i][0] for i in order])
    return texts[:cut], y[:cut], texts[cut:], y[cut:]


@pytest.mark.parametrize("name", ["sms", "movie-sentences"])
@pytest.mark.parametrize("mixed", [False, True], ids=["texts", "mixed"])
def test_as_scikit_learn(name, mixed):
    """Accuracy and AUC are within 0.005 of TfidfVectorizer and LogisticRegression, with categories and numbers beside too."""
    pytest.importorskip("sklearn")
    from sklearn.compose import make_column_transformer
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder

    texts, y, new, judge = _sentences(name)
    features = TfidfVectorizer()
    if mixed:
        texts, new = ([t[: 8 + len(t) // 2] for t in part] for part in (texts, new))
        texts, new = (pd.DataFrame({"t": part, "ends": [t[-1:].upper() if t[-1:].isalpha() else "other" for t in part], "length": [len(t) / 100 for t in part]}) for part in (texts, new))
        features = make_column_transformer((TfidfVectorizer(), "t"), (OneHotEncoder(handle_unknown="ignore"), ["ends"]), ("passthrough", ["length"]))
    begun = time.process_time()
    theirs = make_pipeline(features, LogisticRegression(max_iter=1000)).fit(texts, y)
    theirs_took, begun = time.process_time() - begun, time.process_time()
    ours = fenchel.LinearClassifier("logistic", table={"text": "t"} if mixed else None).fit(texts, y)
    print(name, mixed, "seconds of Python", theirs_took, time.process_time() - begun)
    accuracy, area = (abs(f(ours) - f(theirs)) for f in (lambda m: m.score(new, judge), lambda m: roc_auc_score(judge, m.decision_function(new))))
    print("accuracy", ours.score(new, judge), "apart", accuracy, "auc apart", area)
    assert accuracy <= 0.005 and area <= 0.005


@pytest.mark.parametrize("scale", ["none", "std"])
def test_coefficients(scale):
    """coef_ are for the features as the table has them, also where the program subtracts from a column before it rounds."""
    frame = pd.DataFrame({"city": FRAME.city.fillna("Rome"), "t": 1e6 + np.arange(N) / 100, "y": FRAME.y})
    model = fenchel.LinearClassifier("logistic", scale=scale, gap=1e-6).fit(frame, LABELS)
    schema, names = model.model_.part("schema"), model.model_.part("features")
    assert any(c.get("offset") for c in schema["columns"])
    X = np.column_stack([frame.city == n.removeprefix("city=") if n.startswith("city=") else frame[n] for n in names]).astype(float)
    np.testing.assert_allclose(X @ model.coef_[0] + model.intercept_[0], model.decision_function(frame), atol=1e-5)


def test_proved_of_tables():
    """What is proved of predictions is of tables too."""
    model = fenchel.LinearClassifier("logistic", proved=True, gap=1e-5).fit(FRAME, LABELS)
    low, high = model.proved_interval(NEW).T
    assert model.sure_.shape == (N,) and model.sure_.any() and ((low <= model.decision_function(NEW)) & (model.decision_function(NEW) <= high)).all()
