package pose

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/vec/elementary"
	"github.com/fenchel-ml/fenchel/model"
)

// Labels is a target column as one or several vectors of numbers.
type Labels struct {
	Classes []string    // sorted; nil: regression
	Class   []uint32    // row -> place in classes
	Number  []float64   // regression; of classes what their rows say, nil if that is no number
	Further [][]float64 // the numbers of other targets, where there are several
	Names   []string    // of all of these targets
	Factor  []float64   // weight of each class; nil: all 1
	rows    int         // of one class, where nothing else has their number
	Pairs   bool        // more than two classes are told apart one against one
	ByClass bool        // the rows of a pair are those of one class and then those of the other, as gram.Pairs has them
	Joint   bool        // all classes, or targets, are one problem: one loss or penalty is of all of them

	of struct { // the rows of each class, made once
		sync.Once
		rows [][]uint32
	}
}

// Tasks returns the names of the tasks.
func Tasks() []string { return []string{"classification", "regression", OneClass} }

// Decide says whether targets are classes or numbers to predict: classes if
// they are not numbers; numbers if any has a fraction or there are too many to
// be classes. Whole numbers are classes when there are at most 20 of them, or
// when even the rarer ones have at least 5 rows each (nine tenths of them):
// many values with few rows each are measurements, and so are more than half as
// many values as rows.
func Decide(t data.Target) string {
	switch {
	case t.Number == nil:
		return "classification"
	case t.Code == nil:
		return "regression"
	}
	if 2 < len(t.Label) && len(t.Code) < 2*len(t.Label) || slices.ContainsFunc(t.Number, func(x float64) bool { return x != math.Trunc(x) }) {
		return "regression"
	}
	if len(t.Label) <= 20 {
		return "classification"
	}
	rows := t.Counts()
	slices.Sort(rows)
	if rows[len(rows)/10] >= 5 {
		return "classification"
	}
	return "regression"
}

// A Target says what is to be learned of the targets of a set.
type Target struct {
	Task         string // one of Tasks
	Logarithms   bool   // of numbers
	ClassWeight  map[string]float64
	Balanced     bool
	Pairs, Joint bool // how several classes are told apart: one against one, or all under one loss; neither: one against the rest
	ByClass      bool // the rows of a pair are those of one class and then those of the other
}

// ReadLabels turns the targets into what the task needs.
func ReadLabels(from *data.Set, of Target) (*Labels, error) {
	t := from.Target
	switch of.Task {
	case OneClass:
		return oneClassLabels(from.Rows()), nil
	case "regression":
		if t.Number == nil {
			return nil, DataError{fmt.Sprintf("the targets%s are not numbers (one is %q): expected numbers for regression", from.TargetBy, t.Label[0])}
		}
		if of.ClassWeight != nil || of.Balanced {
			return nil, fmt.Errorf("class weights need classes, but the targets%s are numbers and the task is regression", from.TargetBy)
		}
		return NumbersOf(t, of.Logarithms)
	case "classification":
		if t.Names != nil {
			return nil, fmt.Errorf("found %d targets a row: expected one of classes, or 'task=regression' for several of numbers", len(t.Names))
		}
		if t.Code == nil {
			return nil, fmt.Errorf("found more than %d different targets%s: expected fewer classes, or 'task=regression'", set.MaxLabels, from.TargetBy)
		}
		return ClassLabels(t, from.Weight, of)
	}
	return nil, registry.Unknown("task", of.Task, Tasks())
}

// NumbersOf are targets that are numbers, or their logarithms.
func NumbersOf(t data.Target, logarithms bool) (*Labels, error) {
	l := &Labels{Number: t.Number, Further: t.Further, Names: t.Names}
	if !logarithms {
		return l, nil
	}
	columns := t.Columns()
	for c, column := range columns {
		columns[c] = make([]float64, len(column))
		for i, y := range column {
			if !(y > 0) {
				return nil, DataError{fmt.Sprintf("row %d: found the target %g, expected a number > 0, of which the logarithm is to be learned", i+1, y)}
			}
			columns[c][i] = elementary.Log(y)
		}
	}
	l.Number, l.Further = columns[0], columns[1:]
	return l, nil
}

