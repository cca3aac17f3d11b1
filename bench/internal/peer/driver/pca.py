"""Finds principal components with scikit-learn, and multiplies matrices with its
BLAS, for the harness.

    TASK.bin ROWS dense|sparse THREADS   load the first rows in single precision ("-": none),
                                 say "ready", then answer each line
        COMPONENTS<tab>CLASS {arguments}   with {"seconds": of fit alone}, with one thread or all, whichever is sooner
        gram<tab>N D THREADS               with {"seconds": of X^T X}, X N x D
"""
import json
import sys
import time
import warnings

import numpy as np
import scipy.sparse as sp
from sklearn.decomposition import PCA, IncrementalPCA, TruncatedSVD
from threadpoolctl import threadpool_limits

warnings.filterwarnings("ignore")
CLASSES = {c.__name__: c for c in (PCA, IncrementalPCA, TruncatedSVD)}
try:
    from sklearnex.decomposition import PCA as OneDAL

    CLASSES["oneDAL"] = OneDAL
except ImportError:
    pass


def read_task(path, rows, dense):
    with open(path, "rb") as file:
        assert file.read(8) == b"FENBENCH"
        n, d, nonzeros = np.fromfile(file, np.int64, 3)
        start = np.fromfile(file, np.int64, n + 1)
        np.fromfile(file, np.float64, n)
        index = np.fromfile(file, np.uint32, nonzeros)
        value = np.fromfile(file, np.float32, nonzeros)
    x = sp.csr_matrix((value, index.astype(np.int32), start.astype(np.int32)), shape=(n, d))[: int(rows)]
    return np.ascontiguousarray(x.toarray()) if dense == "dense" else x


def fit(x, out, estimator, choices):
    name, arguments = estimator.split(" ", 1)
    if name not in CLASSES:
        raise ImportError(f"{name} is not installed")
    least = float("inf")
    for threads in choices:
        model = CLASSES[name](**json.loads(arguments))
        with threadpool_limits(threads):
            begin = time.perf_counter()
            model.fit(x)
            least = min(least, time.perf_counter() - begin)
    model.components_.ravel().astype("<f8").tofile(out)
    return least


def factors(kept, *shapes):
    """The same numbers again where the shapes are."""
    if kept.get("shapes") != shapes:
        draw = np.random.default_rng(1)
        kept["shapes"], kept["factors"] = shapes, [draw.random(s, np.float32) for s in shapes]
    return kept["factors"]


def gram(kept, n, d, threads):
    (x,) = factors(kept, (n, d))
    c = np.zeros((d, d), np.float32)
    return timed(lambda: np.matmul(x.T, x, out=c), threads)


def timed(do, threads):
    with threadpool_limits(limits=threads, user_api="blas"):
        begin = time.perf_counter()
        do()
        return time.perf_counter() - begin


def serve(path, rows, dense, threads):
    x = None if path == "-" else read_task(path, rows, dense)
    kept = {}
    print("ready", flush=True)
    for line in sys.stdin:
        out, text = line.rstrip("\n").split("\t")
        try:
            seconds = gram(kept, *map(int, text.split())) if out == "gram" else fit(x, out, text, sorted({1, int(threads)}))
            print(json.dumps({"seconds": seconds}), flush=True)
        except Exception as error:  # the harness goes on with the next one
            print(json.dumps({"error": repr(error)[:300]}), flush=True)


serve(*sys.argv[1:])
