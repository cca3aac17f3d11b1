package dataset

import (
	"strings"

	"github.com/fenchel-ml/fenchel/dataset/internal/decimal"
)

// labels returns the targets. Where commas do not separate fields they may be decimal
// ones, in all targets or in none: labels then have points, as in any other file.
func (t *table) labels() Target {
	out := t.targets.target()
	if out.Number != nil || out.Code == nil || t.rows.delimiter() == ',' {
		return out
	}
	points, code := newTargets(), make([]uint32, len(out.Label))
	for k, label := range out.Label {
		v, ok := parseComma([]byte(label))
		if !ok {
			return out
		}
		code[k] = points.intern([]byte(strings.Replace(label, ",", ".", 1)), v+0) // nor -0
	}
	number := make([]float64, len(points.label))
	for k, label := range points.label {
		number[k], _ = decimal.Float64([]byte(label))
	}
	all := Target{Label: points.label, Code: out.Code, Number: make([]float64, len(out.Code))}
	for i, c := range out.Code {
		all.Code[i] = code[c]
		all.Number[i] = number[code[c]] + 0 // nor -0
	}
	if len(all.Label) > MaxLabels {
		all.Label, all.Code = nil, nil
	}
	return all
}
