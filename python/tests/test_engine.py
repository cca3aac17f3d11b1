"""The process behind the estimators: its end, Ctrl-C, broken input, and what is left behind."""

import glob
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import fenchel
from fenchel import _engine

RNG = np.random.RandomState(0)
X = RNG.randn(200, 4).astype(np.float32)
Y = (X[:, 0] > 0).astype(int)
posix = pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")


@posix
def test_the_command_is_the_program(tmp_path):
    version = subprocess.run([_engine.program(), "--version"], capture_output=True, check=True).stdout
    env = {**os.environ, "FENCHEL_BINARY": _engine.program(), "PYTHONPATH": str(Path(__file__).parents[1])}
    assert version.startswith(b"fenchel version ") and subprocess.run([sys.executable, "-m", "fenchel", "--version"], env=env, capture_output=True, check=True).stdout == version
    refused = subprocess.run([sys.executable, "-m", "fenchel", "dance"], env=env, capture_output=True)
    assert refused.returncode == 1 and refused.stderr.startswith(b'fenchel: unknown command "dance"')
    command = tmp_path / "fenchel"  # the command itself, where there is no program
    command.write_text(f"#!{sys.executable}\nfrom fenchel import _program\n_program.main()\n")
    command.chmod(0o755)
    nothing = subprocess.run([command], env={**env, "FENCHEL_BINARY": str(command)}, capture_output=True)
    assert nothing.returncode == 1 and nothing.stderr.startswith(b"fenchel: found no program, expected") and nothing.stderr.count(b"\n") == 1


def slow():
    """Return an estimator and data that take minutes."""
    X, y = fenchel.read("@spirals:n=8000,noise=0.5")
    return fenchel.KernelClassifier(kernel="rbf:gamma=1", C=1e6, gap=1e-14), X, y


