// Package readtest is what the tests of data and of the packages of internal/read share: reading texts and
// files in one line, comparing sets, inputs for fuzz targets, tables of large numbers. It reads
// by package data, so that only external tests import it.
package readtest
