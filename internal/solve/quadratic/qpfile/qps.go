package qpfile

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/quadratic/convex"
)

// A QPS file is lines of fields below headings that begin in the first column:
//
//	NAME          name
//	OBJSENSE      MAX or MIN, here or below
//	ROWS          N|E|L|G row                  the first N is the objective, others are free rows
//	COLUMNS       column row value [row value]
//	RHS           [set] row value [row value]  of the objective: minus its constant
//	RANGES        [set] row value [row value]
//	BOUNDS        LO|UP|FX|FR|MI|PL|BV|LI|UI [set] column [value]
//	QUADOBJ       column column value          one triangle of P; QMATRIX: all of it
//	ENDATA
//
// Fields are between blanks, or, where a name of a row has blanks, in the columns 2, 5, 15, 25, 40
// and 50 of the fixed form. Lines that begin with * are comments, and so is what follows a $ in the
// third field or the fifth.
type qps struct {
	name    string
	line    int
	section string
	fixed   bool // fields are in columns
	ended   bool
	integer bool // between the markers of integer variables

	rows    map[string]int // theObjective and others without bounds, or the row of A
	cols    map[string]int
	kinds   []byte // of rows: E, L, G
	right   []float64
	ranges  []float64 // NaN: none
	bounded []bool    // a lower bound was given
	sets    map[string]string
	costs   bool // there is an objective
	noted   map[string]bool
	a, p    []convex.Entry
	seen    map[[2]int]bool // rows and columns of the numbers of P or A in this section
	minus   float64         // the constant of the objective, with the opposite sign
	whole   bool            // there are integer variables
	f       *File
}

// Rows N are none of A.
const (
	theObjective = -1
	unbounded    = -2 // left out
)

// infinite is from which size on a bound is none, as CUTEst has it.
const infinite = 1e20

// readers are what the lines of a section mean.
var readers = map[string]func(*qps, []string) error{
	"OBJSENSE": (*qps).sense, "ROWS": (*qps).row, "COLUMNS": (*qps).column, "RHS": (*qps).rightHand, "RANGES": (*qps).rangeOf, "BOUNDS": (*qps).bound,
	"QUADOBJ": (*qps).quadratic, "QMATRIX": (*qps).quadratic, "QSECTION": (*qps).quadratic,
}

func readQPS(name string, in io.Reader) (*File, error) {
	r := &qps{name: name, rows: map[string]int{}, cols: map[string]int{}, sets: map[string]string{}, noted: map[string]bool{}, seen: map[[2]int]bool{}, f: &File{}}
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() && !r.ended {
		r.line++
		if err := r.take(strings.TrimRight(lines.Text(), " \t\r")); err != nil {
			return nil, err
		}
	}
	if err := lines.Err(); err != nil {
		return nil, r.fault("%w", err)
	}
	if !r.ended {
		return nil, r.fault("found the end of the file, expected ENDATA")
	}
	return r.f, r.finish()
}

func (r *qps) fault(format string, args ...any) error {
	return fault.At(r.name, r.line, 0, format, args...)
}

// note says once what was changed.
func (r *qps) note(format string, args ...any) {
	if text := fmt.Sprintf(format, args...); !r.noted[text] {
		r.noted[text] = true
		r.f.Notes = append(r.f.Notes, fmt.Errorf("%s:%d: %s", r.name, r.line, text))
	}
}

