package model

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/file"
)

// WriteVW writes a linear model of two classes or of numbers as text in the layout of
// --readable_model of Vowpal Wabbit (version 8), which programs that read such models know;
// vw itself writes it and reads none:
//
//	Version 8.11.0, Id, Min label, Max label, bits, lda, ngram, skip, options, Checksum
//	:0                       weights follow
//	index:weight             of those that are not zero, by index
//
// The index of a feature is its number in files of LIBSVM, as vw numbers the feature "7" of
// "1 | 7:0.5"; 116060 is the constant, or another one where there are more bits: it is
// 11650396 modulo 2^bits, 18 bits or as many more as keep it apart from features. A scaling
// is a part of the weights, which are of features as the data have them. A score is what vw
// calls the prediction; a positive one speaks for the second class, label 1.
func (m *Model) WriteVW(w io.Writer) error {
	err := m.Check()
	if err == nil {
		err = m.fitsVW()
	}
	var outputs []Output
	if err == nil {
		outputs, err = m.original()
	}
	if err != nil {
		return fmt.Errorf("model of Vowpal Wabbit: %w", err)
	}
	out := bufio.NewWriter(w)
	writeVW(out, m, outputs[0])
	return out.Flush()
}

// WriteVWFile writes what WriteVW does to path: all of it, or nothing.
func (m *Model) WriteVWFile(path string) error { return file.WriteFile(path, m.WriteVW) }

// vwConstant is the hash of the constant feature.
const vwConstant = 11650396

// fitsVW says what the layout has no words for.
func (m *Model) fitsVW() error {
	if err := m.fitsOthers(); err != nil {
		return err
	}
	switch {
	case !m.IsLinear():
		return fmt.Errorf("found %s, expected a linear model", m.form())
	case len(m.Outputs) > 1:
		return fmt.Errorf("found %d classes, expected two or numbers: a file of this layout has one predictor", len(m.Classes))
	case m.Calibration != nil:
		return errors.New("found probabilities of a calibration, expected none: the layout has no place for them")
	case m.vwBits() > 31:
		return fmt.Errorf("found %d features, expected fewer than 2^31", m.Cols())
	}
	return nil
}

// vwFirst is the index of the first feature.
func (m *Model) vwFirst() int {
	if m.Statement.ZeroBased {
		return 0
	}
	return 1
}

// vwBits returns how many bits keep the constant apart from the features.
func (m *Model) vwBits() int {
	bits, most := 18, m.vwFirst()+m.Cols()-1
	for bits < 32 && (most >= 1<<bits || vwConstant%(1<<bits) <= most) {
		bits++
	}
	return bits
}

func writeVW(w io.Writer, m *Model, o Output) {
	least, most := -1.0, 1.0
	if m.Classes == nil { // of numbers nothing is known of the labels
		least, most = -math.MaxFloat32, math.MaxFloat32
	}
	fmt.Fprintf(w, "Version 8.11.0\nId \nMin label:%g\nMax label:%g\nbits:%d\nlda:0\n0 ngram:\n0 skip:\noptions:%s\nChecksum: 0\n:0\n", least, most, m.vwBits(), m.vwOptions())
	constant, written := vwConstant%(1<<m.vwBits()), false
	line := func(index int, weight float64) {
		if weight != 0 {
			fmt.Fprintf(w, "%d:%s\n", index, decimal(weight))
		}
	}
	for j, x := range o.Weights {
		if index := m.vwFirst() + j; index > constant && !written {
			line(constant, o.Bias)
			written = true
		}
		line(m.vwFirst()+j, x)
	}
	if !written {
		line(constant, o.Bias)
	}
}

// vwOptions names the loss, where vw has it.
func (m *Model) vwOptions() string {
	name, _, _ := strings.Cut(m.Statement.Loss, ":")
	switch name {
	case "hinge", "logistic", "squared", "poisson":
		return " --loss_function " + name
	}
	return ""
}
