// Package oja has Oja's method and its relatives: streaming methods of O(k d) memory, which keep k
// vectors U and move them by every row x, mostly
//
//	U <- U + y z^T,   y = U x,   z = alpha x + beta U^T y.
//
// What they share is a guess (guess.go: U, the time, and the row at hand), and, where a row moves U
// by a multiple of one vector, rankOne with a rule (rankone.go). Step sizes are those of package
// schedule. Methods with eigenvalues of their own are in package spectral, those that learn from
// blocks in package block.
//
// A new method is a file with its type, an init that registers it, and mostly a rule; its
// twin, as the source prints the step, is a row of TestRulesAreTheirTwins or a test
// like it.
package oja
