"""Trains on Spark clusters of this machine, and checks what is promised of them.

    python bench/cluster/run.py [--work FOLDER] [--rows 2000000] PART...

Parts: a9a, imdb, covtype (files in the folder FENCHEL_DATA, by default ../shared/data), generated (rows
of 100,000 columns made on the executors from a seed), hinge (a9a), small (generated, with executors of 512 MB, which
hold less than the rows). Each is trained on local-cluster[1], [2] and [4] with one core each, on two of
which one is killed in round 5; the models have to be the same bytes, and ``fenchel verify`` on one machine has to agree. Then
pyspark.ml goes on until its objective is within the gap of that of Fenchel's model (which may be far better than asked). A line of JSON is written for each run: processor seconds
of all processes of the run (the driver, executors, workers of Python, the program), seconds by the clock with the load before and
after, jobs of Spark, and the peak memory of each kind of process.
"""

import argparse
import gzip
import hashlib
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("FENCHEL_DATA", ROOT.parent / "shared" / "data"))
FILES = {"a9a": "adult/a9a.gz", "imdb": "imdb/imdb_tfidf.train.svm.gz", "covtype": "covtype/covtype_ramp_92962.svm.gz"}
COLUMNS, BLOCK = 100_000, 1000


# Processes: those that this one has started, and theirs.


