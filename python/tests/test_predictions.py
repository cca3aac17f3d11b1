"""What `fenchel predict` writes is read by pandas, pyarrow and NumPy, and says the same in every format."""

import json
import subprocess

import numpy as np
import pytest

import fenchel


def run(folder, *arguments):
    subprocess.run([fenchel._engine.program(), *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("predictions")
    rng = np.random.default_rng(1)
    x = rng.standard_normal((3000, 2))
    lines = [f'"n, {i}",{a:.3f},{b:.3f},{int(a + b > 0)}' for i, (a, b) in enumerate(x)]
    (folder / "t.csv").write_text("id,a,b,y\n" + "\n".join(lines) + "\n")
    run(folder, "train", "t.csv", "--task", "classification", "--loss", "logistic", "--ignore", "id", "-o", "m")
    for name in ("p.csv", "p.jsonl", "p.json", "p.parquet", "p.jsonl.gz"):
        run(folder, "predict", "m", "t.csv", "--id", "id", "--keep", "a,y", "--scores", "--probabilities", "-o", name)
    run(folder, "predict", "m", "t.csv", "--scores", "--probabilities", "-o", "p.npy")
    return folder


def test_same(folder):
    pandas = pytest.importorskip("pandas")
    want = pandas.read_csv(folder / "p.csv", dtype={"a": str, "y": str})
    assert list(want.columns) == ["id", "a", "y", "label", "score", "p_0", "p_1"]
    rows = [json.loads(line) for line in (folder / "p.jsonl").read_text().splitlines()]
    assert rows == json.loads((folder / "p.json").read_text())
    assert type(rows[0]["label"]) is int and type(rows[0]["a"]) is str
    assert pandas.DataFrame(rows).equals(want)
    assert pandas.read_json(folder / "p.jsonl.gz", lines=True, dtype={"a": str, "y": str})["id"].equals(want["id"])
    numbers = np.load(folder / "p.npy")
    assert numbers.dtype == np.float64 and np.array_equal(numbers, want[["label", "score", "p_0", "p_1"]].to_numpy())


def test_parquet(folder):
    parquet = pytest.importorskip("pyarrow.parquet")
    pandas = pytest.importorskip("pandas")
    table = parquet.read_table(folder / "p.parquet")
    assert table.column_names == ["id", "a", "y", "label", "score", "p_0", "p_1"]
    assert [str(f.type) for f in table.schema] == ["string"] * 3 + ["double"] * 4
    want = pandas.read_csv(folder / "p.csv", dtype={"a": str, "y": str})
    for name in table.column_names:
        assert table[name].to_pylist() == want[name].tolist()


def test_tables():
    """A table of pandas with texts, categories and numbers is read as its CSV is, and as scikit-learn's vectorizer has the words."""
    pandas = pytest.importorskip("pandas")
    text = pytest.importorskip("sklearn.feature_extraction.text")
    words = ["a good film, I liked it", "no good", "the film was no good film", "liked"] * 5
    df = pandas.DataFrame({"review": words, "city": ["Rome", "Oslo"] * 10, "stars": np.tile([5, 1, 2.5, 4], 5), "y": ["yes", "no", "no", "yes"] * 5})
    rows = fenchel.read(df, target="y", text=["review"], n_features=None)
    names = ["review=" + w for w in text.TfidfVectorizer().fit(words).get_feature_names_out()]
    assert rows.feature_names == names + ["city=Rome", "city=Oslo", "stars"]
    want = text.TfidfVectorizer().fit_transform(words).toarray()
    assert np.allclose(rows.X.toarray()[:, : len(names)], want, atol=1e-6)
    model = fenchel.LinearClassifier(loss="logistic").fit(*rows)
    assert model.score(*rows) == 1 and list(rows.y[:2]) == ["yes", "no"]


@pytest.mark.every_change
@pytest.mark.parametrize("labels, kind", [(["0", "1"], "i"), (["-1", "+1"], "i"), (["0.5", "1.5"], "f"), (["no", "yes"], "U")])
def test_labels_of_a_file(tmp_path, labels, kind):
    """A model of the command line gives labels as numbers where all of them are, whole ones where all are these."""
    table = tmp_path / "t.csv"
    table.write_text("x,y\n" + "".join(f"{k},{labels[k > 9]}\n" for k in range(20)))
    run(tmp_path, "train", table, "-o", "m", "--loss", "hinge")
    found = fenchel.load(tmp_path / "m").predict(pytest.importorskip("pandas").DataFrame({"x": [0.0, 19.0]}))
    assert found.dtype.kind == kind and [str(v) for v in found] == [v.lstrip("+") for v in labels]