// take reads a line.
func (r *qps) take(line string) error {
	switch {
	case strings.TrimSpace(line) == "" || line[0] == '*':
		return nil
	case line[0] == ' ' || line[0] == '\t':
		read := readers[r.section]
		if read == nil {
			return r.fault("found fields below %q, expected a heading such as ROWS before them", r.section)
		}
		if words := r.fields(line); len(words) > 0 {
			return read(r, words)
		}
		return r.fault("found fields beyond column 61, expected them in fixed columns")
	}
	words := strings.Fields(line)
	clear(r.seen)
	switch r.section = strings.ToUpper(words[0]); {
	case r.section == "ENDATA":
		r.ended = true
	case r.section == "NAME":
		r.f.Name = strings.Join(words[1:], " ")
	case r.section == "QCMATRIX" || r.section == "CSECTION" || r.section == "SOS":
		return r.fault("found the section %s, expected linear rows and continuous variables alone", r.section)
	case r.section == "OBJSENSE" && len(words) > 1:
		return r.sense(words[1:])
	case readers[r.section] == nil:
		return r.fault("found the heading %s, expected NAME, ENDATA or one of %s", registry.Spell(words[0]), strings.Join(slices.Sorted(maps.Keys(readers)), ", "))
	}
	return nil
}

// fields cuts a line.
func (r *qps) fields(line string) []string {
	words := strings.Fields(line)
	for _, k := range []int{2, 4} {
		if k < len(words) && (words[k][0] == '$' || words[k][0] == '*' && r.section == "ROWS") {
			return words[:k]
		}
	}
	if r.section == "ROWS" && len(words) > 2 && len(line) <= 12 && !r.fixed {
		r.fixed = true
		r.note("found a name with blanks, read as fixed columns")
	}
	if r.fixed {
		words = words[:0]
		for k, at := range []int{1, 4, 14, 24, 39, 49} {
			end := []int{3, 12, 22, 36, 47, 61}[k]
			word := ""
			if at < len(line) {
				word = strings.TrimSpace(line[at:min(end, len(line))])
			}
			if word != "" || k == 1 && r.section != "ROWS" && r.section != "COLUMNS" {
				words = append(words, word)
			}
		}
	}
	return words
}

func (r *qps) sense(words []string) error {
	switch strings.ToUpper(words[0]) {
	case "MAX", "MAXIMIZE", "MAXIMISE":
		r.f.Maximize = true
	case "MIN", "MINIMIZE", "MINIMISE":
	default:
		return r.fault("found %s, expected MAX or MIN", registry.Spell(words[0]))
	}
	return nil
}

func (r *qps) row(words []string) error {
	if len(words) != 2 {
		return r.fault("found %d fields, expected the kind of a row, N, E, L or G, and its name", len(words))
	}
	kind, name := strings.ToUpper(words[0]), words[1]
	if _, ok := r.rows[name]; ok {
		return r.fault("found row %s twice, expected names that differ", registry.Spell(name))
	}
	switch {
	case kind == "N" && !r.costs:
		r.rows[name], r.costs = theObjective, true
	case kind == "N":
		r.rows[name] = unbounded
		r.note("found a second row N, %s, left out", registry.Spell(name))
	case kind == "E" || kind == "L" || kind == "G":
		r.rows[name] = len(r.kinds)
		r.kinds, r.right, r.ranges = append(r.kinds, kind[0]), append(r.right, 0), append(r.ranges, math.NaN())
		r.f.Rows = append(r.f.Rows, name)
	default:
		return r.fault("found a row of kind %s, expected N, E, L or G", registry.Spell(words[0]))
	}
	return nil
}

// number reads a value, with an exponent of Fortran too.
func (r *qps) number(word string) (float64, error) {
	v, err := strconv.ParseFloat(strings.NewReplacer("D", "E", "d", "e").Replace(word), 64)
	if err != nil || v != v || strings.ContainsAny(word, "xXpP_") {
		return 0, r.fault("found %s, expected a number", registry.Spell(word))
	}
	return v, nil
}

