// Package block has the streaming methods that learn from blocks of rows at a time, by products of
// matrices: the block power method, history PCA, frequent directions, and incremental PCA as
// scikit-learn has it. They need no step size.
//
// What they share is a sketch (sketch.go): rows H whose H^T H stands for the sum of x x^T over
// all rows so far. Methods that learn row by row are in packages oja and spectral.
//
// A new method is a file with its type, an init that registers it, and a state; a row of
// blockMethods in the tests has it kept, cut, merged and given extreme rows.
package block