def alive(pid):
    """Tell whether a process runs; a zombie does not."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return False


def gone(pid, seconds=10):
    end = time.time() + seconds
    while time.time() < end:
        if not alive(pid):
            return True
        time.sleep(0.02)
    return False


def python(code, **kw):
    """Run code in a Python of its own, which needs numpy alone and imports nothing larger."""
    code = "import sys\nfor name in ('sklearn', 'scipy', 'pandas'): sys.modules[name] = None\n" + textwrap.dedent(code)
    env = dict(os.environ, FENCHEL_BINARY=fenchel._engine.program(), PYTHONPATH=os.pathsep.join([str(Path(fenchel.__file__).parent.parent), os.environ.get("PYTHONPATH", "")]))
    return subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env, **kw)


def test_one_process():
    """All fits are answered by one process."""
    fenchel.LinearClassifier().fit(X, Y)
    first = _engine._engine.process.pid
    for _ in range(3):
        fenchel.LinearClassifier().fit(X, Y)
    assert _engine._engine.process.pid == first


@posix
def test_killed_engine():
    """A process that was killed is an exception; the next call starts another."""
    c = fenchel.LinearClassifier().fit(X, Y)
    _engine._engine.process.kill()
    with pytest.raises(fenchel.EngineError, match="signal 9.*next call"):
        fenchel.LinearClassifier().fit(X, Y)
    assert (fenchel.LinearClassifier().fit(X, Y).coef_ == c.coef_).all()


@posix
def test_killed_in_a_fit():
    estimator, X, y = slow()
    pid = _engine._engine.process.pid
    threading.Timer(0.5, os.kill, (pid, signal.SIGKILL)).start()
    with pytest.raises(fenchel.EngineError, match="signal 9"):
        estimator.fit(X, y)
    assert not hasattr(estimator, "status_")
    assert gone(pid)


@posix
def test_terminated_engine():
    """An engine that got a signal of its own is an exception too, and no model that was interrupted."""
    fenchel.LinearClassifier().fit(X, Y)
    _engine._engine.process.terminate()
    time.sleep(0.2)
    with pytest.raises(fenchel.EngineError, match="signal.*next call"):
        fenchel.LinearClassifier().fit(X, Y)
    assert fenchel.LinearClassifier().fit(X, Y).status_ == "converged"


@posix
def test_interrupted_start(monkeypatch):
    """Ctrl-C while the engine starts leaves neither a process nor open files."""
    fenchel.close()
    before, started = len(os.listdir("/dev/fd")), []

    def press(engine, number):
        started.append(engine.process.pid)
        raise KeyboardInterrupt

    monkeypatch.setattr(_engine.Engine, "_answer", press)
    with pytest.raises(KeyboardInterrupt):
        fenchel.LinearClassifier().fit(X, Y)
    assert gone(started[0])

    def refuse(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(_engine.subprocess, "Popen", refuse)
    with pytest.raises(KeyboardInterrupt):
        fenchel.LinearClassifier().fit(X, Y)
    assert len(os.listdir("/dev/fd")) == before


@posix
def test_interrupt():
    """Ctrl-C ends a fit and leaves the best model, which predicts and has a proof."""
    estimator, X, y = slow()
    begun = time.time()
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        estimator.fit(X, y)
    assert time.time() - begun < 20
    assert estimator.status_ == "interrupted" and estimator.gap_ > 0
    assert estimator.predict(X).shape == y.shape
    assert fenchel.verify(estimator, X, y).gap == pytest.approx(estimator.gap_, rel=1e-6)


@posix
def test_interrupt_anywhere():
    """Ctrl-C at any instruction of a request loses no answer for which the next one would wait, and none is taken for another."""
    X = np.random.RandomState(0).randn(100, 10)
    wanted = [fenchel.LinearRegressor(C=C).fit(X, X[:, 0]).coef_ for C in (1.0, 2.0)]
    armed, stopped = False, 0

    def press(*_):
        if armed:
            raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, press)
    late = threading.Timer(60, lambda: _engine._engine.process.kill())  # where a request waits for ever
    late.start()
    try:
        for k in range(300):
            estimator, armed = fenchel.LinearRegressor(C=1.0 + k % 2), True
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-5 * (k + 1))
                estimator.fit(X, X[:, 0])
                armed = False
            except KeyboardInterrupt:
                armed, stopped = False, stopped + 1
                estimator.fit(X, X[:, 0])
            signal.setitimer(signal.ITIMER_REAL, 0)
            np.testing.assert_array_equal(estimator.coef_, wanted[k % 2])
    finally:
        late.cancel()
        signal.signal(signal.SIGALRM, before)
    assert stopped


CHILD = """
    import fenchel, numpy as np, sys
    from fenchel import _engine
    X, y = fenchel.read("@spirals:n=8000,noise=0.5")
    print(_engine._engine.process.pid, flush=True)
    fenchel.KernelClassifier(kernel="rbf:gamma=1", C=1e6, gap=1e-14).fit(X, y)
"""


@posix
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_killed_parent(number):
    """A parent that ends in whatever way takes its engine with it."""
    child = python(CHILD)
    pid = int(child.stdout.readline())
    assert alive(pid)
    time.sleep(0.3)
    child.send_signal(number)
    child.communicate(timeout=30)
    assert gone(pid)


@posix
def test_nothing_left():
    """No file and no process remains after the end."""
    before = set(glob.glob(os.path.join(tempfile.gettempdir(), "*fenchel*")) + glob.glob("/dev/shm/*fenchel*"))
    child = python("import fenchel; from fenchel import _engine; fenchel.LinearClassifier().fit([[0.0], [1.0]], [0, 1]); print(_engine._engine.process.pid)")
    out, err = child.communicate(timeout=60)
    assert child.returncode == 0 and err == ""
    assert gone(int(out))
    assert set(glob.glob(os.path.join(tempfile.gettempdir(), "*fenchel*")) + glob.glob("/dev/shm/*fenchel*")) <= before


@posix
def test_fork():
    """A child after a fork has an engine of its own, and its end is not that of the parent's."""
    fenchel.LinearClassifier().fit(X, Y)
    parent = _engine._engine.process.pid
    child = os.fork()
    if child == 0:
        try:
            fenchel.LinearClassifier().fit(X, Y)
            ok = _engine._engine.process.pid != parent
            fenchel.close()
        finally:
            os._exit(0 if ok else 1)
    assert os.waitpid(child, 0)[1] == 0
    fenchel.LinearClassifier().fit(X, Y)
    assert _engine._engine.process.pid == parent


