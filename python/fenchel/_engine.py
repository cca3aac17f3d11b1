"""The engine: one process of the program, started once, asked through pipes.

A frame is a length (4 bytes, little-endian) and so many bytes of JSON. Arrays go through a
file that both processes have open; package internal/engine of the program says what frames
hold. A process that ends is an :class:`EngineError`, and the next request starts another.
"""

from __future__ import annotations

import atexit
import json
import os
import struct
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any, Callable

import numpy as np

from . import _program
from ._arrays import Writer

__all__ = ["DataError", "EngineError", "ask", "close", "program"]

PROTOCOL = 3  # of the frames, as the program has it
KEPT = 64 << 20  # bytes of shared memory that stay for the next request


class EngineError(RuntimeError):
    """The engine could not be started, or ended before it answered.

    >>> issubclass(EngineError, RuntimeError)
    True
    """


class DataError(ValueError):
    """What the engine says is wrong with data, X of shape (n_samples, n_features) or y.

    >>> try:
    ...     import fenchel; fenchel.read("@blobs:n=-1")
    ... except ValueError as e:
    ...     print("one line" if "\\n" not in str(e) else "several")
    one line
    """


def program() -> str:
    """Return the path of the program: that of FENCHEL_BINARY, or of this package.

    >>> import os
    >>> os.path.basename(program()).startswith("fenchel")
    True
    """
    if found := _program.find():
        return found
    raise EngineError("found no program fenchel, expected it in the package, on PATH, or where FENCHEL_BINARY says")


class Memory:
    """The file of the arrays: without a name where the system can, so that none is left."""

    def __init__(self) -> None:
        self.path = None
        if os.name == "nt":
            self.fd, self.path = tempfile.mkstemp(prefix="fenchel-")
            return
        try:
            self.fd = os.memfd_create("fenchel")
        except (AttributeError, OSError):
            with tempfile.TemporaryFile(prefix="fenchel-") as file:
                self.fd = os.dup(file.fileno())
        if self.fd < 3:  # where this process has no standard input or output; that of the engine takes the place
            import fcntl

            low, self.fd = self.fd, fcntl.fcntl(self.fd, fcntl.F_DUPFD_CLOEXEC, 3)
            os.close(low)

    def arguments(self) -> list[str]:
        return ["--shared", self.path] if self.path else ["--descriptor", str(self.fd)]

    def read(self, place: dict[str, int], dtype: Any) -> np.ndarray:
        """Return a copy of the numbers at a place."""
        out = np.empty(place["count"], dtype)
        view, at = memoryview(out).cast("B") if out.size else memoryview(b""), 0
        while at < len(view):
            if hasattr(os, "preadv"):
                got = os.preadv(self.fd, [view[at:]], place["offset"] + at)
            else:
                os.lseek(self.fd, place["offset"] + at, os.SEEK_SET)
                piece = os.read(self.fd, min(len(view) - at, 1 << 24))
                got = len(piece)
                view[at : at + got] = piece
            if got == 0:
                raise EngineError("shared memory: found fewer bytes than the answer says")
            at += got
        return out

    def trim(self) -> None:
        """Give back what is large."""
        if os.fstat(self.fd).st_size > KEPT:
            os.ftruncate(self.fd, 0)

    def close(self) -> None:
        os.close(self.fd)
        if self.path:
            try:
                os.unlink(self.path)
            except OSError:
                pass


