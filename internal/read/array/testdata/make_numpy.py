"""Makes the NumPy and SciPy fixtures of this folder: see README.md."""
import numpy as np
import scipy.sparse as sp

# 4 rows, 3 features, then the class in the last column.
A = np.array([[1, 0, -2.5, 1], [0, 0.5, 0, -1], [3, 4, 5, 1], [0, 0, 7, 1]])
for dtype in ["<f2", "<f4", ">f4", "<f8", ">f8"]:
    np.save("numpy_%s%s.npy" % ("big_" if dtype[0] == ">" else "", dtype[1:]), A.astype(dtype))
np.save("numpy_fortran.npy", np.asfortranarray(A))
I = np.array([[1, 0, 2, 1], [0, 3, 0, 0], [3, 4, 5, 1], [0, 0, 7, 1]])
for dtype in ["<i1", ">i2", "<i4", "<i8", "<u1", "<u2", ">u4", "<u8", "?"]:
    np.save("numpy_%s.npy" % np.dtype(dtype).str[1:], I.astype(dtype))
with open("numpy_v2.npy", "wb") as f:
    np.lib.format.write_array(f, A, version=(2, 0))
with open("numpy_v3.npy", "wb") as f:
    np.lib.format.write_array(f, A, version=(3, 0))
np.save("numpy_names.npy", np.array(["caf\u00e9", "b", "caf\u00e9", "b"]))
np.save("numpy_object.npy", np.array([["a", 1]], dtype=object), allow_pickle=True)
np.save("numpy_structured.npy", np.zeros(2, dtype=[("a", "<f4"), ("b", "<i4")]))

X, y = A[:, :3], A[:, 3].astype(int)
np.savez("numpy_dense.npz", X=X, y=y)
np.savez_compressed("numpy_deflated.npz", X, np.array(["b", "a", "b", "b"]))
sp.save_npz("scipy_csr.npz", sp.csr_matrix(X))
sp.save_npz("scipy_csc.npz", sp.csc_array(X), compressed=False)
sp.save_npz("scipy_coo.npz", sp.coo_matrix(X))
unsorted = sp.csr_matrix((np.array([-2.5, 1, 0.5, 5, 3, 4, 7]), np.array([2, 0, 1, 2, 0, 1, 2]), np.array([0, 2, 3, 6, 7])), shape=(4, 3))
sp.save_npz("scipy_unsorted.npz", unsorted)
