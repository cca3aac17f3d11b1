"""Quadratic programs: conditions of optimality and proofs by plain sums, and Clarabel where it is installed."""

import numpy as np
import pytest

import fenchel


def draw(seed):
    """A program with equations, ranges, free and fixed variables, of low rank or linear; some have no optimum."""
    r = np.random.RandomState(seed)
    n, m = r.randint(1, 60), r.randint(0, 50)
    V = r.randn(n, [n, n // 2, 1, 0][seed % 4])
    P, x, q = (V @ V.T + (V @ V.T).T) / 2, r.randn(n), 3 * r.randn(n)
    A = r.randn(m, n) * (r.rand(m, n) < 0.5)
    l, u = (A @ x + sign * r.randint(0, 2, m) * abs(r.randn(m)) for sign in (-1, 1))  # noqa: E741
    kind = r.randint(0, 5, m)
    l[kind == 0], u[kind == 1] = -np.inf, np.inf
    equal = (kind == 2) & (np.arange(m) < n // 2)
    l[equal] = u[equal] = (A @ x)[equal]
    lb, ub = (x + sign * r.randint(0, 2, n) * abs(r.randn(n)) for sign in (-1, 1))
    kind = r.randint(0, 6, n)
    if seed % 5 == 0:
        lb[kind == 0], ub[kind == 0] = -np.inf, np.inf
    lb[kind == 1], ub[kind == 2] = -np.inf, np.inf
    if seed % 11 == 5 and m:
        l[-1] = u[-1] + 50 if np.isfinite(u[-1]) else 60
        u[-1] = l[-1] + 10
    return P, q, A, l, u, lb, ub


def clarabel(P, q, A, l, u, lb, ub):  # noqa: E741
    """The status and the optimum of the peer."""
    import clarabel
    from scipy import sparse

    G, lo, hi = np.vstack([A, np.eye(len(q))]), np.r_[l, lb], np.r_[u, ub]
    equal = lo == hi
    up, down = np.isfinite(hi) & ~equal, np.isfinite(lo) & ~equal
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    cones = [clarabel.ZeroConeT(int(equal.sum())), clarabel.NonnegativeConeT(int(up.sum() + down.sum()))]
    rows = sparse.csc_matrix(np.vstack([G[equal], G[up], -G[down]]))
    done = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(P)), q, rows, np.r_[hi[equal], hi[up], -lo[down]], cones, settings).solve()
    return str(done.status), done.obj_val


def test_equals_clarabel():
    """200 programs have the status and the optimum that Clarabel finds, to 1e-8."""
    pytest.importorskip("clarabel")
    pytest.importorskip("scipy")
    theirs = {"optimal": "Solved", "infeasible": "PrimalInfeasible", "unbounded": "DualInfeasible"}
    for seed in range(200):
        program = draw(seed)
        ours, (status, optimum) = fenchel.qp(*program), clarabel(*program)
        assert theirs[ours.status] == status, seed
        if ours.status == "optimal":
            assert abs(ours.objective - optimum) <= 1e-8 * max(1, abs(optimum)) and abs(ours.gap) < 1e-9, seed


def test_conditions():
    """The conditions of an optimum hold, by plain sums."""
    for seed in range(40):
        P, q, A, l, u, lb, ub = draw(seed)  # noqa: E741
        s = fenchel.qp(P, q, A, l, u, lb, ub)
        if s.status != "optimal":
            continue
        value, v = s.x @ P @ s.x / 2 + q @ s.x, A @ s.x
        assert s.objective == pytest.approx(value, rel=1e-9, abs=1e-9) and s.bound <= s.objective + 1e-9 * max(1, abs(value))
        size = max(1, abs(P @ s.x).max(), abs(A.T @ s.y).max(initial=0))
        assert abs(P @ s.x + q + A.T @ s.y + s.w).max() <= 1e-8 * size
        assert (s.x >= lb).all() and (s.x <= ub).all() and (v >= l - 1e-8 * size).all() and (v <= u + 1e-8 * size).all()


def test_without_optimum():
    """Proofs that there is no optimum."""
    s = fenchel.qp(None, [1.0, 0.0], [[1.0, 1.0]], 5.0, None, 0.0, 1.0)
    assert s.status == "infeasible" and s.x is None and s.margin > 0 and s.y[0] < 0 and -s.y[0] * 5 > -s.y[0] * 2
    s = fenchel.qp([[0.0, 0.0], [0.0, 1.0]], [-1.0, 0.0], lb=0.0)
    assert s.status == "unbounded" and s.ray[0] == 1 and s.slope == -1 and (s.x >= 0).all()
    s = fenchel.qp([[1.0, 2.0], [2.0, 1.0]], [0.0, 0.0])
    assert s.status == "not-convex" and s.ray @ np.array([[1.0, 2.0], [2.0, 1.0]]) @ s.ray < 0
    assert fenchel.qp(None, [1.0], lb=2.0, ub=1.0).reason == "the bounds of variable 1 cross: 2 > 1"


def test_sparse():
    """Sparse matrices are the same program as dense ones, to the bit."""
    sparse = pytest.importorskip("scipy.sparse")
    P, q, A, l, u, lb, ub = draw(6)  # noqa: E741
    dense = fenchel.qp(P, q, A, l, u, lb, ub, n_jobs=1)
    for kind in (sparse.csr_matrix, sparse.csc_matrix):
        other = fenchel.qp(kind(P), q, kind(A), l, u, lb, ub)
        assert (other.x == dense.x).all() and other.bound == dense.bound


@pytest.mark.parametrize("arguments, text", [
    (([[1.0, 2.0], [0.0, 1.0]], [0.0, 0.0]), "symmetric"), ((np.eye(3), [0.0, 0.0]), "P: found shape"), ((None, [np.nan]), "q: found NaN"),
    ((None, [[1.0]]), "q: found shape"), ((None, [1.0], [[1.0]], [1.0, 2.0]), "l: found shape"), ((None, [1.0], None, None, None, np.inf), "lb: found"), ((None, []), "no variables"),
])  # fmt: skip
def test_errors(arguments, text):
    """What is no program is refused in one line."""
    with pytest.raises(ValueError, match=text) as e:
        fenchel.qp(*arguments)
    assert "\n" not in str(e.value)


def test_file(tmp_path):
    """The command reads what numpy writes, and writes what numpy reads."""
    import subprocess

    from fenchel import _engine

    P, q, A, l, u, lb, ub = draw(3)  # noqa: E741
    np.savez(tmp_path / "p.npz", P=np.asfortranarray(P), q=q, A=A.astype(np.float64), l=l, u=u, lb=lb, ub=ub)
    done = subprocess.run([_engine.program(), "qp", "p.npz", "-o", "s.npz"], cwd=tmp_path, capture_output=True, text=True)
    s, found = fenchel.qp(P, q, A, l, u, lb, ub), np.load(tmp_path / "s.npz")
    assert done.returncode == 0, done.stderr
    assert (found["x"] == s.x).all() and (found["y"] == s.y).all() and (found["w"] == s.w).all()
