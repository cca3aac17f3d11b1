"""fenchel serve asked by the clients of Triton: the numbers of fenchel predict, as text and as bytes, in both directions, and over gRPC."""

import pathlib
import subprocess

import numpy as np
import pytest

from fenchel._engine import program

client = pytest.importorskip("tritonclient.http", reason="tritonclient[http] is not installed: fenchel serve is not asked by another program's client")
from tritonclient.utils import InferenceServerException  # noqa: E402

TABLE = """age,colour,member,since,paid
30,red,true,2024-01-01,yes
41,blue,false,2024-02-01,no
?,red,true,2024-03-05,yes
25.5,green,false,2024-04-01,no
60,,true,2024-05-01,yes
33,blue,true,2024-06-01,no
"""
ROWS = '''age,colour,member,since
35.1,red,true,2024-06-15
?,"ünïcode, ""quoted""",false,2023-12-31
1e-45,green,true,2024-02-29
'''


def fenchel(*args):
    return subprocess.run([program(), *map(str, args)], check=True, capture_output=True, text=True).stdout


def predicted(*args):
    """The lines of predict as labels and numbers."""
    lines = [line.split("\t") for line in fenchel("predict", *args, "--scores", "--probabilities").splitlines()]
    return [line[0] for line in lines], np.array([line[1:] for line in lines], float)


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """A client, the folder of the models, and the rows of one without a table."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "loans.csv").write_text(TABLE)
    (folder / "new.csv").write_text(ROWS)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((90, 784)).astype(np.float32)
    np.save(folder / "x.npy", X)
    np.save(folder / "y.npy", np.arange(90) % 3)
    np.save(folder / "new.npy", X[:7])
    (folder / "images").mkdir()
    fenchel("train", folder / "loans.csv", "--loss", "logistic", "-q", "-o", folder / "loans.model")
    for version in (1, 2):
        fenchel("train", folder / "x.npy", "--labels", folder / "y.npy", "--task", "classification", "--loss", "softmax", "--C", version, "-q", "-o", folder / "images" / f"{version}.model")
    process = subprocess.Popen([program(), "serve", folder, "--listen", "127.0.0.1:0"], stderr=subprocess.PIPE, text=True)
    address = process.stderr.readline().split("://")[1].strip()
    with client.InferenceServerClient(address) as c:
        c.address = address
        yield c, folder, X[:7]
    process.terminate()
    assert process.wait(30) == 0


def tensor(name, values, kind, binary):
    t = client.InferInput(name, list(values.shape), kind)
    t.set_data_from_numpy(values, binary_data=binary)
    return t


def asked(names, binary):
    return [client.InferRequestedOutput(name, binary_data=binary) for name in names]


OUTPUTS = ["predict", "score", "probability"]


def compare(found, labels, numbers):
    assert [v.decode() if isinstance(v, bytes) else v for v in found.as_numpy("predict")] == labels
    assert (np.hstack([found.as_numpy("score"), found.as_numpy("probability")]) == numbers).all()


@pytest.mark.parametrize("sent", [False, True])
@pytest.mark.parametrize("got", [False, True])
def test_columns(served, sent, got):
    c, folder, _ = served
    columns = [
        tensor("age", np.array([35.1, np.nan, 1e-45]), "FP64", True),  # JSON has no NaN
        tensor("colour", np.array(["red", 'ünïcode, "quoted"', "green"], object), "BYTES", sent),
        tensor("member", np.array([True, False, True]), "BOOL", sent),
        tensor("since", np.array(["2024-06-15", "2023-12-31", "2024-02-29"], object), "BYTES", sent),
    ]
    found = c.infer("loans", columns, outputs=asked(OUTPUTS, got), request_id="7")
    compare(found, *predicted(folder / "loans.model", folder / "new.csv"))
    assert found.get_response()["id"] == "7"


@pytest.mark.parametrize("kind", ["FP32", "FP64"])
@pytest.mark.parametrize("sent", [False, True])
@pytest.mark.parametrize("got", [False, True])
def test_dense(served, kind, sent, got):
    c, folder, X = served
    x = tensor("input", X.astype({"FP32": np.float32, "FP64": np.float64}[kind]), kind, sent)
    for version in ("", "1", "2"):
        found = c.infer("images", [x], model_version=version, outputs=asked(OUTPUTS, got))
        compare(found, *predicted(folder / "images" / f"{version or 2}.model", folder / "new.npy"))
    usual = c.infer("images", [x])  # which are binary
    assert usual.as_numpy("probability").shape == (7, 3)


def test_no_rows(served):
    c, _, X = served
    found = c.infer("images", [tensor("input", X[:0], "FP32", True)], outputs=asked(OUTPUTS, True))
    assert found.get_response()["outputs"][1]["shape"] == [0, 3]


def test_metadata(served):
    c, _, _ = served
    assert c.is_server_live() and c.is_server_ready()
    assert c.is_model_ready("images") and c.is_model_ready("images", "1") and not c.is_model_ready("images", "3") and not c.is_model_ready("none")
    about = c.get_server_metadata()
    assert about["name"] == "fenchel" and "binary_tensor_data" in about["extensions"]
    model = c.get_model_metadata("images", "1")
    assert model["versions"] == ["2", "1"] and model["inputs"] == [{"name": "input", "datatype": "FP32", "shape": [-1, 784]}]
    assert {"name": "probability", "datatype": "FP64", "shape": [-1, 3]} in model["outputs"]
    assert [t["datatype"] for t in c.get_model_metadata("loans")["inputs"]] == ["FP64", "BYTES", "BOOL", "BYTES"]
    assert [(m["name"], m["version"], m["state"]) for m in c.get_model_repository_index()] == [("images", "1", "READY"), ("images", "2", "READY"), ("loans", "1", "READY")]


@pytest.fixture(scope="module")
def remote(served):
    """The module of the client over gRPC, a client of the same address, and what served has."""
    module = pytest.importorskip("tritonclient.grpc", reason="tritonclient[grpc] is not installed: fenchel serve is not asked by another program's client over gRPC")
    c, folder, X = served
    with module.InferenceServerClient(c.address) as r:
        r.address = c.address
        yield module, r, folder, X


def remote_tensor(module, name, values, kind):
    t = module.InferInput(name, list(values.shape), kind)
    t.set_data_from_numpy(values)
    return t


def test_remote_columns(remote):
    module, c, folder, _ = remote
    columns = [
        remote_tensor(module, "age", np.array([35.1, np.nan, 1e-45]), "FP64"),
        remote_tensor(module, "colour", np.array(["red", 'ünïcode, "quoted"', "green"], object), "BYTES"),
        remote_tensor(module, "member", np.array([True, False, True]), "BOOL"),
        remote_tensor(module, "since", np.array(["2024-06-15", "2023-12-31", "2024-02-29"], object), "BYTES"),
    ]
    found = c.infer("loans", columns, outputs=[module.InferRequestedOutput(name) for name in OUTPUTS], request_id="7")
    compare(found, *predicted(folder / "loans.model", folder / "new.csv"))
    assert found.get_response().id == "7"


@pytest.mark.parametrize("version", ["", "1", "2"])
def test_remote_dense(remote, version):
    module, c, folder, X = remote
    outputs = [module.InferRequestedOutput(name) for name in OUTPUTS]
    for values, kind in ((X, "FP32"), (X.astype(float), "FP64")):
        found = c.infer("images", [remote_tensor(module, "input", values, kind)], model_version=version, outputs=outputs)
        compare(found, *predicted(folder / "images" / f"{version or 2}.model", folder / "new.npy"))
    none = c.infer("images", [remote_tensor(module, "input", X[:0], "FP32")], model_version=version)
    assert none.as_numpy("probability").shape == (0, 3)


def test_page(remote):
    """The client in docs/serving.md."""
    page = pathlib.Path(__file__).parents[2] / "docs/serving.md"
    code = page.read_text(encoding="utf-8").split("```python\n")[1].split("```")[0]
    names = {}
    exec(code.replace("localhost:8080", remote[1].address), names)
    assert names["answer"].as_numpy("predict")[0] in (b"yes", b"no") and names["answer"].as_numpy("probability").shape == (1, 2)


def test_remote_metadata(remote):
    _, c, _, _ = remote
    assert c.is_server_live() and c.is_server_ready()
    assert c.is_model_ready("images") and c.is_model_ready("images", "1") and not c.is_model_ready("images", "3") and not c.is_model_ready("none")
    assert c.get_server_metadata().name == "fenchel"
    model = c.get_model_metadata("images", "1")
    assert model.versions == ["2", "1"] and [(t.name, t.datatype, t.shape) for t in model.inputs] == [("input", "FP32", [-1, 784])]
    assert ("probability", "FP64", [-1, 3]) in [(t.name, t.datatype, t.shape) for t in model.outputs]


@pytest.mark.parametrize("ask, says", [
    (lambda m, c, x: c.infer("none", [x]), "NOT_FOUND.*expected one of images, loans"),
    (lambda m, c, x: c.infer("images", [x], outputs=[m.InferRequestedOutput("predict", class_count=2)]), "INVALID_ARGUMENT.*classification"),
    (lambda m, c, x: c.infer("images", [x], compression_algorithm="gzip"), "UNIMPLEMENTED.*gzip"),
    (lambda m, c, x: c.infer("images", [remote_tensor(m, "input", np.zeros((1, 3), np.float32), "FP32")]), r"INVALID_ARGUMENT.*expected one of numbers of shape \[rows, 784\]"),
    (lambda m, c, x: c.get_model_repository_index(), "UNIMPLEMENTED"),
])
def test_remote_refusals(remote, ask, says):
    module, c, _, X = remote
    with pytest.raises(InferenceServerException, match=says):
        ask(module, c, remote_tensor(module, "input", X, "FP32"))


@pytest.mark.parametrize("ask, says", [
    (lambda c, x: c.infer("none", [x]), "expected one of images, loans"),
    (lambda c, x: c.infer("images", [x], outputs=asked(["classes"], True)), 'found "classes"'),
    (lambda c, x: c.infer("images", [x], outputs=[client.InferRequestedOutput("predict", class_count=2)]), "classification"),
    (lambda c, x: c.infer("images", [x], request_compression_algorithm="gzip"), 'found the content encoding "gzip"'),
    (lambda c, x: c.infer("images", [tensor("input", np.zeros((1, 3), np.float32), "FP32", True)]), r"expected one of numbers of shape \[rows, 784\]"),
    (lambda c, x: c.load_model("images"), "files are read when they change"),
    (lambda c, x: c.unload_model("images"), "files are read when they change"),
])
def test_refusals(served, ask, says):
    c, _, X = served
    with pytest.raises(InferenceServerException, match=says):
        ask(c, tensor("input", X, "FP32", True))