def processes() -> dict[int, tuple[int, float, str]]:
    """Return parent, processor seconds (with those of ended children) and command of all descendants, and of this process."""
    found, tick = {}, os.sysconf("SC_CLK_TCK")
    for p in Path("/proc").glob("[0-9]*"):
        try:
            fields = (p / "stat").read_text().rsplit(")", 1)[1].split()
            found[int(p.name)] = int(fields[1]), sum(map(int, fields[11:15])) / tick, (p / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            pass
    mine = {os.getpid()}
    while more := {pid for pid, (parent, _, _) in found.items() if parent in mine} - mine:
        mine |= more
    return {pid: found[pid] for pid in mine if pid in found}


def kind(pid: int, command: str) -> str:
    for words, name in (("CoarseGrainedExecutorBackend", "executor, JVM"), ("pyspark.daemon", "executor, Python"), ("fenchel-worker worker", "executor, program"), (" worker --folder", "executor, program"),
                        (" coordinator", "driver, program"), ("java", "driver, JVM")):  # fmt: skip
        if words in command:
            return name
    return "driver, Python" if pid == os.getpid() else "other"


class Peaks(threading.Thread):
    """Samples the peak memory of each kind of process, in MB."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.of: dict[str, float] = {}
        self.on = True
        self.start()

    def run(self) -> None:
        while self.on:
            for pid, (_, _, command) in processes().items():
                try:
                    text = Path(f"/proc/{pid}/status").read_text()
                    peak = int(text.split("VmHWM:")[1].split()[0]) / 1024
                    self.of[kind(pid, command)] = max(self.of.get(kind(pid, command), 0), round(peak))
                except (OSError, IndexError):
                    pass
            time.sleep(0.3)


# Rows.


def generate(first: int, rows: int, seed: int = 1) -> tuple[np.ndarray, ...]:
    """Return starts, columns, values and labels of a block of rows like texts: columns of a power law, rows of unit length."""
    rng = np.random.default_rng([seed, first])
    lengths = rng.integers(20, 41, rows)
    columns, starts = [], [0]
    for n in lengths:
        columns.append(np.unique((COLUMNS ** rng.random(2 * n) - 1).astype(np.int64).clip(0, COLUMNS - 1))[:n])
        starts.append(starts[-1] + len(columns[-1]))
    index = np.concatenate(columns)
    value = (1 + rng.random(len(index))) * np.log1p(index + 1)
    of = np.repeat(np.arange(rows), np.diff(starts))
    value = (value / np.sqrt(np.bincount(of, value**2))[of]).astype(np.float32)
    truth = np.random.default_rng(seed).standard_normal(COLUMNS)
    score = np.bincount(of, value * truth[index]) + 0.5 * rng.standard_normal(rows)
    return np.array(starts), index, value, np.where(score > 0, 1, -1)


def generated(spark, args):
    """Return the generated rows, which are written once, and as texts for ``fenchel verify``."""
    from pyspark.ml.linalg import VectorUDT
    from pyspark.sql.types import DoubleType, StructField, StructType

    folder = args.work / f"generated-{args.rows}"
    texts = args.work / f"generated-{args.rows}-text"
    if not (folder / "_SUCCESS").exists():
        texts.mkdir(exist_ok=True)

        def make(batches):
            import pyarrow as pa

            for batch in batches:
                for block in batch.column(0).to_pylist():
                    starts, index, value, label = generate(block, BLOCK)
                    lists = lambda v, t: pa.ListArray.from_arrays(pa.array(starts, pa.int32()), pa.array(v, t))  # noqa: E731
                    parts = [pa.array(np.zeros(BLOCK), pa.int8()), pa.array(np.full(BLOCK, COLUMNS), pa.int32()), lists(index, pa.int32()), lists(value, pa.float64())]
                    vectors = pa.StructArray.from_arrays(parts, ["type", "size", "indices", "values"])
                    pairs = [f"{j + 1}:{v:.9g}" for j, v in zip(index.tolist(), value.tolist())]
                    lines = [f"{label[i]} {' '.join(pairs[starts[i] : starts[i + 1]])}\n" for i in range(BLOCK)]
                    if block == 0:
                        lines[0] = lines[0].replace("\n", f" {COLUMNS}:0\n")  # how many columns there are
                    (texts / f"{block:08d}.svm").write_text("".join(lines))
                    yield pa.RecordBatch.from_arrays([vectors, pa.array(label, pa.float64())], ["features", "label"])

        schema = StructType([StructField("features", VectorUDT()), StructField("label", DoubleType())])
        spark.range(0, args.rows // BLOCK, 1, 16).mapInArrow(make, schema).write.mode("overwrite").parquet(str(folder))
    return spark.read.parquet(str(folder)), sorted(map(str, texts.glob("*.svm")))


def rows_of(spark, part, args):
    """Return a table and the files that hold the same rows."""
    if part in ("generated", "small"):
        return generated(spark, args)
    name = "a9a" if part == "hinge" else part
    path = args.work / f"{name}.svm"
    if not path.exists():
        text = gzip.open(DATA / FILES[name], "rt").read()
        if name == "covtype":  # class 2 against the rest
            text = "".join(("+1" if line.split(" ", 1)[0] in ("2", "2.0", "+2") else "-1") + " " + line.split(" ", 1)[1] for line in text.splitlines(keepends=True))
        path.write_text(text)
    columns = max(int(pair.split(":")[0]) for line in path.open() for pair in line.split()[-1:] if ":" in pair)
    return spark.read.format("libsvm").option("numFeatures", columns).load(str(path)), [str(path)]


# Runs, each a process of its own.


def session(args):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master(args.master).config("spark.ui.enabled", "false").config("spark.ui.showConsoleProgress", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "8").config("spark.executor.memory", f"{args.master.rstrip(']').rsplit(',', 1)[1]}m")
    spark = builder.config("spark.driver.memory", "2g").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    spark.range(1000).repartition(8).mapInArrow(lambda batches: batches, "id long").count()  # starts workers of Python
    return spark


class Killer(logging.Handler):
    """Kills an executor when a round has ended."""

    def __init__(self, round_: int) -> None:
        super().__init__()
        self.round, self.killed = round_, None

    def emit(self, record: logging.LogRecord) -> None:
        print(record.getMessage(), file=sys.stderr, flush=True)
        if self.killed is None and record.getMessage().startswith(f"round {self.round},"):
            self.killed = next(pid for pid, (_, _, command) in processes().items() if "CoarseGrainedExecutorBackend" in command)
            os.kill(self.killed, signal.SIGKILL)


def measured(spark, work):
    """Return what work returns, and what it took."""
    sc = spark.sparkContext
    sc.setJobGroup("measured", "measured")
    peaks, load = Peaks(), os.getloadavg()[0]
    before, clock = sum(p[1] for p in processes().values()), time.time()
    out = work()
    clock, after = time.time() - clock, sum(p[1] for p in processes().values())
    peaks.on = False
    jobs = len(sc.statusTracker().getJobIdsForGroup("measured"))
    return out, {"cpu": round(after - before, 1), "clock": round(clock, 1), "load": [round(load, 1), round(os.getloadavg()[0], 1)], "jobs": jobs, "peak": dict(sorted(peaks.of.items()))}


def fenchel_run(args):
    from fenchel.spark import LinearClassifier

    killer = Killer(args.kill)
    logging.getLogger("fenchel").addHandler(killer)
    logging.getLogger("fenchel").setLevel(logging.INFO)
    spark = session(args)
    df, files = rows_of(spark, args.part, args)
    est = LinearClassifier(loss="hinge" if args.part == "hinge" else "logistic", C=1.0, gap=args.gap)
    if not args.kill:
        est.fit(df)  # as the peer has, whose history is made first: the JVM has compiled what it needs
    model, took = measured(spark, lambda: est.fit(df))
    file = args.work / f"{args.part}.model"
    model.save_model(str(file))
    c = model.file.part("certificates")[0]
    print(json.dumps({"part": args.part, "by": "fenchel", "master": args.master, "killed": killer.killed is not None, **took, "rounds": c["epochs"], "requests": model.jobs_, "status": model.status_, "gap": model.gap_,
                      "objective": c["primal"], "rows": model.file.part("data")["rows"], "sha256": hashlib.sha256(model.file.data).hexdigest()[:16], "files": len(files)}), flush=True)  # fmt: skip
    spark.stop()


def mllib_run(args):
    from pyspark.ml.classification import LinearSVC, LogisticRegression
    from pyspark.sql import functions as F

    spark = session(args)
    df, _ = rows_of(spark, args.part, args)
    df = df.withColumn("label", (F.col("label") > 0).cast("double"))
    n = df.count()
    kind_ = LinearSVC if args.part == "hinge" else LogisticRegression

    def fit(steps):
        return kind_(regParam=1 / n, maxIter=steps, tol=0.0, standardization=args.standardise).fit(df)

    def history(model):
        return list((model.summary() if args.part == "hinge" else model.summary).objectiveHistory)

    tried = history(fit(args.steps))
    same, within = (next((k for k, value in enumerate(tried) if value <= bound), None) for bound in (args.objective, args.objective * (1 + args.gap)))
    model, took = measured(spark, lambda: fit(args.steps if within is None else within))
    print(json.dumps({"part": args.part, "by": "mllib", "master": args.master, **took, "steps": len(history(model)) - 1, "steps to the same": same, "steps to the gap": within, "objective": history(model)[-1]}), flush=True)
    spark.stop()


def run(args, **change):
    """Run this file again, for one run, and return its line."""
    flags = [f"--{k}={v}" for k, v in {"work": args.work, "rows": args.rows, "gap": args.gap, **change}.items()]
    done = subprocess.run([sys.executable, __file__, *flags], stdout=subprocess.PIPE, text=True)
    line = json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 and done.stdout else {"failed": done.returncode, **change}
    print(json.dumps(line), flush=True)
    with open(args.work / "results.jsonl", "a") as out:
        out.write(json.dumps(line) + "\n")
    return line


def accept(args, part):
    """Check a part."""
    memory = 512 if part == "small" else 1024
    masters = [f"local-cluster[{k},1,{memory}]" for k in ((2,) if part == "small" else (2, 1, 4))]
    lines = [run(args, one="fenchel", part=part, master=m) for m in masters]
    if part != "small":
        lines.append(run(args, one="fenchel", part=part, master=masters[0], kill=5))
    assert len({line.get("sha256") for line in lines}) == 1, "found other bytes on other executors"
    assert all(line["gap"] <= args.gap for line in lines)
    files = sorted((args.work / f"generated-{args.rows}-text").glob("*.svm")) if part in ("generated", "small") else [args.work / f"{'a9a' if part == 'hinge' else part}.svm"]
    from fenchel import _engine

    done = subprocess.run([_engine.program(), "verify", args.work / f"{part}.model", *files], capture_output=True, text=True)
    print(json.dumps({"part": part, "verify": done.returncode, "said": done.stdout.splitlines()[:2] or done.stderr}), flush=True)
    assert done.returncode == 0
    if part != "small":
        run(args, one="mllib", part=part, master=masters[0], objective=lines[0]["objective"], steps=args.steps)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--work", type=Path, default=Path("cluster-work"))
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--gap", type=float, default=1e-3)
    parser.add_argument("--steps", type=int, default=200, help="of pyspark.ml at most")
    parser.add_argument("--standardise", action="store_true", help="let pyspark.ml scale columns, which changes its problem")
    for name in ("one", "part", "master"):
        parser.add_argument("--" + name)
    parser.add_argument("--kill", type=int, default=0)
    parser.add_argument("--objective", type=float)
    args = parser.parse_args()
    args.work = args.work.resolve()
    args.work.mkdir(exist_ok=True)
    sys.path.insert(0, str(ROOT / "python"))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")])
    if args.one:
        {"fenchel": fenchel_run, "mllib": mllib_run}[args.one](args)
    else:
        for part in args.parts:
            accept(args, part)