def test_threads():
    """Calls of several threads take turns."""
    found, want = [], fenchel.LinearClassifier().fit(X, Y).coef_
    threads = [threading.Thread(target=lambda: found.append(fenchel.LinearClassifier().fit(X, Y).coef_)) for _ in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(found) == 8 and all((f == want).all() for f in found)


@posix
def test_full_disk(monkeypatch):
    """No room for the arrays is a MemoryError, and the next call goes on."""
    resource = pytest.importorskip("resource")
    fenchel.LinearClassifier().fit(X, Y)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, hard))
    try:
        with pytest.raises(MemoryError, match="no room for more than 65536 bytes"):
            fenchel.LinearClassifier().fit(np.zeros((1000, 1000), np.float32) + np.arange(1000, dtype=np.float32)[:, None], np.arange(1000) % 2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    fenchel.LinearClassifier().fit(X, Y)


@posix
def test_no_room_for_the_answer():
    """No room for what the engine answers is a MemoryError of one line, and the next call goes on."""
    child = python("""
        import resource, signal
        import numpy as np, fenchel
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (300000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        X = np.random.RandomState(0).randn(2000, 20).astype(np.float32)
        y = (X[:, 0] > 0) * 1
        try:
            fenchel.KernelClassifier(gamma=1.0).fit(X, y)
        except MemoryError as e:
            print(e)
        print(fenchel.LinearClassifier().fit(X, y).status_)
    """)
    out, err = child.communicate(timeout=120)
    assert err == "" and out.splitlines()[0].startswith("model: shared memory: found no room for the answer")
    assert out.splitlines()[1:] == ["converged"]


def test_no_program(monkeypatch, tmp_path):
    """A program that is not there, or is another, is an EngineError."""
    fenchel.close()
    wrong = tmp_path / "fenchel"
    wrong.write_text("#!/bin/sh\necho no such thing >&2\nexit 7\n")
    wrong.chmod(0o755)
    monkeypatch.setenv("FENCHEL_BINARY", str(wrong))
    if os.name == "posix":
        with pytest.raises(fenchel.EngineError, match="exit code 7: no such thing"):
            fenchel.LinearClassifier().fit(X, Y)
    monkeypatch.undo()
    fenchel.LinearClassifier().fit(X, Y)


@pytest.mark.skipif(os.name != "posix", reason="the other program is a script")
def test_another_protocol(monkeypatch, tmp_path):
    """A program of another protocol is refused before it is asked for anything, in one line."""
    fenchel.close()
    other = tmp_path / "fenchel"
    other.write_text(f"#!{sys.executable}" + textwrap.dedent("""
        import json, struct, sys
        sys.stdin.buffer.read(struct.unpack("<I", sys.stdin.buffer.read(4))[0])
        text = json.dumps({"id": 0, "result": {"version": "0.0", "protocol": 1}}).encode()
        sys.stdout.buffer.write(struct.pack("<I", len(text)) + text)
        sys.stdout.buffer.flush()
        sys.stdin.buffer.read()
    """))
    other.chmod(0o755)
    monkeypatch.setenv("FENCHEL_BINARY", str(other))
    with pytest.raises(fenchel.EngineError, match=r"found the protocol 1 of version 0.0, expected 3: [^\n]*$"):
        fenchel.LinearClassifier().fit(X, Y)
    monkeypatch.undo()
    fenchel.LinearClassifier().fit(X, Y)


@pytest.mark.parametrize("bad, error", [
    (np.array([["a", 1.0], ["b", 2.0]], object), ValueError), (np.array([[np.nan, 1.0], [0.0, 2.0]]), ValueError), (np.array([[np.inf, 1.0], [0.0, 2.0]]), ValueError),
    (np.array([[1e300, 1.0], [0.0, 2.0]]), ValueError), ([[1.0, 2.0], [3.0]], ValueError), (np.array([[1 + 1j, 2], [3, 4]]), ValueError),
    (np.zeros((2, 0)), ValueError), (np.zeros((0, 2)), ValueError), (np.zeros(2), ValueError), (np.array([["1", "x"], ["2", "y"]]), ValueError),
    (np.array([[{}, 1], [2, 3]], object), (TypeError, ValueError)),
])  # fmt: skip
def test_bad_rows(bad, error):
    for estimator in (fenchel.LinearClassifier(), fenchel.KernelClassifier(), fenchel.PCA(1)):
        with pytest.raises(error):
            estimator.fit(bad, [0, 1])
    assert fenchel.LinearClassifier().fit(X, Y).status_ == "converged"


@pytest.mark.parametrize("y", [[0.0, np.nan], [0.5, 1.5], [0, 0], [0], None, [[0, 1], [1, 0]]])
def test_bad_targets(y):
    with pytest.raises(ValueError):
        fenchel.LinearClassifier().fit([[0.0], [1.0]], y)


@pytest.mark.parametrize("parameters, says", [
    ({"loss": "sorrow"}, "unknown loss"), ({"C": -1}, "C=-1: expected a number > 0"), ({"C": 1, "lam": 1}, "expected one of the two"), ({"solver": "luck"}, "luck"),
    ({"class_weight": "fair"}, "class_weight='fair'"), ({"gap": 0}, "gap=0"), ({"penalty": "l3"}, "l3"), ({"bias": "big"}, "big"), ({"scale": "up"}, "up"),
])  # fmt: skip
def test_bad_parameters(parameters, says):
    with pytest.raises(ValueError, match=says) as e:
        fenchel.LinearClassifier(**parameters).fit(X, Y)
    assert "\n" not in str(e.value)


def test_wrong_width():
    for estimator in (fenchel.LinearClassifier(), fenchel.KernelClassifier()):
        estimator.fit(X, Y)
        with pytest.raises(ValueError, match="features"):
            estimator.predict(X[:, :2])


def test_pickle_survives_engine():
    """What is pickled predicts with another engine, which gets the model's bytes."""
    c = fenchel.KernelClassifier().fit(X, Y)
    want = c.decision_function(X)
    again = pickle.loads(pickle.dumps(c))
    fenchel.close()
    assert (again.decision_function(X) == want).all()


def test_without_copies():
    """float32 in C order goes to the engine as it is; other arrays are not changed."""
    for order, dtype in (("C", np.float32), ("F", np.float32), ("C", np.float64)):
        A = np.array(X, dtype, order=order)
        A.setflags(write=False)
        before = A.tobytes()
        fenchel.LinearClassifier().fit(A, Y)
        assert A.tobytes() == before


def test_overhead():
    """A fit takes little more than the engine does."""
    c = fenchel.LinearClassifier()
    c.fit(X, Y)
    over = []
    for _ in range(30):
        begun = time.perf_counter()
        c.fit(X, Y)
        over.append(time.perf_counter() - begun - c.seconds_["total"])
    assert min(over) < 0.005, over


@posix
@pytest.mark.parametrize("closed", [(0,), (0, 1), (0, 1, 2), (2,)], ids=str)
def test_no_standard_streams(closed, tmp_path):
    """The engine works where the process has no standard input, output or errors."""
    out = tmp_path / "out"
    code = f"import os; [os.close(fd) for fd in {closed}]; import fenchel; X, y = fenchel.read('@blobs:n=50,d=3,classes=2'); s = fenchel.LinearClassifier().fit(X, y).status_; open({str(out)!r}, 'w').write(s)"
    subprocess.run([sys.executable, "-c", code], timeout=60)
    assert out.read_text() == "converged"


@posix
def test_nothing_left_open():
    """Pipes and files are closed with the engine, of a process that forks, and of an engine that was killed, too."""
    code = """
import gc, os, fenchel
from fenchel import _engine
X, y = fenchel.read("@blobs:n=50,d=3,classes=2")
fit = lambda: fenchel.LinearClassifier().fit(X, y)
fit()
if hasattr(os, "fork"):
    pid = os.fork()
    if pid == 0:
        fit(); fenchel.close(); gc.collect(); os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0
_engine._engine.process.kill()
try:
    fit()
except fenchel.EngineError:
    pass
gc.collect()
fit()
"""
    run = subprocess.run([sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0 and "ResourceWarning" not in run.stderr, run.stderr
