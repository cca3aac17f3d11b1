"""Convex quadratic programs, with a proved bound or a proof that there is no optimum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _engine
from ._arrays import Writer, canonical, is_sparse
from ._base import threads_of

__all__ = ["QuadraticSolution", "qp"]


@dataclass(frozen=True)
class QuadraticSolution:
    """What is known of a program.

    ``status`` is optimal, infeasible, unbounded, not-convex, stalled or step-limit. ``x`` is the
    point, ``y`` the multipliers of the rows and ``w`` those of the bounds, with P x + q + A'y + w = 0;
    of an infeasible program ``y`` is the proof, of an unbounded one ``ray``, and of one that is not
    convex ``ray`` is a direction of negative curvature. What there is not is None, or nan.
    """

    status: str
    x: np.ndarray | None
    y: np.ndarray | None
    w: np.ndarray | None
    ray: np.ndarray | None
    objective: float
    bound: float
    gap: float
    radius: float
    primal_residual: float
    dual_residual: float
    margin: float
    slope: float
    curvature: float
    steps: int
    reason: str = ""


def qp(P: Any, q: Any, A: Any = None, l: Any = None, u: Any = None, lb: Any = None, ub: Any = None, *, gap: float = 1e-9, steps: int = 200, n_jobs: int | None = None) -> QuadraticSolution:  # noqa: E741
    """Minimise x'Px/2 + q'x over l <= Ax <= u and lb <= x <= ub.

    Parameters
    ----------
    P : array or sparse matrix of shape (n, n), or None for zeros
        Symmetric and positive semidefinite, both triangles.
    q : array of shape (n,)
    A : array or sparse matrix of shape (m, n), optional
    l, u : arrays of shape (m,) or numbers, optional
        Bounds of the rows, -inf and inf among them; equal ones make an equation.
    lb, ub : arrays of shape (n,) or numbers, optional
        Bounds of the variables.
    gap : float
        Stop when the relative gap between objective and proved bound is at most this.
    steps : int
        Stop after so many steps.
    n_jobs : int, optional
        Cores to use; never changes a result.

    Returns
    -------
    QuadraticSolution

    Examples
    --------
    >>> import numpy as np, fenchel
    >>> s = fenchel.qp(np.eye(2), [-1.0, -1.0], [[1.0, 1.0]], u=[1.0])
    >>> s.status, s.x.round(6).tolist(), round(s.objective, 6)
    ('optimal', [0.5, 0.5], -0.75)
    """
    q = np.atleast_1d(np.asarray(q, np.float64))
    n = len(q)
    if q.ndim != 1:
        raise ValueError(f"q: found shape {q.shape}, expected one dimension")
    if not 1e-14 <= gap < 1 or steps < 1:
        raise ValueError(f"gap={gap}, steps={steps}: expected a gap from 1e-14, below 1, and a positive number of steps")
    matrices = {name: _matrix(name, M, n) for name, M in (("P", P), ("A", A)) if M is not None}
    m = matrices["A"].shape[0] if A is not None else 0
    lists = {"q": q}
    for name, v, count in (("l", l, m), ("u", u, m), ("lb", lb, n), ("ub", ub, n)):
        if v is None:
            continue
        v = np.asarray(v, np.float64)
        if v.ndim > 1 or v.ndim == 1 and len(v) != count:
            raise ValueError(f"{name}: found shape {v.shape}, expected ({count},)")
        lists[name] = np.ascontiguousarray(np.broadcast_to(v, count))

    def build(writer: Writer) -> dict[str, Any]:
        fields: dict[str, Any] = {name: _put(writer, M) for name, M in matrices.items()}
        return {**fields, "lists": {name: writer.put(v, np.float64) for name, v in lists.items()}, "gap": float(gap), "steps": int(steps), "threads": threads_of(n_jobs)}

    def read(answer: dict[str, Any], memory: Any) -> QuadraticSolution:
        arrays = {name: memory.read(place, np.float64).copy() for name, place in answer["arrays"].items()}
        vectors: dict[str, Any] = {name: arrays.get(name) for name in ("x", "y", "w", "ray")}
        number: dict[str, Any] = {name: np.nan if answer[name] is None else float(answer[name]) for name in ("objective", "bound", "gap", "radius", "primal_residual", "dual_residual", "margin", "slope", "curvature")}
        if answer["radius"] is None and answer["status"] in ("optimal", "infeasible"):
            number["radius"] = np.inf
        return QuadraticSolution(status=answer["status"], steps=answer["steps"], reason=answer.get("reason", ""), **vectors, **number)

    solution, stopped = _engine.ask("qp", build, read)
    if stopped:
        raise KeyboardInterrupt
    result: QuadraticSolution = solution
    return result


def _matrix(name: str, M: Any, cols: int) -> Any:
    M = canonical(M) if is_sparse(M) else np.asarray(M, np.float64)
    if M.ndim != 2 or M.shape[1] != cols:
        raise ValueError(f"{name}: found shape {M.shape}, expected {cols} columns, as q has numbers")
    return M


def _put(writer: Writer, M: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {"rows": int(M.shape[0])}
    if not is_sparse(M):
        return {**fields, "values": writer.put(M, np.float64)}
    return {**fields, "values": writer.put(M.data, np.float64), "starts": writer.put(M.indptr, np.int64), "indices": writer.put(M.indices, np.uint32)}
