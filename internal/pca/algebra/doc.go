// Package algebra is the linear algebra in double precision that the methods and the
// certificate of package pca share: orthonormal rows, blocks of rows, eigensystems,
// random starts, and bounds on rounding. It knows slices of numbers alone and
// imports nothing of pca. Begin with [Orthonormalise].
package algebra
