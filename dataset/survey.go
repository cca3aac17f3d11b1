package dataset

import (
	"bytes"
	"fmt"
	"slices"
)

// eachRow calls do for the rows of a chunk, after checking their width.
func (t *table) eachRow(c *chunk, do func(fields []field, sparse bool) error) error {
	var fields []field
	for at := 0; at < len(c.text); {
		var err error
		var sparse bool
		start := at
		if fields, sparse, at, err = t.rows.row(c, at, fields[:0]); err != nil {
			return err
		}
		if len(fields) == 0 && !sparse {
			continue
		}
		if !sparse && len(fields) != len(t.names) {
			return c.errorf(start, plural(len(fields), "field", "fields"), fmt.Sprint(len(t.names)))
		}
		if sparse {
			fields = t.complete(fields, start)
		}
		if err := do(fields, sparse); err != nil {
			return err
		}
	}
	return nil
}

// complete adds what a sparse row leaves out and zero does not stand for.
func (t *table) complete(fields []field, at int) []field {
	given := len(fields)
	next := 0
	for column, k := range t.kinds {
		if next < given && fields[next].column == column {
			next++
			continue
		}
		if k.kind == kindCategory || column == t.target || column == t.weight {
			fields = append(fields, field{column: column, at: at, text: k.omitted})
		}
	}
	if len(fields) > given {
		slices.SortFunc(fields, func(a, b field) int { return a.column - b.column })
	}
	return fields
}

// A survey is what the first step learns from one chunk.
type survey struct {
	c       *chunk
	rows    int
	labels  *labels
	weights []float64
	content []content // of each column
	fields  int       // of sparse rows

	untargeted int // rows without a target
	firstBare  int // offset of the first of them
}

// A content counts the fields of a column that are not missing, as long as it
// is open whether they are numbers.
type content struct {
	numbers, others int
	chunk           *chunk // of the first field that is text, nil: none
	at              int    // its offset
	text            []byte
}

// isText reports whether some field is text: the column is one of categories.
func (c *content) isText() bool { return c.chunk != nil }

func (c *content) add(in *chunk, f field) {
	_, status := f.number()
	if status == isNumber {
		c.numbers++
		return
	}
	c.others++
	if status == isText && c.chunk == nil {
		c.chunk, c.at, c.text = in, f.at, f.text
	}
}

// merge adds what a later chunk holds.
func (c *content) merge(d content) {
	if c.chunk == nil {
		c.chunk, c.at, c.text = d.chunk, d.at, d.text
	}
	c.numbers += d.numbers
	c.others += d.others
}

func (t *table) survey(c *chunk) (*survey, error) {
	s := &survey{c: c, labels: newLabels(0), content: make([]content, len(t.names))}
	err := t.eachRow(c, func(fields []field, sparse bool) error {
		s.rows++
		if sparse {
			s.fields += len(fields)
		}
		for _, f := range fields {
			if err := t.surveyField(c, f, s); err != nil {
				return err
			}
		}
		return nil
	})
	return s, err
}

func (t *table) surveyField(c *chunk, f field, s *survey) (err error) {
	switch {
	case f.column == t.target && f.missing && t.fixed: // a model may be asked for it
		if s.untargeted++; s.untargeted == 1 {
			s.firstBare = f.at
		}
		return nil
	case f.column == t.target && f.missing:
		return c.errorf(f.at, "no target", "one in each row")
	case f.column == t.target:
		if err := t.allowed(c, f); err != nil {
			return err
		}
		return s.labels.add(c, f.at, f.text)
	case f.column == t.weight && f.missing:
		return c.errorf(f.at, "no weight", "a positive number as weight")
	case f.column == t.weight:
		s.weights, err = appendWeight(s.weights, c, f.at, f.text)
		return err
	case f.missing || t.fixed || t.kinds[f.column].kind != kindUnknown:
		return nil
	}
	s.content[f.column].add(c, f)
	return nil
}

// allowed refuses a value that the declaration of its column does not list.
func (t *table) allowed(c *chunk, f field) error {
	k := t.kinds[f.column]
	if k.allowed != nil {
		if _, ok := k.allowed[string(f.text)]; !ok {
			return c.errorf(f.at, quote(f.text), fmt.Sprintf("a declared value of the attribute %q", t.names[f.column]))
		}
	}
	if f.column != t.target || k.kind != kindNumber {
		return nil
	}
	if _, status := parseFloat64(f.text); status != isNumber {
		return c.errorf(f.at, quote(f.text), "a finite number as target")
	}
	return nil
}

func (t *table) takeSurvey(s *survey) error {
	if s.rows == 0 {
		return nil
	}
	for column, content := range s.content {
		t.content[column].merge(content)
	}
	if s.untargeted > 0 && t.untargeted == 0 {
		t.firstBare = s.c.place(s.firstBare)
	}
	t.untargeted += s.untargeted
	if t.sparse += s.fields; t.sparse > maxOmitted && slices.ContainsFunc(t.kinds, func(k columnKind) bool { return k.kind == kindCategory }) {
		return fmt.Errorf("%s: found more than %d values in sparse rows with nominal attributes, expected dense rows", s.c.name, maxOmitted)
	}
	t.count += s.rows
	t.chunks = append(t.chunks, s.c)
	t.weights = append(t.weights, s.weights...)
	return t.targets.take(s.labels)
}

// dropTargets makes the target absent when rows lack it: the rest belong to no
// known rows.
func (t *table) dropTargets() {
	if t.untargeted == 0 {
		return
	}
	if t.untargeted < t.count {
		t.warnings = append(t.warnings, fmt.Errorf("%d of %d targets %s missing (first: %s): none is used",
			t.untargeted, t.count, are(t.untargeted), t.firstBare))
	}
	t.targets = newTargets()
}

// isMissing recognises the usual spellings of a missing value in CSV.
func isMissing(text []byte) bool {
	switch len(text) {
	case 0:
		return true
	case 1:
		return text[0] == '?'
	case 2:
		return bytes.EqualFold(text, []byte("na"))
	case 3:
		return bytes.EqualFold(text, []byte("n/a"))
	case 4:
		return bytes.EqualFold(text, []byte("null"))
	}
	return false
}
