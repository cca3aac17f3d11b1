"""Trains estimators of Python libraries for the harness.

    serve TASK.bin THREADS MODULES  load the rows, say "ready", then answer each
                                    line "WEIGHTS<tab>CLASS {arguments}" with
                                    {"seconds": of fit alone, "threads": with which}
    once TEXT D WEIGHTS ESTIMATOR THREADS   one whole process: read LIBSVM text, fit,
                                    write the weights
    machine TEXT D MODEL DENSE ESTIMATOR   the same for an SVC and its pickle
    export MODEL OUT                the SVC as a model of LIBSVM

CLASS is a module and its class, or one of those below. With a plus behind it, it runs with one
thread and with all, and the sooner counts.
"""
import importlib
import json
import sys
import time
import warnings

import numpy as np
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

warnings.filterwarnings("ignore")


class Multicore:
    """liblinear-multicore: the rows are laid out before the clock runs."""

    def __init__(self, x, y, solver, C, tol, threads):
        from liblinear import liblinearutil

        self.train, self.problem = liblinearutil.train, liblinearutil.problem(y, x)
        self.options = f"-q -s {solver} -c {C!r} -e {tol!r} -B -1" + (f" -m {threads}" if threads > 1 else "")

    def fit(self, x, y):
        model = self.train(self.problem, self.options)
        weights, _ = model.get_decfun(label_idx=0)
        self.coef_ = np.array(weights) * (1 if model.get_labels()[0] > 0 else -1)


class Glum:
    """glum: its classes are 0 and 1."""

    def __init__(self, x, y, **arguments):
        from glum import GeneralizedLinearRegressor

        self.model, self.y = GeneralizedLinearRegressor(family="binomial", fit_intercept=False, **arguments), (y > 0).astype(np.float64)

    def fit(self, x, y):
        self.coef_ = self.model.fit(x, self.y).coef_


OWN = {"Multicore": Multicore, "Glum": Glum}


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


def make(name, arguments, x, y, threads):
    arguments = json.loads(arguments.replace("THREADS", str(threads)))
    if name in OWN:
        return OWN[name](x, y, **arguments)
    module, name = name.rsplit(".", 1)
    return getattr(importlib.import_module(module), name)(**arguments)


def fit(estimator, x, y, choices):
    """Return the least seconds, the threads with which, and the weights."""
    name, arguments = estimator.split(" ", 1)
    best = None
    for threads in choices if name.endswith("+") else choices[:1]:
        model = make(name.rstrip("+"), arguments, x, y, threads)
        with threadpool_limits(threads):
            begin = time.perf_counter()
            model.fit(x, y)
            seconds = time.perf_counter() - begin
        if best is None or seconds < best[0]:
            best = seconds, threads, np.asarray(model.coef_).ravel().astype("<f8")
    return best


def serve(path, threads, modules):
    x, y = read_task(path)
    for module in modules.split():
        importlib.import_module(module)
    print("ready", flush=True)
    for line in sys.stdin:
        out, estimator = line.rstrip("\n").split("\t")
        try:
            seconds, sooner, weights = fit(estimator, x, y, sorted({1, int(threads)}))
            weights.tofile(out)
            print(json.dumps({"seconds": seconds, "threads": sooner}), flush=True)
        except Exception as error:  # the harness goes on with the next one
            print(json.dumps({"error": repr(error)[:300]}), flush=True)


def read_text(text, d):
    from sklearn.datasets import load_svmlight_file

    x, y = load_svmlight_file(text, n_features=int(d))
    # The reader makes 64-bit indices, which LinearSVC and SVC refuse.
    x.indices, x.indptr = x.indices.astype(np.int32), x.indptr.astype(np.int32)
    return x, y


def once(text, d, out, estimator, threads):
    x, y = read_text(text, d)
    fit(estimator, x, y, [int(threads)])[2].tofile(out)


def machine(text, d, out, dense, estimator):
    import joblib

    x, y = read_text(text, d)
    name, arguments = estimator.split(" ", 1)
    joblib.dump(make(name, arguments, x, y, 1).fit(x.toarray() if dense == "true" else x, y), out)


def export(path, out):
    """Two classes: LIBSVM scores its first label, and has its vectors first."""
    import joblib

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
