"""What :mod:`fenchel.spark` runs on executors. Each worker of Python there imports this module, which therefore imports little."""

from __future__ import annotations

import os
import platform
import shutil
import warnings
from typing import Any, Iterator

import numpy as np
from pyspark import SparkFiles

from . import _ask, _cluster, _table, _vectors
from ._engine import EngineError, program
from ._model import Model

PROGRAM = "fenchel-worker"  # as executors find it
FAULT = -1  # in place of a bucket: what is wrong with the rows
ROWS_AT_ONCE, BYTES_AT_ONCE = 100_000, 32 << 20  # that are dealt to partitions

_children: dict[str, _cluster.Child] = {}  # of this Python worker, by run


def _folder(run: str) -> str:
    return os.path.join(SparkFiles.getRootDirectory(), "fenchel-" + run)


def _child(run: str) -> _cluster.Child:
    """Return the program beside this Python worker, which is started if there is none."""
    for other in [r for r, child in _children.items() if not child.alive]:
        _children.pop(other).close()
    if run not in _children:
        shipped = _program()
        try:
            _children[run] = _cluster.Child("worker", "--folder", _folder(run), binary=shipped)
        except OSError as e:
            raise EngineError(f"{shipped} on an executor: {e.strerror}: expected a program for {platform.system()} on {platform.machine()}, which FENCHEL_BINARY may name") from None
    return _children[run]


def _program() -> str:
    """Return the path of the program: that of FENCHEL_BINARY, or the one that was sent."""
    shipped = os.path.join(SparkFiles.getRootDirectory(), PROGRAM)
    if os.environ.get("FENCHEL_BINARY") or not os.path.exists(shipped):
        return program()
    os.chmod(shipped, 0o755)
    return shipped


def scored(file: bytes, name: str, outputs: int, texts: Any) -> np.ndarray:
    """Return the scores of a column of pandas of texts by a model, NaN where there are none."""
    os.environ["FENCHEL_BINARY"] = _program()
    there, scores = texts.notna().to_numpy(), np.full((len(texts), outputs), np.nan)
    if there.any():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            scores[there] = _ask.scores(Model(file), _table.Table([name], [texts[there].tolist()]), None, 1)
    return scores


def split(run: str, classifies: bool, schema: dict[str, Any] | None, batches: Iterator[Any]) -> Iterator[Any]:
    """Deal rows of Arrow (features, and perhaps label and weight) to buckets: of each a row with its number, rows, nonzeros and bytes."""
    held: list[Any] = []
    for batch in batches:
        if batch.num_rows:
            held.append(batch)
        if sum(b.num_rows for b in held) >= ROWS_AT_ONCE or sum(b.nbytes for b in held) >= BYTES_AT_ONCE:
            yield from _deal(run, classifies, schema, held)
            held = []
    if held:
        yield from _deal(run, classifies, schema, held)


def _deal(run: str, classifies: bool, schema: dict[str, Any] | None, batches: list[Any]) -> list[Any]:
    import pyarrow as pa

    blobs: list[Any] = []
    try:
        for data in _vectors.table_rows(pa.Table.from_batches(batches).combine_chunks().to_batches()[0], classifies, schema):
            blobs += _cluster.split(_child(run), data)
    except ValueError as e:  # told by the table: a task that fails is tried again
        blobs = [(FAULT, 0, 0, str(e).encode())]
    table = pa.table([pa.array([b[k] for b in blobs], t) for k, t in enumerate((pa.int32(), pa.int64(), pa.int64(), pa.binary()))], ["bucket", "rows", "nonzeros", "data"])
    result: list[Any] = table.to_batches(64)  # the JVM has little room for all at once
    return result


def load(run: str, partition: int, pairs: Iterator[Any]) -> Iterator[int]:
    """Make a partition of the bytes of its buckets, and return its number."""
    _cluster.load(_child(run), partition, [bytes(blob) for _, blob in pairs])
    yield partition


def answer(run: str, request: bytes, partitions: Iterator[int]) -> Iterator[tuple[int, bytes | None]]:
    """Return the replies of partitions to a request, None where the rows are not here."""
    for partition in partitions:
        if not os.path.exists(os.path.join(_folder(run), f"partition-{partition}.fen")):
            yield partition, None
        else:
            yield partition, _cluster.ask(_child(run), partition, request)


def remove(run: str, tasks: Iterator[int]) -> Iterator[int]:
    """Remove what a run has kept here; its programs end with their folder."""
    for task in tasks:  # a worker of Python whose task leaves something over is not used again
        shutil.rmtree(_folder(run), ignore_errors=True)
        yield task
