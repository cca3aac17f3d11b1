// Package pcatest is what the tests of several packages of pca share: rows whose answer is known,
// slow twins on dense matrices, and exact numbers. No program imports it.
package pcatest
