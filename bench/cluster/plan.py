"""Says what rounds would take on clusters that are not at hand, from steps that are measured on this machine.

    python bench/cluster/plan.py --measure     # the constants below, on this machine
    python bench/cluster/plan.py               # the table of docs/cluster.md

A model of time, not a run: what it leaves out (stragglers, collection of garbage, other users) makes rounds longer.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Measured in processor seconds of one core of a Xeon of 2025 by --measure: medians of rounds on 6 million nonzeros, with 4 to 64
# partitions and 5,000 to a million columns; and by jobs on local-cluster[2,1,1024].
ASCENT = 8e-9  # of a nonzero in a round of dual ascent
SLOPES = 5e-9  # of a nonzero in a step in the weights
MLLIB = 20e-9  # of a nonzero in a step of MLlib, without the job: 60 million of them
INGEST = 210e-9  # of a nonzero on its way to its partition, once
COLUMN = 13e-9  # of a column in a round, in each partition: copies, and what it remembers in a file
ADD = 4e-9  # of a byte that executors return to the driver: read by its JVM and by Python, and added by the coordinator
JOB = 0.4  # of a job, by an idle clock
# Assumed.
LINK = 1.25e9  # bytes a second that a machine sends or receives: 10 Gbit/s
CORES = 10  # of an executor
MEMORY = 64e9  # of the driver
NONZERO = 8  # bytes of a value with its column
ROUNDS = 36  # of a smooth loss to a gap of 1e-3, with certificates: 31 rounds in 64 partitions
STEPS = 60  # of MLlib's L-BFGS to that gap, each a job


def partitions_of(nonzeros: float) -> int:
    """Return how many partitions there are, as fenchel._cluster.deal has it."""
    return int(min(1024, max(4, nonzeros // 2**24)))


def fenchel_round(nonzeros: float, columns: float, executors: int) -> tuple[float, float, float]:
    """Return seconds of a round, bytes that reach the driver, and bytes that the driver holds at once."""
    partitions = partitions_of(nonzeros)
    waves = -(-partitions // (executors * CORES))
    work = waves * (nonzeros / partitions * (ASCENT + SLOPES) / 2 + columns * COLUMN)
    answers = partitions * 8 * columns
    sent = 8 * columns * 2 / LINK  # executors pass pieces on to each other
    return JOB + work + sent + answers / LINK + answers * ADD, answers, 3 * answers  # as Python's bytes, joined, and read


def mllib_step(nonzeros: float, columns: float, executors: int) -> float:
    """Return seconds of a step of treeAggregate of depth 2 with as many partitions as cores."""
    partitions = executors * CORES
    work = nonzeros / partitions * MLLIB + columns * COLUMN
    reducers = max(1, int(partitions**0.5))
    first = partitions / executors * 8 * columns / LINK + partitions / reducers * 8 * columns * max(1, reducers / executors) / LINK
    return 2 * JOB + work + 8 * columns * 2 / LINK + first + reducers * 8 * columns * (1 / LINK + ADD / 4)


def table() -> None:
    nonzeros = 1e12 / NONZERO
    print(f"To partitions, once: {nonzeros * INGEST / 3600:.0f} hours of the processor.\n")
    print("| columns | executors | Fenchel: a round | to the driver | 36 rounds | MLlib: a step | 60 steps |")
    print("|---|---|---|---|---|---|---|")
    for columns in (1e4, 1e5, 1e6, 1e7):
        for executors in (25, 100, 400):
            seconds, answers, held = fenchel_round(nonzeros, columns, executors)
            step = mllib_step(nonzeros, columns, executors)
            whole = f"{ROUNDS * seconds / 60:.0f} min" if held <= MEMORY else f"(the driver would hold {held / 1e9:.0f} GB)"
            print(f"| {columns:.0e} | {executors} | {seconds:.1f} s | {answers / 1e9:.2g} GB | {whole} | {step:.1f} s | {STEPS * step / 60:.0f} min |".replace("e+0", "e"))


def measure(rows: int, columns: int) -> None:
    sys.path.insert(0, str(ROOT / "python"))
    import numpy as np
    import run
    from run import BLOCK, generate, processes
    from scipy.sparse import csr_matrix, vstack

    from fenchel import _ask, _cluster

    def cpu(word: str) -> float:
        return sum(p[1] for p in processes().values() if word in p[2])

    run.COLUMNS = columns
    parts = [generate(block, BLOCK) for block in range(rows // BLOCK)]
    X = vstack([csr_matrix((v, i, s), shape=(BLOCK, columns)) for s, i, v, _ in parts]).tocsr()
    codes = np.concatenate([p[3] > 0 for p in parts]).astype(np.uint32)
    batches = [_ask.Data(X[lo : lo + 100_000], codes=codes[lo : lo + 100_000], labels=["-1", "1"]) for lo in range(0, len(codes), 100_000)]
    nonzeros = sum(len(p[1]) for p in parts)
    for partitions in (4, 16, 64):
        backend = _cluster.Local(1)
        deal = _cluster.deal
        _cluster.deal = lambda buckets, partitions=partitions: ([b * partitions // _cluster.BUCKETS for b in range(_cluster.BUCKETS)], partitions)
        start = cpu(" worker ")
        backend.ingest(batches)
        ingested = cpu(" worker ") - start
        _cluster.deal = deal
        seen: list[tuple[float, float, float]] = []
        asked = backend.map

        def timed(request: bytes, of: object) -> list[bytes]:
            before = cpu(" worker ")
            replies = asked(request, of)
            seen.append((cpu(" worker ") - before, sum(map(len, replies)), cpu(" coordinator")))
            return replies

        backend.map = timed  # type: ignore[method-assign]
        events: list[dict] = []
        said, _ = _cluster.train(backend, {"loss": "logistic", "penalty": "l2", "bias": "free", "gap": 1e-3, "dual": True}, events.append)
        backend.close()
        rounds = seen[2:]
        print(f"{partitions} partitions: {said['rounds']} rounds, ingest {ingested / nonzeros * 1e9:.0f} ns a nonzero, dual ascent {np.median([r[0] for r in rounds[1:8]]) / nonzeros * 1e9:.1f} ns, "
              f"steps {np.median([r[0] for r in rounds[11:-4]] or [np.nan]) / nonzeros * 1e9:.1f} ns, answers of {rounds[1][1] / 1e6:.1f} MB a round, "
              f"coordinator {(seen[-1][2] - seen[1][2]) / sum(r[1] for r in seen[2:]) * 1e9:.1f} ns a byte of answers", flush=True)  # fmt: skip


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", action="store_true")
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--columns", type=int, default=100_000)
    args = parser.parse_args()
    measure(args.rows, args.columns) if args.measure else table()
