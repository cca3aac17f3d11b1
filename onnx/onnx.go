// Package onnx writes models as graphs of ONNX, which ONNX Runtime and others run without
// this program: IR version 9, operators of ai.onnx version 20 and ai.onnx.ml version 3 (ONNX
// Runtime 1.17 and later).
//
// Inputs, of which N rows are scored at once:
//
//	x              N x d; float, or double where an offset is subtracted from columns
//	               before they are rounded. Column j is feature j: sparse rows are made
//	               dense, and bytes of IDX images are fractions of 255, as they are read
//	name           N x 1; of a table one input for each column that makes features, under its
//	               name. Numbers are float, or double where there is an offset, and missing
//	               ones NaN. Dates are double, the days from 1970-01-01 00:00 UTC.
//	               Categories are string, and so are the words of columns of two (true and
//	               false, yes and no). Blanks around them do not count; missing is what it is
//	               in a file: "", "?", "NA", ...
//
// Outputs, all of double precision but labels:
//
//	label          N: the class that predict says. int64 where all classes are whole numbers
//	               without leading zeros, else string
//	scores         N x outputs, as of predict --scores
//	probabilities  N x classes, where the model has any, as of predict --probabilities
//	prediction     N x targets: the number, or those of several targets, where there are no classes
//	coordinates    N x k, of principal components
//
// An output that a column is called like gets an underscore.
//
// Sums are in double precision, as they are here, and what is rounded to single precision
// here is so there: results differ by the order of sums. The operators of ai.onnx.ml for
// kernel machines are not as accurate, and are used on demand: see Options.
//
// What a graph does not check: that rows suit a kernel (none negative, say), and that words
// of two are among these. A row with a number that is not finite gets some score.
package onnx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// The versions that are written.
const (
	irVersion      = 9
	opset          = 20
	opsetML        = 3
	mostBytes      = 1<<31 - 1<<20 // of a message of protocol buffers, less a header
	errorBeginning = "model of ONNX: "
)

// Options say which of several graphs is written.
type Options struct {
	// SVM uses the operators SVMRegressor and SVMClassifier for kernel machines that they
	// can hold: linear, rbf, poly and sigmoid, of one output or one against one. They are
	// in single precision, see machine.go.
	SVM bool
}

// Write writes a model that predicts.
func Write(w io.Writer, m *model.Model, opt Options) error {
	err := m.Check()
	if err == nil {
		err = write(w, m, opt)
	}
	if err != nil {
		return fmt.Errorf(errorBeginning+"%w", err)
	}
	return nil
}

func write(w io.Writer, m *model.Model, opt Options) error {
	if err := fits(m); err != nil {
		return err
	}
	g := newGraph()
	x, err := g.features(m.Schema, m.Cols())
	if err != nil {
		return err
	}
	p := &predictor{graph: g, model: m, columns: m.Cols(), options: opt}
	scores, err := p.scores(x)
	if err != nil {
		return err
	}
	if err := p.answers(scores); err != nil {
		return err
	}
	return g.writeModel(w, description{version: m.Version, notes: properties(m)})
}

// fits refuses a model of which a graph of these numbers would be too large.
func fits(m *model.Model) error {
	var numbers int64
	for _, o := range m.Outputs {
		numbers += 8 * int64(len(o.Weights))
	}
	switch {
	case m.Network != nil:
		numbers += 8 * int64(m.Parameters())
	case m.Map != nil:
		cols, features := m.Map.Dims()
		numbers += 4 * int64(cols) * int64(features)
	case m.Support != nil:
		n, d := m.Support.Rows.Dims()
		numbers += 4 * int64(n) * int64(d)
	}
	if numbers > mostBytes {
		return fmt.Errorf("found a model of %d bytes as dense numbers, expected at most %d: the format holds no more in one file", numbers, int64(mostBytes))
	}
	return nil
}

// WriteFile writes what Write does to path: all of it, or nothing.
func WriteFile(m *model.Model, path string, opt Options) error {
	return file.WriteFile(path, func(w io.Writer) error { return Write(w, m, opt) })
}

// beginning is how files begin that this package writes.
var beginning = func() (m message) {
	m.whole(1, irVersion)
	m.text(2, producer)
	return m
}()

const producer = "fenchel"

// IsFile reports whether a file begins as those do that this package writes.
func IsFile(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	begin := make([]byte, len(beginning))
	_, err = io.ReadFull(f, begin)
	return err == nil && bytes.Equal(begin, beginning)
}

// properties is what the file says of a model beside the graph.
func properties(m *model.Model) [][2]string {
	s := m.Statement
	all := [][2]string{{"loss", s.Loss}, {"penalty", s.Penalty}}
	for _, p := range [][2]string{{"kernel", s.Kernel}, {"map", s.Map}, {"classes", strings.Join(m.Classes, "\n")},
		{"features", strings.Join(m.Features, "\n")}, {"data", m.Data.Digest}} {
		if p[1] != "" {
			all = append(all, p)
		}
	}
	return all
}

// description is what a file says beside its graph.
type description struct {
	version string
	notes   [][2]string
}

// writeModel ends the graph and writes it.
func (g *graph) writeModel(w io.Writer, d description) error {
	m := slices.Clone(beginning)
	m.text(3, d.version)
	m.bytes(7, g.message(producer))
	for _, set := range []struct {
		domain  string
		version int64
	}{{"", opset}, {"ai.onnx.ml", opsetML}} {
		var opset message
		opset.text(1, set.domain)
		opset.whole(2, set.version)
		m.bytes(8, opset)
	}
	for _, note := range d.notes {
		var entry message
		entry.text(1, note[0])
		entry.text(2, note[1])
		m.bytes(14, entry)
	}
	if len(m) > mostBytes {
		return fmt.Errorf("found a graph of %d bytes, expected at most %d: the format holds no more in one file", len(m), int64(mostBytes))
	}
	_, err := w.Write(m)
	return err
}

// dense returns the rows of x one after another.
func dense(x matrix.Matrix) []float32 {
	n, d := x.Dims()
	values := make([]float32, n*d)
	for i := range n {
		row := x.Row(i)
		for k, v := range row.Value {
			values[i*d+row.Column(k)] = v
		}
	}
	return values
}

var errRows = errors.New("found a kernel of strings or graphs, expected one of rows of numbers: a graph has no operator for it")
