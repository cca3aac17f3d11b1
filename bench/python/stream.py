"""Compares train --stream with Vowpal Wabbit and River: progressive losses, and rows a second.

    python bench/python/stream.py [--golden] [--loss LOSS] FILE...

FILE is LIBSVM text, .gz or .bz2 too, or a generator such as @text:n=2000. vowpalwabbit 9.11 and river have to be installed; FENCHEL_BINARY names
the program. --golden prints the table of internal/solve/online/golden_test.go: losses at 1, 2, 4, ... rows by vw.
"""
import argparse
import bz2
import gzip
import json
import math
import os
import resource
import subprocess
import sys
import tempfile
import time

import vowpalwabbit

program = os.environ.get("FENCHEL_BINARY", "fenchel")
RIVER_ROWS = 20_000  # of which River's rows a second are measured


def lines(path):
    opener = gzip.open if path.endswith(".gz") else bz2.open if path.endswith(".bz2") else open
    with opener(path, "rt") as file:
        yield from file


def features(line):
    """Return the target and the features of a row."""
    target, *pairs = line.split("#")[0].split()
    return float(target), [p for p in pairs if not p.startswith("qid:")]


def converted(path, folder):
    """Write the rows as LIBSVM text and as vw has them: features are numbers, below 2^18 and none of them 116060, its constant."""
    if path.startswith("@"):
        plain = os.path.join(folder, "made.svm")
        subprocess.run([program, "convert", path, plain], check=True, stdout=subprocess.DEVNULL)
        path = plain
    svm, vw = os.path.join(folder, "rows.svm"), os.path.join(folder, "rows.vw")
    with open(svm, "w") as plain, open(vw, "w") as other:
        for line in lines(path):
            if line.strip():
                target, pairs = features(line)
                plain.write(f"{target:.17g} {' '.join(pairs)}\n")
                other.write(f"{target:.17g} | {' '.join(pairs)}\n")
    return svm, vw


def flags(loss):
    name, _, tau = loss.partition(":tau=")
    return f"--loss_function {name} -b 18" + (f" --quantile_tau {tau}" if tau else "")


def golden(path, loss, vw):
    """Print progressive losses of vw at 1, 2, 4, ... rows and at the end."""
    learner, found = vowpalwabbit.Workspace(flags(loss) + " --quiet"), []
    rows = list(open(vw))
    for i, line in enumerate(rows, 1):
        learner.learn(line)
        if i & (i - 1) == 0 or i == len(rows):
            found.append(learner.get_sum_loss() / i)
    print(f'\t{{"{path}", "{loss}", []float64{{{", ".join(f"{x:.10g}" for x in found)}}}}},')


def timed(command):
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    took, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return done.stdout, took, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def river(svm, loss):
    """Return the rows a second of River's linear model with AdaGrad, predicting each row before it learns from it."""
    from river import linear_model, optim

    learner = linear_model.LogisticRegression(optim.AdaGrad(0.5)) if loss in ("logistic", "hinge") else linear_model.LinearRegression(optim.AdaGrad(0.5))
    rows = 0
    begun = time.perf_counter()
    for line in open(svm):
        target, pairs = features(line)
        x = {k: float(v) for k, v in (p.split(":") for p in pairs)}
        y = target > 0 if loss in ("logistic", "hinge") else target
        (learner.predict_proba_one if loss in ("logistic", "hinge") else learner.predict_one)(x)
        learner.learn_one(x, y)
        rows += 1
        if rows == RIVER_ROWS:
            break
    return rows / (time.perf_counter() - begun)


def compare(path, loss, svm, vw):
    """Print losses and rows a second: of vw without the start of Python, as its package has no program of its own."""
    child = (
        "import resource, time, vowpalwabbit as v; t, u = time.perf_counter(), resource.getrusage(resource.RUSAGE_SELF); "
        f"w = v.Workspace('-d {vw} {flags(loss)} --quiet'); e, z = time.perf_counter() - t, resource.getrusage(resource.RUSAGE_SELF); "
        "print(w.get_sum_loss() / w.get_weighted_examples(), e, z.ru_utime + z.ru_stime - u.ru_utime - u.ru_stime)"
    )
    theirs, wall, cpu = map(float, timed([sys.executable, "-c", child])[0].split())
    text, ours, own = timed([program, "train", "--stream", svm, "--loss", loss, "--quiet", "--json"])
    found = json.loads(text)["one_pass"]
    rows = found["rows"]
    print(f"{path} {loss}: {rows} rows, progressive loss {found['loss']:.9g}, of vw {theirs:.9g}, apart {abs(found['loss'] - theirs):.1e}")
    print(f"  rows a second: fenchel {rows / ours:,.0f} ({own / rows * 1e6:.2f} us of the processor a row), vw {rows / wall:,.0f} ({cpu / rows * 1e6:.2f} us), River {river(svm, loss):,.0f}")
    return math.isclose(found["loss"], theirs, rel_tol=0, abs_tol=1e-5)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--golden", action="store_true")
    parser.add_argument("--loss", default="logistic")
    parser.add_argument("files", nargs="+")
    asked = parser.parse_args()
    good = True
    for path in asked.files:
        with tempfile.TemporaryDirectory() as folder:
            svm, vw = converted(path, folder)
            if asked.golden:
                golden(path, asked.loss, vw)
            else:
                good = compare(path, asked.loss, svm, vw) and good
    sys.exit(not good)


main()
