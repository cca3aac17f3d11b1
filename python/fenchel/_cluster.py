"""Training, and judging models, where the rows are in partitions on many machines: what moves bytes between them and the coordinator.

The mathematics is in two programs: a worker beside the rows, and a coordinator beside the driver. A
backend brings requests to partitions; it has these calls: ``ingest`` (rows to partitions), ``map`` (a request to
partitions, and their replies in order) and ``close``. :class:`Local` is one of processes on this machine,
:mod:`fenchel.spark` one of Spark's jobs.
"""

from __future__ import annotations

import json
import shutil
import signal
import struct
import subprocess
import tempfile
import threading
import uuid
from pathlib import Path
from typing import Any, Callable, Iterable

import numpy as np

from . import _ask
from ._arrays import Writer
from ._engine import DataError, EngineError, program
from ._model import Model
from ._warn import told

BUCKETS = 1024  # to which the program deals rows by their contents


class Child:
    """A process of the program that speaks in frames with payloads."""

    def __init__(self, *arguments: str, binary: str | None = None) -> None:
        self.process = subprocess.Popen([binary or program(), *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
        assert self.process.stdin is not None and self.process.stdout is not None
        self.into, self.out = self.process.stdin, self.process.stdout

    def send(self, head: dict[str, Any], payload: bytes = b"") -> None:
        text = json.dumps({**head, "bytes": len(payload)}, allow_nan=False).encode()
        try:
            self.into.write(struct.pack("<I", len(text)) + text)
            self.into.write(payload)
            self.into.flush()
        except BrokenPipeError:
            raise EngineError(f"the program ended with exit code {self.process.wait()}") from None

    def receive(self) -> tuple[dict[str, Any], bytes]:
        head = json.loads(self._exactly(struct.unpack("<I", self._exactly(4))[0]))
        return head, self._exactly(head["bytes"])

    def ask(self, head: dict[str, Any], payload: bytes = b"") -> tuple[dict[str, Any], bytes]:
        """Send a request, and return its answer; one about the data is an error."""
        try:
            self.send(head, payload)
            head, payload = self.receive()
        except BaseException:
            self.process.kill()  # it would answer the next request with this one's answer
            self.process.wait()
            raise
        if "error" in head:
            raise DataError(head["error"])
        return head, payload

    def _exactly(self, size: int) -> bytes:
        raw: bytes = self.out.read(size)
        if len(raw) < size:
            raise EngineError(f"the program ended with exit code {self.process.wait()}")
        return raw

    @property
    def alive(self) -> bool:
        return self.process.poll() is None

    def close(self) -> None:
        try:
            self.into.close()
        except BrokenPipeError:
            pass
        self.out.close()
        self.process.wait()


class Payload(Writer):
    """Writes arrays into bytes."""

    def __init__(self) -> None:
        super().__init__(-1)
        self.bytes = bytearray()

    def _write(self, array: np.ndarray, at: int) -> None:
        view = memoryview(array.reshape(-1).view(np.uint8))
        if len(self.bytes) < at + len(view):
            self.bytes.extend(bytes(at + len(view) - len(self.bytes)))
        self.bytes[at : at + len(view)] = view


def split(worker: Child, data: _ask.Data) -> list[tuple[int, int, int, bytes]]:
    """Deal rows to buckets: of each the number, its rows, nonzeros, and bytes."""
    writer = Payload()
    fields = data.fields(writer)
    head, payload = worker.ask({"verb": "split", "data": fields}, bytes(writer.bytes))
    out, at = [], 0
    for bucket, rows, nonzeros, size in head["blobs"]:
        out.append((bucket, rows, nonzeros, payload[at : at + size]))
        at += size
    return out


def load(worker: Child, partition: int, blobs: list[bytes]) -> None:
    """Make a partition of the rows of blobs."""
    worker.ask({"verb": "load", "partition": partition, "sizes": [len(b) for b in blobs]}, b"".join(blobs))


def ask(worker: Child, partition: int, request: bytes) -> bytes:
    """Have a partition answer a request of the coordinator."""
    return worker.ask({"verb": "ask", "partition": partition}, request)[1]


def deal(buckets: dict[int, tuple[int, int]]) -> tuple[list[int], int]:
    """Return the partition of each bucket, and how many partitions there are: a function of the data alone.

    ``buckets`` has rows and nonzeros. A partition has buckets that follow each other, about as many rows as the others, and at
    least one.
    """
    rows, nonzeros = (sum(b[k] for b in buckets.values()) for k in (0, 1))
    most = max(1, min(BUCKETS, rows // 100, max(4, nonzeros >> 24)))
    table, partition, taken = [0] * BUCKETS, 0, 0
    for bucket in range(BUCKETS):
        here = buckets.get(bucket, (0, 0))[0]
        if taken * most >= (partition + 1) * rows and here:
            partition = taken * most // rows
        table[bucket] = partition
        taken += here
    used = sorted({table[b] for b in buckets})
    rank = {partition: k for k, partition in enumerate(used)}
    return [rank.get(partition, 0) for partition in table], len(used)


class Local:
    """Partitions in processes of this machine."""

    def __init__(self, processes: int = 2) -> None:
        self.folder = tempfile.mkdtemp(prefix="fenchel-")
        self.workers = [self._start(k) for k in range(processes)]
        self.partitions = 0

    def _start(self, k: int) -> Child:
        return Child("worker", "--folder", str(Path(self.folder) / str(k)))

    def ingest(self, batches: Iterable[_ask.Data]) -> None:
        """Deal the rows of batches to partitions."""
        blobs = [b for k, data in enumerate(batches) for b in split(self.workers[k % len(self.workers)], data)]
        counts: dict[int, tuple[int, int]] = {}
        for bucket, rows, nonzeros, _ in blobs:
            before = counts.get(bucket, (0, 0))
            counts[bucket] = before[0] + rows, before[1] + nonzeros
        table, self.partitions = deal(counts)
        for partition in range(self.partitions):
            load(self._worker(partition), partition, [b[3] for b in blobs if table[b[0]] == partition])

    def _worker(self, partition: int) -> Child:
        k = partition % len(self.workers)
        if not self.workers[k].alive:
            self.workers[k].close()
            self.workers[k] = self._start(k)
        return self.workers[k]

    def map(self, request: bytes, partitions: list[int] | None) -> list[bytes]:
        """Bring a request to partitions, None: all, and return their replies in order."""
        return [ask(self._worker(partition), partition, request) for partition in (range(self.partitions) if partitions is None else partitions)]

    def close(self) -> None:
        """End the processes, and remove what they have kept."""
        for worker in self.workers:
            worker.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class _Patience:
    """Ctrl-C while it lasts: what waits for partitions is interrupted, anything else goes on, and is told later."""

    def __init__(self) -> None:
        self.waiting = self.asked = False

    def __enter__(self) -> "_Patience":
        self.main = threading.current_thread() is threading.main_thread()
        if self.main:
            self.before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *_: Any) -> None:
        if self.main:
            signal.signal(signal.SIGINT, self.before)

    def _interrupt(self, number: int, frame: Any) -> None:
        self.asked = True
        if self.waiting:
            raise KeyboardInterrupt

    def map(self, backend: Any, request: bytes, partitions: list[int] | None) -> list[bytes] | None:
        """Return the replies of partitions; None: Ctrl-C was pressed since the last request."""
        try:
            self.waiting = True
            replies = None if self.asked else backend.map(request, partitions)
        except KeyboardInterrupt:
            replies = None
        finally:
            self.waiting = self.asked = False
        return replies


def train(backend: Any, spec: dict[str, Any], progress: Callable[[dict[str, Any]], None] | None = None) -> tuple[dict[str, Any], Model]:
    """Train on the rows of a backend: what came out, and the model. Ctrl-C keeps what can be proved of the rounds so far."""
    head, file = _coordinate(backend, _ask._finite(spec), b"", progress)
    return head["result"], Model(file)


def verify(backend: Any, model: Model) -> dict[str, Any]:
    """Recompute what a model claims from the rows of a backend: what ``fenchel verify --json`` says."""
    result: dict[str, Any] = _coordinate(backend, {"verb": "verify"}, model.data)[0]["result"]
    return result


def evaluate(backend: Any, model: Model) -> dict[str, Any]:
    """Judge a model by the rows of a backend: what ``fenchel evaluate --json`` says."""
    head, _ = _coordinate(backend, {"verb": "evaluate"}, model.data)
    for text in head["warnings"]:
        told(text)
    result: dict[str, Any] = head["result"]
    return result


def _coordinate(backend: Any, spec: dict[str, Any], file: bytes, progress: Callable[[dict[str, Any]], None] | None = None) -> tuple[dict[str, Any], bytes]:
    """Bring the requests of a coordinator to partitions until it has a result."""
    coordinator = Child("coordinator")
    try:
        with _Patience() as patience:
            coordinator.send({**spec, "run": uuid.uuid4().hex}, file)
            while True:
                head, payload = coordinator.receive()
                if "map" in head:
                    replies = patience.map(backend, payload, head["partitions"])
                    if replies is None:
                        coordinator.send({"cancel": True})
                    else:
                        coordinator.send({"sizes": [len(r) for r in replies]}, b"".join(replies))
                elif "progress" in head:
                    if progress is not None:
                        progress(head["progress"])
                elif "error" in head:
                    error = head["error"]
                    if error["kind"] == "interrupted":
                        raise KeyboardInterrupt
                    raise (DataError if error["kind"] == "data" else ValueError)(error["message"])
                else:
                    return head, payload
    finally:
        coordinator.close()
