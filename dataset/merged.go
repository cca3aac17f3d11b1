package dataset

import (
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/dataset/internal/decimal"
	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
)

// merged is the targets and the weights of the rows of several files, one file's under another's.
type merged struct {
	targets []Target
	weights []float64
	absent  string // name of the first file without targets
	files   int
}

// mergeTargets puts the targets of several files one after another.
func mergeTargets(parts []Target) (Target, error) {
	switch len(parts) {
	case 0:
		return Target{}, nil
	case 1:
		return parts[0], nil
	}
	numbers := true
	for _, p := range parts {
		numbers = numbers && p.Number != nil
	}
	t := newTargets()
	for _, p := range parts {
		switch {
		case p.Code == nil && !numbers:
			return Target{}, fmt.Errorf("found more than %d distinct numbers as targets in one file and names in another, expected one kind", MaxLabels)
		case p.Code == nil:
			t.many = true
		}
		if numbers {
			t.number = append(t.number, p.Number...)
		}
	}
	if t.many {
		return Target{Number: t.number}, nil
	}
	number := t.number
	for _, p := range parts {
		t.takeCodes(p)
	}
	if numbers && len(t.label) > MaxLabels {
		return Target{Number: number}, nil
	}
	t.number = number
	return t.target(), nil
}

// take notes the targets of a file that was read; nil: it has none.
func (a *merged) take(name string, t *Target) error {
	if t == nil {
		if a.absent == "" {
			a.absent = name
		}
	} else {
		a.targets = append(a.targets, *t)
	}
	if a.absent != "" && len(a.targets) > 0 {
		return fault.In(a.absent, "found no targets, expected them as in the other files")
	}
	return nil
}

// takeWeights notes the row weights of a file; nil: it has none.
func (a *merged) takeWeights(name string, weights []float64) error {
	if (weights == nil) != (a.weights == nil) && a.files > 1 {
		return fault.In(name, "expected row weights in all files or in none")
	}
	a.weights = append(a.weights, weights...)
	return nil
}

// takeCodes appends the codes of p.
func (t *targets) takeCodes(p Target) {
	codes := make([]uint32, len(p.Label))
	for c, label := range p.Label {
		v, status := decimal.Float64([]byte(label))
		if status != decimal.Number {
			v = math.NaN()
		}
		codes[c] = t.intern([]byte(label), v+0)
	}
	for _, c := range p.Code {
		t.code = append(t.code, codes[c])
	}
}
