// Package batch has the methods for principal components that read all rows as often as they like:
// the second moment or the inner products formed (covariance.go, gram.go), block Krylov
// subspaces (krylov.go over lanczos.go), the randomized SVD, orthogonal iteration, Oja's method
// with reduced variance, EM for rows with missing numbers (ppca.go), and sparse components
// (sparse.go). [Choose] says which takes the least time; [Fewest] and [Likeliest] (number.go), how
// many components to keep.
//
// Products with rows and second moments are those of package view, tolerances in tolerance.go are
// read the same way by all. How good an answer is, is proved by package certificate, not here;
// methods that read every row once are in package stream.
//
// A new method is a file with its type, an init that registers it, and Solve with the laws of
// [method.Batch]; the tests of package pca take it from the registry, and a row of
// batchMethods holds its answer against a Jacobi eigensolver's.
package batch