// pairs gives do the rows and values of a line, behind the first field.
func (r *qps) pairs(words []string, do func(row int, v float64) error) error {
	if len(words) != 2 && len(words) != 4 {
		return r.fault("found %d fields, expected one or two rows with a value each", len(words))
	}
	for k := 0; k < len(words); k += 2 {
		row, ok := r.rows[words[k]]
		if !ok {
			return r.fault("found row %s, expected one of those below ROWS", registry.Spell(words[k]))
		}
		v, err := r.number(words[k+1])
		if err == nil && v-v != 0 {
			err = r.fault("found %s, expected a finite number", words[k+1])
		}
		if err == nil {
			err = do(row, v)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *qps) column(words []string) error {
	if len(words) == 3 && strings.Trim(words[1], "'\"") == "MARKER" {
		switch kind := strings.Trim(words[2], "'\""); kind {
		case "INTORG", "INTEND":
			r.integer = kind == "INTORG"
		default:
			return r.fault("found the marker %s, expected INTORG or INTEND", registry.Spell(words[2]))
		}
		return nil
	}
	j, ok := r.cols[words[0]]
	if !ok {
		if j = len(r.cols); j == convex.MostVariables {
			return r.fault("found more than %d columns, expected at most so many: a step factors a dense matrix of them", j)
		}
		r.cols[words[0]] = j
		r.f.Cols, r.f.Q, r.bounded = append(r.f.Cols, words[0]), append(r.f.Q, 0), append(r.bounded, false)
		r.f.Least, r.f.Most = append(r.f.Least, 0), append(r.f.Most, math.Inf(1))
		r.whole = r.whole || r.integer
	}
	return r.pairs(words[1:], func(row int, v float64) error {
		if r.seen[[2]int{row, j}] && row != unbounded {
			return r.fault("found column %s twice in a row, expected it once", registry.Spell(words[0]))
		}
		r.seen[[2]int{row, j}] = true
		switch {
		case row == theObjective:
			r.f.Q[j] = v
		case row >= 0:
			r.a = append(r.a, convex.Entry{Row: row, Col: j, Value: v})
		}
		return nil
	})
}

// set takes the name of a set off: of several, all but the first are left out.
func (r *qps) set(words []string, named bool) (rest []string, ours bool) {
	if !named {
		return words, true
	}
	first, ok := r.sets[r.section]
	if !ok {
		r.sets[r.section], first = words[0], words[0]
	}
	if first != words[0] {
		r.note("found a second set %s of %s, left out", registry.Spell(words[0]), r.section)
	}
	return words[1:], first == words[0]
}

func (r *qps) rightHand(words []string) error {
	words, ours := r.set(words, len(words)%2 == 1)
	return r.pairs(words, func(row int, v float64) error {
		switch {
		case ours && row == theObjective:
			r.minus = v
		case ours && row >= 0:
			r.right[row] = v
		}
		return nil
	})
}

func (r *qps) rangeOf(words []string) error {
	words, ours := r.set(words, len(words)%2 == 1)
	return r.pairs(words, func(row int, v float64) error {
		if row < 0 {
			return r.fault("found a range of a row N, expected one of a row E, L or G")
		}
		if ours {
			r.ranges[row] = v
		}
		return nil
	})
}

// bound is a line of BOUNDS.
func (r *qps) bound(words []string) error {
	kind := strings.ToUpper(words[0])
	needs, ok := map[string]bool{"LO": true, "UP": true, "FX": true, "LI": true, "UI": true, "FR": false, "MI": false, "PL": false, "BV": false}[kind]
	if !ok {
		return r.fault("found a bound of kind %s, expected LO, UP, FX, FR, MI, PL, BV, LI or UI", registry.Spell(words[0]))
	}
	words = words[1:]
	named := needs && len(words) == 3 || !needs && len(words) > 1 && !(len(words) == 2 && r.isColumn(words[0]) && !r.isColumn(words[1]))
	if count := len(words); count < 1 || needs && count < 2 || count > 3 {
		return r.fault("found %d fields behind %s, expected a set, a column%s", count, kind, map[bool]string{true: " and a value"}[needs])
	}
	words, ours := r.set(words, named)
	j, ok := r.cols[words[0]]
	if !ok {
		return r.fault("found column %s, expected one of those below COLUMNS", registry.Spell(words[0]))
	}
	v := 0.0
	if needs {
		var err error
		if v, err = r.number(words[1]); err != nil {
			return err
		}
	}
	if ours {
		r.setBound(kind, j, v)
	}
	return nil
}

func (r *qps) isColumn(word string) bool { _, ok := r.cols[word]; return ok }

func (r *qps) setBound(kind string, j int, v float64) {
	least, most := &r.f.Least[j], &r.f.Most[j]
	switch kind {
	case "LO", "LI":
		*least, r.bounded[j] = v, true
	case "UP", "UI":
		if *most = v; v < 0 && *least == 0 && !r.bounded[j] {
			*least = math.Inf(-1)
			r.note("found negative upper bounds without lower ones, which are then -infinite")
		}
	case "FX":
		*least, *most, r.bounded[j] = v, v, true
	case "FR":
		*least, *most = math.Inf(-1), math.Inf(1)
	case "MI":
		*least = math.Inf(-1)
	case "PL":
		*most = math.Inf(1)
	case "BV":
		*least, *most = 0, 1
	}
	r.whole = r.whole || kind == "BV" || kind == "LI" || kind == "UI"
}

func (r *qps) quadratic(words []string) error {
	if len(words) != 3 {
		return r.fault("found %d fields, expected two columns and a value", len(words))
	}
	var at [2]int
	for k := range at {
		j, ok := r.cols[words[k]]
		if !ok {
			return r.fault("found column %s, expected one of those below COLUMNS", registry.Spell(words[k]))
		}
		at[k] = j
	}
	v, err := r.number(words[2])
	if err != nil {
		return err
	}
	i, j := at[0], at[1]
	if r.seen[at] || r.section == "QUADOBJ" && r.seen[[2]int{j, i}] {
		return r.fault("found the columns %s and %s twice, expected them once%s", registry.Spell(words[0]), registry.Spell(words[1]), map[bool]string{true: ", as QUADOBJ is one triangle"}[r.section == "QUADOBJ"])
	}
	r.seen[at] = true
	r.p = append(r.p, convex.Entry{Row: i, Col: j, Value: v})
	if r.section == "QUADOBJ" && i != j {
		r.p = append(r.p, convex.Entry{Row: j, Col: i, Value: v})
	}
	return nil
}

// finish makes the program.
func (r *qps) finish() error {
	f, n := r.f, len(r.f.Q)
	if len(r.rows) > 0 && !r.costs {
		return r.fault("found no row of kind N, expected one, the objective")
	}
	if r.whole {
		r.note("found integer variables, solved as continuous ones: the optimum is a bound on theirs")
	}
	for i, kind := range r.kinds {
		lo, hi, width := r.right[i], r.right[i], r.ranges[i]
		switch {
		case kind == 'E' && width < 0:
			lo += width
		case kind == 'E' && width > 0:
			hi += width
		case kind == 'L' && width != width:
			lo = math.Inf(-1)
		case kind == 'G' && width != width:
			hi = math.Inf(1)
		case kind == 'L':
			lo -= math.Abs(width)
		case kind == 'G':
			hi += math.Abs(width)
		}
		f.Lower, f.Upper = append(f.Lower, lo), append(f.Upper, hi)
	}
	for _, list := range [][]float64{f.Lower, f.Upper, f.Least, f.Most} {
		for k, v := range list {
			if math.Abs(v) >= infinite {
				list[k] = math.Inf(int(math.Copysign(1, v)))
			}
		}
	}
	f.A = convex.NewSparse(len(r.kinds), n, r.a)
	if f.Constant = -r.minus; f.Maximize {
		f.Constant = r.minus
		for j := range f.Q {
			f.Q[j] = -f.Q[j]
		}
		for k := range r.p {
			r.p[k].Value = -r.p[k].Value
		}
	}
	f.P = convex.NewSparse(n, n, r.p)
	return nil
}