class Engine:
    """One process, its pipes and its memory."""

    def __init__(self) -> None:
        self.memory = Memory()
        self.log = tempfile.TemporaryFile()
        options: dict[str, Any] = {"start_new_session": True}
        if sys.platform == "win32":
            options = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
        if self.memory.path is None:
            options["pass_fds"] = [self.memory.fd]
        try:
            self.process = subprocess.Popen(
                [program(), "engine", *self.memory.arguments()], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.log, bufsize=0, **options
            )
        except BaseException as e:
            self.memory.close()
            self.log.close()
            if isinstance(e, OSError):
                raise EngineError(f"the engine cannot be started: {e}") from None
            raise
        assert self.process.stdin is not None and self.process.stdout is not None
        self.into, self.out = self.process.stdin, self.process.stdout
        self.last = 0
        self.pieces: list[bytes] = []  # of the answer to the last request, as far as they have come
        try:
            self.send({"id": 0, "verb": "info", "size": 0})
            found = self._answer(0).get("result", {})
        except (BrokenPipeError, ConnectionResetError):
            reason = self.epitaph()
        except BaseException:  # such as Ctrl-C: the new process must not be left running
            self.close()
            raise
        else:
            reason = f"found the protocol {found.get('protocol')} of version {found.get('version')}, expected {PROTOCOL}: install the program and the package of one version"
            if found.get("protocol") == PROTOCOL:
                return
        self.close()
        raise EngineError(f"{program()}: {reason}")

    def send(self, frame: dict[str, Any]) -> None:
        text = json.dumps(frame, allow_nan=False).encode()
        view = memoryview(struct.pack("<I", len(text)) + text)
        while view:
            view = view[self.into.write(view) :]

    def wait(self, number: int) -> tuple[dict[str, Any], bool]:
        """Return the answer to a request, and whether Ctrl-C has ended it early.

        A second Ctrl-C does not wait: it ends the process.
        """
        try:
            return self._answer(number), False
        except KeyboardInterrupt:
            self.send({"verb": "cancel", "id": number})
            return self._answer(number), True

    def _answer(self, number: int) -> dict[str, Any]:
        (size,) = struct.unpack("<I", self._read(4)[:4])
        answer: dict[str, Any] = json.loads(self._read(4 + size)[4:])
        if answer["id"] != number:
            raise EngineError(f"found the answer to request {answer['id']}, expected that to {number}")
        return answer

    def _read(self, size: int) -> bytes:
        """Return what there is of the answer, at least so many bytes. Ctrl-C loses none of them:
        between reading and keeping them runs no bytecode that it could interrupt."""
        while sum(map(len, self.pieces)) < size:
            self.pieces.extend(map(os.read, (self.out.fileno(),), (1 << 16,)))
            if not self.pieces[-1]:
                raise BrokenPipeError
        return b"".join(self.pieces)

    def epitaph(self) -> str:
        """Say how the process ended."""
        code = self.process.wait()
        self.log.seek(0)
        lines = self.log.read().decode(errors="replace").strip().splitlines()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return f"the engine ended with {how}" + (f": {lines[0]}" if lines else "")

    def close(self, wait: float = 0) -> None:
        """End the process: at once, or with time to end by itself."""
        self.into.close()
        try:
            self.process.wait(wait)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.out.close()
        self.log.close()
        self.memory.close()

    def abandon(self) -> None:
        """Forget a process of the parent, in a child after a fork."""
        self.process.returncode = 0  # it is none of the child's
        for file in (self.into, self.out, self.log):
            file.close()
        os.close(self.memory.fd)


_lock = threading.RLock()
_engine: Engine | None = None


def ask(verb: str, build: Callable[[Writer], dict[str, Any]], read: Callable[[dict[str, Any], Memory], Any]) -> tuple[Any, bool]:
    """Ask the engine, which is started if there is none.

    ``build`` writes arrays and returns the fields of the request; ``read`` gets the answer
    while its arrays are there. Returns what ``read`` returns, and whether Ctrl-C has ended
    the work early: the caller keeps the result and raises KeyboardInterrupt.
    """
    global _engine
    with _lock:
        if _engine is None:
            _engine = Engine()
        engine, clean = _engine, False
        try:
            writer = Writer(engine.memory.fd)
            fields = build(writer)
            engine.last += 1
            engine.pieces.clear()
            engine.send({"id": engine.last, "verb": verb, "size": writer.size, **fields})
            answer, stopped = engine.wait(engine.last)
            result = _result(answer, stopped, read, engine.memory)
            engine.memory.trim()
            clean = True
            return result, stopped
        except (BrokenPipeError, ConnectionResetError):
            raise EngineError(f"{engine.epitaph()}; the next call starts another") from None
        except (DataError, ValueError, TypeError, UnknownModel):
            clean = True  # the engine has answered, or was not asked
            raise
        finally:
            if not clean:
                _engine = None
                engine.close()


class UnknownModel(Exception):
    """The engine does not have the model of a key."""


def _result(answer: dict[str, Any], stopped: bool, read: Callable[[dict[str, Any], Memory], Any], memory: Memory) -> Any:
    error = answer.get("error")
    if error is None:
        return read(answer["result"], memory)
    if error["kind"] == "unknown-model":
        raise UnknownModel
    if error["kind"] == "interrupted" and stopped:
        raise KeyboardInterrupt
    if error["kind"] == "memory":
        raise MemoryError(error["message"])
    if error["kind"] == "limit":
        raise TimeoutError(error["message"])
    raise (DataError if error["kind"] == "data" else ValueError)(error["message"])


def close() -> None:
    """End the engine, if there is one. The next request starts another.

    >>> close()
    """
    global _engine
    with _lock:
        if _engine is not None:
            _engine.close(1)
            _engine = None


def _forked() -> None:
    """A child has the pipes of its parent's engine, which is not its own."""
    global _engine, _lock
    _lock = threading.RLock()
    if _engine is not None:
        _engine.abandon()
        _engine = None


atexit.register(close)
if hasattr(os, "register_at_fork") and sys.platform != "win32":
    os.register_at_fork(after_in_child=_forked)
