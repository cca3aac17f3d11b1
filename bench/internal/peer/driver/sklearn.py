"""Trains scikit-learn estimators for the harness.

    serve TASK.bin                  load the rows, say "ready", then answer each
                                    line "WEIGHTS<tab>CLASS {arguments}" with
                                    {"seconds": of fit alone}
    once TEXT D WEIGHTS ESTIMATOR   one whole process: read LIBSVM text, fit,
                                    write the weights
    machine TEXT D MODEL DENSE {arguments}   the same for an SVC and its pickle
    export MODEL OUT                the SVC as a model of LIBSVM
"""
import json
import sys
import time
import warnings

import joblib
import numpy as np
import scipy.sparse as sp
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.svm import SVC, LinearSVC

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


def read_text(text, d):
    x, y = load_svmlight_file(text, n_features=int(d))
    # The reader makes 64-bit indices, which LinearSVC and SVC refuse.
    x.indices, x.indptr = x.indices.astype(np.int32), x.indptr.astype(np.int32)
    return x, y


def once(text, d, out, estimator):
    x, y = read_text(text, d)
    fit(estimator, x, y)[1].tofile(out)


def machine(text, d, out, dense, arguments):
    x, y = read_text(text, d)
    joblib.dump(SVC(**json.loads(arguments)).fit(x.toarray() if dense == "true" else x, y), out)


def export(path, out):
    """Two classes: LIBSVM scores its first label, and has its vectors first."""
    svc = joblib.load(path)
    weight = sp.csr_matrix(svc.dual_coef_).toarray()[0]
    rows = sp.csr_matrix(svc.support_vectors_)
    positive = weight > 0
    with open(out, "w") as file:
        print(f"svm_type c_svc\nkernel_type rbf\ngamma {svc.gamma!r}\nnr_class 2\ntotal_sv {len(weight)}", file=file)
        print(f"rho {float(-svc.intercept_[0])!r}\nlabel {svc.classes_[1]:g} {svc.classes_[0]:g}", file=file)
        print(f"nr_sv {positive.sum()} {(~positive).sum()}\nSV", file=file)
        for i in np.argsort(~positive, kind="stable"):
            row = rows.indptr[i], rows.indptr[i + 1]
            values = zip(rows.indices[slice(*row)], rows.data[slice(*row)])
            print(float(weight[i]), *(f"{j + 1}:{float(v)!r}" for j, v in values), file=file)


{"serve": serve, "once": once, "machine": machine, "export": export}[sys.argv[1]](*sys.argv[2:])
