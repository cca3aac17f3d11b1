// Package stream has all streaming methods for principal components: they read every row once. It
// imports the rooms in which most of them live, so that their names are known:
//
//	oja       Oja's method and its relatives: k vectors, moved by every row
//	block     methods that learn from blocks of rows
//	spectral  methods that move eigenvalues and eigenvectors: MSG, Warmuth and Kuzmin, incremental
//
// Here are the two of no such kind: the exact reference (erm.go), and the race of any method with
// many step sizes (race.go). Step sizes are in package schedule. What a streaming method must
// fulfil is said by package method, and checked by the tests of package pca for every name.
package stream

import (
	_ "github.com/fenchel-ml/fenchel/internal/pca/stream/block" // the methods register themselves
	_ "github.com/fenchel-ml/fenchel/internal/pca/stream/oja"
	_ "github.com/fenchel-ml/fenchel/internal/pca/stream/spectral"
)
