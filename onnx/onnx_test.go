package onnx

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/model"
)

// written returns the file of an example.
func written(t *testing.T, e example) []byte {
	t.Helper()
	var file bytes.Buffer
	var err error
	if e.pca != nil {
		err = WritePCA(&file, e.pca)
	} else {
		err = Write(&file, e.model, e.options)
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

// expected is what this program says of the rows: numbers by output, and labels.
func expected(t *testing.T, e example) (numbers map[string][]float64, labels []string) {
	t.Helper()
	rows := e.rows.Rows()
	numbers = map[string][]float64{}
	if e.pca != nil {
		dst := make([]float64, e.pca.Statement.K)
		for i := range rows {
			e.pca.Transform(dst, e.rows.X.Row(i))
			numbers["coordinates"] = append(numbers["coordinates"], dst...)
		}
		return numbers, nil
	}
	m := e.model
	x, err := m.Prepare(e.rows.X)
	if err != nil {
		t.Fatal(err)
	}
	scores := make([]float64, rows*len(m.Outputs))
	m.ScoreRows(scores, x, 0, rows)
	for row := range slices.Chunk(scores, len(m.Outputs)) {
		if m.Classes == nil {
			numbers["prediction"] = append(numbers["prediction"], m.Number(row[0]))
			continue
		}
		label := m.Classes[m.Decide(row)]
		if e.whole {
			label = strings.TrimPrefix(label, "+")
		}
		labels = append(labels, label)
		if m.HasProbabilities() {
			numbers["probabilities"] = m.Probabilities(numbers["probabilities"], row)
		}
	}
	if m.Classes != nil {
		name := "scores"
		if strings.HasPrefix(e.name, "table") { // it has a column of that name
			name += "_"
		}
		numbers[name] = scores
	}
	return numbers, labels
}

// tolerance is what outputs may differ by, as a part of their size or of 1.
const tolerance = 1e-5

// compare compares outputs with what is expected.
func compare(t *testing.T, e example, numbers map[string][]float64, labels []string) {
	t.Helper()
	want, wantLabels := expected(t, e)
	tolerance := tolerance
	if e.options.SVM { // sums of coefficients in single precision
		tolerance *= 10
	}
	if len(want) != len(numbers) {
		t.Errorf("found %d outputs of numbers, expected %d", len(numbers), len(want))
	}
	unsure := map[int]bool{} // rows so near a boundary that rounding decides
	for name, list := range want {
		if len(list) != len(numbers[name]) {
			t.Errorf("%s: found %d numbers, expected %d", name, len(numbers[name]), len(list))
			continue
		}
		worst := 0.0
		for i, v := range list {
			worst = max(worst, math.Abs(numbers[name][i]-v)/max(1, math.Abs(v)))
			if strings.HasPrefix(name, "scores") && math.Abs(v) < tolerance {
				unsure[i/(len(list)/e.rows.Rows())] = true
			}
		}
		if !(worst <= tolerance) {
			t.Errorf("%s: found numbers that are off by %g, expected at most %g", name, worst, tolerance)
		}
		t.Logf("%s: off by %.1e", name, worst)
	}
	for i, label := range wantLabels {
		if len(labels) != len(wantLabels) || labels[i] != label && !unsure[i] {
			t.Fatalf("row %d: found another label than %q", i+1, label)
		}
	}
}

// A graph says of every kind of model what the model says, as the definitions of its
// operators have it.
func TestGraphs(t *testing.T) {
	for _, e := range examples(t, 100) {
		t.Run(e.name, func(t *testing.T) {
			outputs := run(written(t, e), inputsOf(t, e))
			numbers, labels := map[string][]float64{}, []string(nil)
			for name, o := range outputs {
				if strings.HasPrefix(name, "label") {
					labels = o.word
					for _, v := range o.number {
						labels = append(labels, fmt.Sprint(v))
					}
					if whole := o.word == nil; whole != e.whole {
						t.Errorf("labels: found whole numbers: %v, expected %v", whole, e.whole)
					}
					continue
				}
				numbers[name] = o.number
			}
			compare(t, e, numbers, labels)
		})
	}
}

// inputsOf returns the rows of an example as inputs.
func inputsOf(t *testing.T, e example) map[string]*tensor {
	t.Helper()
	if e.table != "" {
		return tableInputs(t, e)
	}
	n, d := e.rows.X.Dims()
	x := &tensor{shape: []int{n, d}, number: e.wide}
	if e.wide != nil {
		return map[string]*tensor{"x": x}
	}
	for _, v := range dense(e.rows.X) {
		x.number = append(x.number, float64(v))
	}
	return map[string]*tensor{"x": x}
}

// tableInputs reads a table by means of its own: fields as they stand there.
func tableInputs(t *testing.T, e example) map[string]*tensor {
	t.Helper()
	f, err := os.Open(e.table)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	inputs := map[string]*tensor{}
	for i, c := range e.model.Schema.Columns {
		if i == e.model.Schema.Target {
			continue
		}
		in := &tensor{shape: []int{len(lines) - 1, 1}}
		for _, line := range lines[1:] {
			if c.Category != nil || c.Kind == set.KindBoolean {
				in.word = append(in.word, line[i])
				continue
			}
			in.number = append(in.number, numberOf(line[i], c.Kind))
		}
		inputs[c.Name] = in
	}
	return inputs
}

// numberOf is a field as an input of numbers takes it.
func numberOf(field string, kind set.Kind) float64 {
	if kind == set.KindDate {
		if days, ok := set.ParseDate([]byte(field)); ok {
			return days
		}
		return math.NaN()
	}
	v, err := strconv.ParseFloat(field, 64)
	if err != nil {
		return math.NaN()
	}
	if float64(float32(v)) != v && v < 1e6 { // a float input holds it so
		v = float64(float32(v))
	}
	return v
}

// What a graph cannot hold is refused in one line.
func TestRefused(t *testing.T) {
	set, err := data.ReadFrom(context.Background(), strings.NewReader("a\tabcabc\nb\txyzxyz\na\tabcab\nb\txyzyz\n"), "strings", data.Options{Format: "strings"})
	if err != nil {
		t.Fatal(err)
	}
	words := fitted(t, "spectrum", set, fenchel.Spec{Kernel: "spectrum:p=2"})
	if err := Write(io.Discard, words, Options{}); err == nil || !strings.Contains(err.Error(), "kernel spectrum:p=2: found a kernel of strings or graphs") {
		t.Errorf("kernel of strings: found %v", err)
	}
	if err := Write(io.Discard, nil, Options{}); err == nil {
		t.Error("no model: found no error")
	}
	numbers := setOf(t, drawn(40, 1, false), "numbers", 0)
	m := fitted(t, "wide", numbers, fenchel.Spec{Kernel: "rbf:gamma=1", Loss: "squared"})
	m.Data.Features = 7
	if err := Write(io.Discard, m, Options{}); err == nil {
		t.Error("support vectors of another width: found no error")
	}
	large := fitted(t, "large", numbers, fenchel.Spec{Loss: "squared"})
	large.Data.Features, large.Classes, large.Features = 1<<18, make([]string, 1<<10), nil
	same := model.Output{Weights: make([]float64, 1<<18)} // 2 MB that stand for 2 GB
	large.Outputs = slices.Repeat([]model.Output{same}, 1<<10)
	if err := Write(io.Discard, large, Options{}); err == nil || !strings.Contains(err.Error(), "expected at most") {
		t.Errorf("model of 2 GB: found %v", err)
	}
}