// oneClassLabels are those of rows that have none, or none that counts.
func oneClassLabels(rows int) *Labels {
	return &Labels{Classes: model.OneClassLabels(), rows: rows}
}

// ClassLabels makes sorted classes of the targets.
func ClassLabels(t data.Target, rowWeights []float64, of Target) (*Labels, error) {
	classes, place := SortLabels(t)
	l := &Labels{Classes: classes, Class: t.Code, Number: t.Number, Pairs: of.Pairs, ByClass: of.ByClass, Joint: of.Joint}
	if !slices.IsSorted(place) {
		l.Class = make([]uint32, len(t.Code))
		for i, c := range t.Code {
			l.Class[i] = place[c]
		}
	}
	return l, l.SetFactors(of.ClassWeight, of.Balanced, rowWeights)
}

// Singles counts the labels that only one row has.
func Singles(t data.Target) (once int) {
	for _, n := range t.Counts() {
		if n == 1 {
			once++
		}
	}
	return once
}

// SortLabels returns the labels sorted, by number where all are numbers, and
// where each label of t went.
func SortLabels(t data.Target) (sorted []string, place []uint32) {
	order := make([]int, len(t.Label))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return compareLabels(t.Label[a], t.Label[b], t.Number != nil) })
	sorted, place = make([]string, len(order)), make([]uint32, len(order))
	for at, label := range order {
		sorted[at], place[label] = t.Label[label], uint32(at)
	}
	return sorted, place
}

// compareLabels orders labels by number or else by spelling.
func compareLabels(a, b string, numeric bool) int {
	if numeric {
		x, errX := strconv.ParseFloat(a, 64)
		y, errY := strconv.ParseFloat(b, 64)
		if errX == nil && errY == nil && x != y {
			return cmp.Compare(x, y)
		}
	}
	return cmp.Compare(a, b)
}

// SetFactors checks class weights and gives each class its own. To balance
// them, a row counts as often as its own weight says; rowWeights may be nil.
func (l *Labels) SetFactors(byLabel map[string]float64, balanced bool, rowWeights []float64) error {
	if byLabel == nil && !balanced {
		return nil
	}
	l.Factor = make([]float64, len(l.Classes))
	for c := range l.Factor {
		l.Factor[c] = 1
	}
	if balanced {
		rows := make([]float64, len(l.Classes))
		for i, c := range l.Class {
			if rowWeights == nil {
				rows[c]++
			} else {
				rows[c] += rowWeights[i]
			}
		}
		total := Sum(rows)
		for c := range l.Factor {
			l.Factor[c] = total / (float64(len(l.Classes)) * rows[c])
		}
	}
	given := make([]string, len(l.Classes))
	for _, label := range slices.Sorted(maps.Keys(byLabel)) {
		w := byLabel[label]
		c := ClassOf(l.Classes, label)
		if c < 0 {
			return registry.Unknown("class", label, l.Classes)
		}
		if given[c] != "" {
			return fmt.Errorf("class weights of %s and %s: expected one, as both are the class %s", given[c], label, l.Classes[c])
		}
		given[c] = label
		if !(w > 0) || math.IsInf(w, 1) {
			return fmt.Errorf("class weight %s=%g: expected a number > 0", label, w)
		}
		l.Factor[c] *= w
	}
	return nil
}

// Outputs is the number of problems to solve: of functions to learn, which are all in one problem
// where one loss judges them.
func (l *Labels) Outputs() int {
	k := len(l.Classes)
	switch {
	case l.Names != nil && !l.Joint:
		return len(l.Names)
	case k <= 2 || l.Joint: // or there are several targets, of one problem
		return 1
	case l.Pairs:
		return k * (k - 1) / 2
	}
	return k
}

// Together is how many functions the one problem of all classes or targets is about.
func (l *Labels) Together() int { return max(len(l.Classes), len(l.Names)) }

// Name is that of output c, where there are several.
func (l *Labels) Name(c int) string {
	switch {
	case l.Outputs() == 1:
		return ""
	case l.Names != nil:
		return l.Names[c]
	case l.Pairs:
		i, j := model.Pair(c, len(l.Classes))
		return l.Classes[i] + " against " + l.Classes[j]
	}
	return l.Classes[c]
}

