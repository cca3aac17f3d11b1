package table

import (
	"strings"

	"github.com/fenchel-ml/fenchel/dataset/internal/decimal"
	"github.com/fenchel-ml/fenchel/dataset/set"
)

// labels returns the targets. Where commas do not separate fields they may be decimal
// ones, in all targets or in none: labels then have points, as in any other file.
func (t *table) labels() set.Target {
	out := t.targets.Target()
	if out.Number != nil || out.Code == nil || t.rows.delimiter() == ',' {
		return out
	}
	points, code := set.NewTargets(), make([]uint32, len(out.Label))
	for k, label := range out.Label {
		v, ok := set.ParseComma([]byte(label))
		if !ok {
			return out
		}
		code[k] = points.Intern([]byte(strings.Replace(label, ",", ".", 1)), v+0) // nor -0
	}
	number := make([]float64, len(points.Label))
	for k, label := range points.Label {
		number[k], _ = decimal.Float64([]byte(label))
	}
	all := set.Target{Label: points.Label, Code: out.Code, Number: make([]float64, len(out.Code))}
	for i, c := range out.Code {
		all.Code[i] = code[c]
		all.Number[i] = number[code[c]] + 0 // nor -0
	}
	if len(all.Label) > set.MaxLabels {
		all.Label, all.Code = nil, nil
	}
	return all
}
