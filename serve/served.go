package serve

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// served is one version of a model.
type served struct {
	name, version string
	model         *model.Model // one of both
	components    *model.PCA
	inputs        inputs
	usual, others []string // outputs, the usual ones are given unless others are asked for

	path string
	info fs.FileInfo // of the file when it was read; nil: the model did not come from one
	use  *usage
}

// newServed makes a version of a model ready.
func newServed(name, version string, m *model.Model, components *model.PCA) (*served, error) {
	if name == "" || strings.ContainsAny(name+version, "/\\") {
		return nil, fmt.Errorf("found the name %q and the version %q of a model, expected some without slashes", name, version)
	}
	v := &served{name: name, version: version, model: m, components: components}
	switch {
	case components != nil && components.Statement.Missing == model.Observed:
		return nil, errors.New("found components of the numbers that are observed, expected a model that needs all numbers of a row")
	case components != nil:
		v.inputs = newInputs(components.Schema, components.Features, components.Cols())
		v.usual = []string{outComponents}
		return v, nil
	case m == nil:
		return nil, errors.New("found no model, expected one")
	}
	if k, err := pose.KernelOf(m); err == nil && k != nil && kernel.StructureOf(k) != structure.Points {
		return nil, fmt.Errorf("found a model of %s, expected one of numbers and categories", kernel.StructureOf(k))
	}
	v.inputs = newInputs(m.Schema, m.Features, m.Cols())
	v.usual, v.others = []string{outPredict}, []string{outScore}
	if m.HasProbabilities() {
		v.usual = append(v.usual, outProbability)
	}
	if m.Coverage != nil && m.Classes == nil {
		v.others = append(v.others, outInterval)
	} else if m.Coverage != nil {
		v.others = append(v.others, outSet)
	}
	if m.IsLinear() {
		v.others = append(v.others, outExplanation)
	}
	return v, nil
}

// The outputs that a request may ask for.
const (
	outPredict     = "predict"     // label or number
	outScore       = "score"       // of each output of the model
	outProbability = "probability" // of each class
	outInterval    = "interval"    // lower and upper end, of models with intervals
	outSet         = "set"         // 1 for each class that is in the set of labels, of models with sets
	outExplanation = "explanation" // what each column adds to each score, and the bias
	outComponents  = "components"  // coordinates along principal components
)

// outputs lists what a model can be asked for, the usual ones first.
func (v *served) outputs() []string { return slices.Concat(v.usual, v.others) }

// wants returns what is to be computed: the names that are asked for, or the usual ones.
func (v *served) wants(field string, asked []string) ([]string, error) {
	if len(asked) == 0 {
		return v.usual, nil
	}
	all := v.outputs()
	for i, name := range asked {
		if slices.Contains(asked[:i], name) {
			return nil, refuse(http.StatusBadRequest, "%s: found %q twice", field, name)
		}
		if !slices.Contains(all, name) {
			return nil, refuse(http.StatusBadRequest, "%s: found %q, expected some of %q", field, name, all)
		}
	}
	return asked, nil
}

// explained is the number of columns, or of features that are none of a table.
func (v *served) explained() int {
	if v.inputs.schema != nil {
		return len(v.inputs.columns)
	}
	return v.inputs.features
}

// columnsOf returns what tells the column of a feature.
func (v *served) columnsOf() func(j int) int {
	if v.inputs.schema == nil {
		return func(j int) int { return j }
	}
	column := make([]int, 0, v.inputs.features)
	for i := range v.inputs.columns {
		column = append(column, slices.Repeat([]int{i}, v.inputs.columns[i].Width())...)
	}
	for _, c := range v.inputs.schema.Crossings { // products add to what the first of their columns does
		at := v.inputs.place[v.inputs.schema.Columns[c.Columns[0]].Name]
		column = append(column, slices.Repeat([]int{at}, c.Width())...)
	}
	return func(j int) int { return column[j] }
}

// explainedName names a column or feature of an explanation.
func (v *served) explainedName(i int) string {
	switch {
	case v.inputs.schema != nil:
		return v.inputs.columns[i].Name
	case v.inputs.names != nil:
		return v.inputs.names[i]
	}
	return fmt.Sprint(i + 1)
}

// digest names the training rows.
func (v *served) digest() string {
	if v.model != nil {
		return v.model.Data.Digest
	}
	return v.components.Data.Digest
}

// gap is the largest relative gap that is proved of an output; "" where nothing is.
func (v *served) gap() string {
	if v.model == nil {
		return strconv.FormatFloat(v.components.Proof.Relative(), 'g', 3, 64)
	}
	worst := 0.0
	for _, o := range v.model.Outputs {
		c := o.Certificate
		worst = max(worst, problem.Relative(float64(c.Primal), float64(c.Dual), float64(c.Zero)))
	}
	if math.IsNaN(worst) || math.IsInf(worst, 0) {
		return ""
	}
	return strconv.FormatFloat(worst, 'g', 3, 64)
}
