"""Arrays of Python in the file that the engine reads, with one copy and no text."""

from __future__ import annotations

import errno
import math
import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable

import numpy as np

from ._warn import told

PIECE = 1 << 20  # numbers that are converted at a time


class Writer:
    """Writes arrays one after another, from the beginning of the file."""

    def __init__(self, fd: int) -> None:
        self.fd, self.size = fd, 0

    def put(self, array: np.ndarray, dtype: Any, less: np.ndarray | None = None) -> dict[str, int]:
        """Write an array in C order as numbers of that type, less a number for each column.

        Arrays that are so already are not copied in this process.
        """
        dtype = np.dtype(dtype)
        self.size = (self.size + 63) & ~63
        place = {"offset": self.size, "count": int(array.size)}
        if array.dtype == dtype and array.flags.c_contiguous and less is None:
            self._write(array, self.size)
        else:
            width = math.prod(array.shape[1:])
            rows = max(1, PIECE // max(1, width))

            def convert(lo: int) -> None:
                piece = array[lo : lo + rows]
                with np.errstate(over="ignore"):
                    out = np.ascontiguousarray(piece if less is None else piece - less, dtype)
                if dtype == np.float32 and piece.dtype == np.float64:
                    _refuse_large(piece if less is None else piece - less, out, lo)
                self._write(out, place["offset"] + lo * width * dtype.itemsize)

            _each(convert, range(0, len(array), rows))
        self.size += array.size * dtype.itemsize
        return place

    def raw(self, data: bytes) -> dict[str, int]:
        """Write bytes."""
        return self.put(np.frombuffer(data, np.uint8), np.uint8)

    def _write(self, array: np.ndarray, at: int) -> None:
        if not array.size:
            return
        view = memoryview(array.reshape(-1).view(np.uint8))
        try:
            while view:
                if hasattr(os, "pwrite"):
                    done = os.pwrite(self.fd, view, at)
                else:
                    os.lseek(self.fd, at, os.SEEK_SET)
                    done = os.write(self.fd, view[: 1 << 24])
                at += done
                view = view[done:]
        except OSError as e:
            if e.errno not in (errno.ENOSPC, errno.ENOMEM, errno.EDQUOT, errno.EFBIG):
                raise
            os.ftruncate(self.fd, 0)
            raise MemoryError(f"shared memory: found no room for more than {at} bytes of the data ({os.strerror(e.errno)}), expected it for all of them") from None


def _each(do: Callable[[int], None], pieces: range) -> None:
    """Call do for each piece, on all cores where there are some: numpy and the system let go of Python's lock."""
    if len(pieces) < 4 or not hasattr(os, "pwrite") or (os.cpu_count() or 1) < 2:
        for piece in pieces:
            do(piece)
        return
    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        for _ in pool.map(do, pieces):
            pass


def _refuse_large(before: np.ndarray, after: np.ndarray, first: int) -> None:
    """Refuse finite numbers that single precision has none for."""
    large = np.isinf(after)
    if large.any() and np.isfinite(before[large]).any():
        at = np.argwhere(large & np.isfinite(before))[0]
        where = f"row {first + at[0] + 1}, column {at[1] + 1}: " if len(at) > 1 else ""
        raise ValueError(f"{where}found {before[tuple(at)]:g}, expected a magnitude of at most 3.4e38, the largest of single precision: multiply the column by a smaller unit")


def warn_small(X: Any) -> None:
    """Tell of the first column of which all numbers are too small for single precision."""
    tiny = 2.0**-100
    if X.dtype != np.float64 or not all(X.shape):
        return
    if not is_sparse(X):
        if not (np.abs(X[:: max(1, len(X) // 64)]) < tiny).all(axis=0).any():
            return  # of every column some of these rows have a larger number
        size = np.maximum(X.max(axis=0), -X.min(axis=0))
    elif ((X.data != 0) & (np.abs(X.data) < tiny)).any():
        size = abs(X.tocsr()).max(axis=0).toarray().reshape(-1)
    else:
        return
    small = np.flatnonzero((size > 0) & (size < tiny))
    if len(small):
        told(f"column {small[0] + 1}: all values are below 1e-30, which single precision loses: multiply the column by a power of two, such as 2.0**{-int(np.frexp(size[small[0]])[1])}")


def is_sparse(X: Any) -> bool:
    """Tell matrices and arrays of scipy.sparse, which need not be installed."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def put_rows(writer: Writer, X: Any, offsets: np.ndarray | None = None, double: bool = False) -> dict[str, Any]:
    """Write rows, dense or sparse, as the engine reads them: with ``double`` those of float64 as they are, others in single precision."""
    rows, cols = X.shape
    if offsets is not None and len(offsets) != cols:
        raise ValueError(f"found rows of {cols} features, expected {len(offsets)}")
    if offsets is not None and is_sparse(X):
        X = X.toarray()  # as the rows were that the offsets are of: without them no number is zero
    double = double and X.dtype == np.float64
    dtype = np.float64 if double else np.float32
    fields: dict[str, Any] = {"rows": int(rows), "cols": int(cols), "double": double}
    if not is_sparse(X):
        fields["values"] = writer.put(X, dtype, offsets)
        if offsets is not None:
            fields["offsets"] = [float(x) for x in offsets]
        return fields
    X = canonical(X)
    fields["starts"] = writer.put(X.indptr, np.int64)
    indices = X.indices.view(np.uint32) if X.indices.dtype == np.int32 else X.indices
    fields["indices"] = writer.put(indices, np.uint32)
    fields["values"] = writer.put(X.data, dtype)
    return fields


def canonical(X: Any) -> Any:
    """Return CSR with increasing columns in each row; what is given stays as it is."""
    X = X.tocsr()
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


def column_offsets(X: Any) -> np.ndarray | None:
    """Return a number for each column that is to be subtracted before the rounding to single
    precision, None if that would not matter: if no column is further from zero than 16 times
    its spread, as far as a sample of the rows tells.
    """
    if is_sparse(X) or X.dtype != np.float64 or not len(X):
        return None
    sample = X[:: max(1, len(X) // 1024)]
    mean = sample.mean(axis=0)
    spread = np.abs(sample - mean).max(axis=0)
    far = (np.abs(mean) > 16 * spread) & (spread > 0)
    return np.where(far, mean, 0.0) if far.any() else None
