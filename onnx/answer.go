package onnx

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
)

// answers makes outputs of scores, N x outputs.
func (p *predictor) answers(scores string) error {
	m := p.model
	if m.Classes == nil {
		number, err := p.means(scores)
		if err == nil {
			p.output(p.free("prediction"), number, double, len(m.Outputs))
		}
		return err
	}
	if numbers, ok := wholeClasses(m.Classes); ok {
		p.output(p.free("label"), p.node("Gather", []string{p.wholes(numbers...), p.decision(scores)}, wholeAttribute("axis", 0)), whole, 0)
	} else {
		label := p.node("LabelEncoder", []string{p.decision(scores)}, wholesAttribute("keys_int64s", codes(len(m.Classes))),
			textsAttribute("values_strings", m.Classes), textAttribute("default_string", m.Classes[0]))
		p.output(p.free("label"), label, text, 0)
	}
	p.output(p.free("scores"), scores, double, len(m.Outputs))
	if m.HasProbabilities() {
		p.output(p.free("probabilities"), p.probabilities(scores), double, len(m.Classes))
	}
	return nil
}

// free returns a name for an output that no column has.
func (p *predictor) free(name string) string {
	s := p.model.Schema
	for s.Table() && p.isColumn(name) {
		name += "_"
	}
	return name
}

func (p *predictor) isColumn(name string) bool {
	for _, c := range p.model.Schema.Columns {
		if c.Name == name {
			return true
		}
	}
	return false
}

// means returns the numbers predicted.
func (p *predictor) means(scores string) (string, error) {
	l, err := lossOf(p.model)
	if err != nil {
		return "", err
	}
	if p.model.Statement.TargetLog {
		return p.op("Exp", scores), nil
	}
	if _, linked := l.(loss.Linked); !linked {
		return scores, nil
	}
	if _, ok := l.(loss.LogLinked); ok {
		return p.op("Exp", scores), nil
	}
	return "", fmt.Errorf("found the loss %s, expected one whose predictions are numbers or their logarithms", p.model.Statement.Loss)
}

// lossOf returns the loss of a model; nil where a program had its own, which is not here.
func lossOf(m *model.Model) (loss.Loss, error) {
	if m.CustomLoss != nil || strings.HasPrefix(m.Statement.Loss, model.Foreign) {
		return m.CustomLoss, nil
	}
	return loss.New(m.Statement.Loss)
}

// wholeClasses returns classes as whole numbers, if each is spelled as one: "7", "+1" or "-1",
// but not "07", which is a code, nor "1.0".
func wholeClasses(classes []string) (numbers []int64, ok bool) {
	for _, class := range classes {
		v, err := strconv.ParseInt(class, 10, 64)
		if err != nil || strconv.FormatInt(v, 10) != strings.TrimPrefix(class, "+") || slices.Contains(numbers, v) {
			return nil, false
		}
		numbers = append(numbers, v)
	}
	return numbers, true
}

func codes(n int) []int64 {
	all := make([]int64, n)
	for i := range all {
		all[i] = int64(i)
	}
	return all
}

// decision returns the place of each row's class, N, as model.Model.Decide finds it.
func (p *predictor) decision(scores string) string {
	classes := len(p.model.Classes)
	switch {
	case p.model.Threshold != nil:
		return p.op("Reshape", p.cast(p.op("Greater", p.margin(scores), p.number(p.model.Threshold.Score)), whole), p.wholes(-1))
	case len(p.model.Outputs) == 1 && p.model.Statement.Scheme != model.OneAgainstOne:
		second := p.cast(p.op("Greater", scores, p.number(0)), whole)
		if classes == 1 {
			second = p.op("Mul", second, p.wholes(0))
		}
		return p.op("Reshape", second, p.wholes(-1))
	case p.model.Statement.Scheme == model.OneAgainstOne:
		return p.largest(p.votes(scores), true)
	}
	return p.largest(scores, false)
}

// largest returns the column of the largest number of each row: of equals the last or the
// first.
func (p *predictor) largest(x string, last bool) string {
	return p.node("ArgMax", []string{x}, wholeAttribute("axis", 1), wholeAttribute("keepdims", 0), wholeAttribute("select_last_index", int64(flag(last))))
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// votes returns how many pairs decide for each class: a pair (i,j) has a vote for j where
// its score is positive, else for i.
func (p *predictor) votes(scores string) string {
	k, classes := len(p.model.Outputs), len(p.model.Classes)
	turn, first := make([]float64, k*classes), make([]float64, classes)
	for o := range k {
		i, j := model.Pair(o, classes)
		turn[o*classes+i], turn[o*classes+j] = -1, 1
		first[i]++
	}
	positive := p.cast(p.op("Greater", scores, p.number(0)), double)
	return p.op("Add", p.op("MatMul", positive, p.constant([]int{k, classes}, turn)), p.row(first))
}
