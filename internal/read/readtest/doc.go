// Package datasettest is what the tests of several packages of dataset share: reading texts and
// files in one line, comparing sets, inputs for fuzz targets, tables of large numbers. It reads
// by package data, so that only external tests import it.
package readtest
