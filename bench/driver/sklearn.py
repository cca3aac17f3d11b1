"""Trains scikit-learn estimators for the harness.

    serve TASK.bin                  load the rows, say "ready", then answer each
                                    line "WEIGHTS<tab>CLASS {arguments}" with
                                    {"seconds": of fit alone}
    once TEXT D WEIGHTS ESTIMATOR   one whole process: read LIBSVM text, fit,
                                    write the weights
"""
import json
import sys
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import LinearSVC

warnings.filterwarnings("ignore")
CLASSES = {c.__name__: c for c in (LinearSVC, LogisticRegression, SGDClassifier)}


def read_task(path):
    """Rows as CSR in double precision, which every estimator here wants."""
    with open(path, "rb") as file:
        assert file.read(8) == b"FENBENCH"
        n, d, nonzeros = np.fromfile(file, np.int64, 3)
        start = np.fromfile(file, np.int64, n + 1)
        y = np.fromfile(file, np.float64, n)
        index = np.fromfile(file, np.uint32, nonzeros)
        value = np.fromfile(file, np.float32, nonzeros)
    x = sp.csr_matrix((value.astype(np.float64), index.astype(np.int32), start.astype(np.int32)), shape=(n, d))
    return x, y


def fit(estimator, x, y):
    name, arguments = estimator.split(" ", 1)
    model = CLASSES[name](**json.loads(arguments))
    begin = time.perf_counter()
    model.fit(x, y)
    return time.perf_counter() - begin, model.coef_.ravel().astype("<f8")


def serve(path):
    x, y = read_task(path)
    print("ready", flush=True)
    for line in sys.stdin:
        out, estimator = line.rstrip("\n").split("\t")
        try:
            seconds, weights = fit(estimator, x, y)
            weights.tofile(out)
            print(json.dumps({"seconds": seconds}), flush=True)
        except Exception as error:  # the harness goes on with the next one
            print(json.dumps({"error": repr(error)[:300]}), flush=True)


def once(text, d, out, estimator):
    x, y = load_svmlight_file(text, n_features=int(d))
    # The reader makes 64-bit indices, which LinearSVC refuses.
    x.indices, x.indptr = x.indices.astype(np.int32), x.indptr.astype(np.int32)
    fit(estimator, x, y)[1].tofile(out)


{"serve": serve, "once": once}[sys.argv[1]](*sys.argv[2:])
