"""Without scikit-learn, scipy and pandas everything works the same way."""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import fenchel


def run(code):
    """Run code in a Python that has numpy alone."""
    hide = "import sys\nfor name in ('sklearn', 'scipy', 'pandas'): sys.modules[name] = None\n"
    env = dict(os.environ, FENCHEL_BINARY=fenchel._engine.program(), PYTHONPATH=str(Path(fenchel.__file__).parent.parent))
    done = subprocess.run([sys.executable, "-W", "error", "-c", hide + textwrap.dedent(code)], env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_examples():
    """The examples of all docstrings but that of LogisticRegressionCV, which needs folds."""
    out = run("""
        import doctest, importlib, os
        import fenchel, fenchel.sklearn
        failed = 0
        for name in ("_base", "_model", "_read", "_verify", "_sparsify", "_tune", "linear", "kernel", "components", "sklearn._linear", "sklearn._machines", "sklearn._components"):
            failed += doctest.testmod(importlib.import_module("fenchel." + name), optionflags=doctest.NORMALIZE_WHITESPACE).failed
        print("failed", failed)
    """)
    assert out.endswith("failed 0\n"), out


def test_conventions():
    """Parameters, representation, scores, pickles, checks of rows and targets."""
    run("""
        import pickle
        import numpy as np
        import fenchel, fenchel.sklearn as twins
        X, y = np.random.RandomState(0).randn(60, 3), np.arange(60) % 2
        c = twins.SVC(C=2.0)
        assert repr(c) == "SVC(C=2.0)" and c.get_params()["C"] == 2.0
        assert c.set_params(C=3).C == 3
        assert 0 <= c.fit(X, y).score(X, y) <= 1
        assert (pickle.loads(pickle.dumps(c)).predict(X) == c.predict(X)).all()
        assert twins.Ridge().fit(X, X[:, 0]).score(X, X[:, 0]) > 0.9
        p = twins.PCA(2)
        assert p.fit_transform(X).shape == (60, 2) and list(p.get_feature_names_out()) == ["pca0", "pca1"]
        def raises(kind, says, do):
            try: do()
            except kind as e: assert says in str(e), str(e)
            else: raise AssertionError(says)
        raises(ValueError, "NaN", lambda: c.fit([[np.nan], [1.0]], [0, 1]))
        raises(ValueError, "2D", lambda: c.fit([0.0, 1.0], [0, 1]))
        raises(ValueError, "Complex", lambda: c.fit([[1j], [1.0]], [0, 1]))
        raises(ValueError, "target", lambda: c.fit(X, y[:5]))
        raises(ValueError, "Unknown label", lambda: c.fit(X, X[:, 0]))
        raises(ValueError, "sample_weight", lambda: c.fit(X, y, sample_weight=[1, 2]))
        raises(ValueError, "features", lambda: twins.SVC().fit(X, y).predict(X[:, :2]))
        raises(ValueError, "not fitted", lambda: twins.SVC().predict(X))
        raises(ValueError, "Invalid parameter", lambda: c.set_params(D=1))
        raises(AttributeError, "logistic", lambda: fenchel.LinearClassifier().predict_proba)
        raises(TypeError, "", lambda: fenchel.verify(object(), X, y))
    """)