// OfTarget returns the labels of one of several targets alone.
func (l *Labels) OfTarget(c int) *Labels {
	if c == 0 {
		return &Labels{Number: l.Number}
	}
	return &Labels{Number: l.Further[c-1]}
}

// PairRows returns the rows that output c learns from, if it tells two of several
// classes apart; nil: all.
func (l *Labels) PairRows(c int) []uint32 {
	if !l.Pairs || len(l.Classes) <= 2 {
		return nil
	}
	i, j := model.Pair(c, len(l.Classes))
	of := l.RowsOf()
	rows := slices.Concat(of[i], of[j])
	if !l.ByClass {
		slices.Sort(rows)
	}
	return rows
}

// RowsOf returns the rows of each class, in order.
func (l *Labels) RowsOf() [][]uint32 {
	l.of.Do(func() {
		l.of.rows = make([][]uint32, len(l.Classes))
		for row, class := range l.Class {
			l.of.rows[class] = append(l.of.rows[class], uint32(row))
		}
	})
	return l.of.rows
}

// Targets returns the numbers that output c learns from its rows: -1 and +1 for
// classes.
func (l *Labels) Targets(c, threads int) []float64 {
	if l.rows > 0 {
		return make([]float64, l.rows)
	}
	if l.Classes == nil {
		return l.OfTarget(c).Number
	}
	if rows := l.PairRows(c); rows != nil {
		return l.signs(c, rows)
	}
	if len(l.Classes) == 2 {
		if c = 1; l.areSigns() {
			return l.Number
		}
	}
	y := make([]float64, len(l.Class))
	parallel.Blocks(len(y), 1<<14, threads, func(_, lo, hi int) {
		for i, own := range l.Class[lo:hi] {
			y[lo+i] = -1
			if own == uint32(c) {
				y[lo+i] = 1
			}
		}
	})
	return y
}

// signs returns the targets of rows of a pair of classes: -1 for the first of them, +1 for the second.
func (l *Labels) signs(c int, rows []uint32) []float64 {
	_, second := model.Pair(c, len(l.Classes))
	y := make([]float64, len(rows))
	for k, row := range rows {
		y[k] = -1
		if int(l.Class[row]) == second {
			y[k] = 1
		}
	}
	return y
}

// areSigns reports whether the numbers of two classes are -1 and +1 as they are: for
// most files they are, and need no second column.
func (l *Labels) areSigns() bool {
	if len(l.Number) != len(l.Class) {
		return false
	}
	sign := [2]float64{-1, 1}
	for i, c := range l.Class {
		if l.Number[i] != sign[c] {
			return false
		}
	}
	return true
}

// Weights returns the row weights times those of the classes; nil: all 1.
func (l *Labels) Weights(rows []float64) []float64 {
	if l.Factor == nil {
		return rows
	}
	w := make([]float64, len(l.Class))
	for i, c := range l.Class {
		w[i] = l.Factor[c]
		if rows != nil {
			w[i] *= rows[i]
		}
	}
	return w
}

// SameLabels says that all rows have one label; nil: they do not.
func (l *Labels) SameLabels() []error {
	if len(l.Classes) != 1 {
		return nil
	}
	return []error{fmt.Errorf("all rows have the label %q: the model predicts it for every row", l.Classes[0])}
}

// Lonely warns of classes of one row each: nothing shows whether these are learned.
func (l *Labels) Lonely() []error {
	rows := make([]int, len(l.Classes))
	for _, c := range l.Class {
		rows[c]++
	}
	var alone []string
	for c, n := range rows {
		if n == 1 {
			alone = append(alone, fmt.Sprintf("%q", l.Classes[c]))
		}
	}
	switch n := len(alone); {
	case n == 0 || len(l.Classes) < 2:
		return nil
	case n > 5:
		return []error{fmt.Errorf("%d of %d classes have one row each, such as %s: no other shows whether they are learned", n, len(l.Classes), alone[0])}
	case n == 1:
		return []error{fmt.Errorf("the class %s has one row: no other shows whether it is learned", alone[0])}
	}
	return []error{fmt.Errorf("the classes %s have one row each: no other shows whether they are learned", strings.Join(alone, ", "))}
}

// Schemes returns the names of the ways to tell several classes apart.
func Schemes() []string { return []string{"one-against-rest", model.OneAgainstOne, model.Joint} }
