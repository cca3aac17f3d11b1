package serve

import (
	"net/http"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/jsontext"
)

// predict answers rows that are JSON: one, or an array of them. Of a table a row is an object of its columns; else an array of
// all features, or an object of some. Outputs besides the usual ones are named in the query: ?with=score,explanation.
func (v *served) predict(work *work, text []byte, with string, most int) (reply, error) {
	out := reply{code: 200, kind: kindJSON, model: v}
	wants, err := v.with(with)
	if err != nil {
		return out, err
	}
	b := work.builder(&v.inputs)
	single, err := b.rowsOf(text, work.record, most)
	if err != nil {
		return out, err
	}
	a, err := v.answer(b.matrix(), wants)
	if err != nil {
		return out, err
	}
	into := work.out[:0]
	if !single {
		into = append(into, '[')
	}
	for i := range a.rows {
		if i > 0 {
			into = append(into, ',', '\n')
		}
		into = v.appendRow(into, a, i, wants)
	}
	if !single {
		into = append(into, ']')
	}
	if out.body, out.rows = append(into, '\n'), a.rows; cap(into) <= 1<<20 {
		work.out = out.body
	}
	return out, nil
}

// with returns the outputs of a query: the usual ones, and those that it names.
func (v *served) with(query string) ([]string, error) {
	if query == "" {
		return v.usual, nil
	}
	return v.wants("with", strings.Split(query, ","))
}

// rowsOf reads the rows of a body; single: one that is in no array.
func (b *builder) rowsOf(text []byte, record map[string]any, most int) (single bool, err error) {
	s := jsontext.New(text)
	if s.Kind() == jsontext.Object || b.in.schema == nil && isFlat(text) {
		single, err = true, b.readRow(s, record)
	} else {
		err = s.Array(func(i int) error {
			if i >= most {
				return checkRows(i+1, most)
			}
			return b.readRow(s, record)
		})
	}
	if err == nil {
		err = s.End()
	}
	return single, err
}

// isFlat reports whether a text is an array whose first value is no array or object: the features of one row.
func isFlat(text []byte) (flat bool) {
	s := jsontext.New(text)
	_ = s.Array(func(int) error { // an error ends it
		kind := s.Kind()
		flat = kind != jsontext.Array && kind != jsontext.Object
		return errFlat
	})
	return flat
}

var errFlat = refuse(http.StatusBadRequest, "the first value alone is read")

// appendRow appends the answer to one row.
func (v *served) appendRow(b []byte, a *answer, i int, wants []string) []byte {
	for n, name := range wants {
		b = append(b, "{,"[min(n, 1)])
		shape, number, text := v.result(a, name)
		if name == outPredict {
			if text != nil {
				b = appendQuoted(append(b, `"label":`...), text(i))
				continue
			}
			name = "number"
		}
		b = append(appendQuoted(b, name), ':')
		width := 1
		for _, n := range shape[1:] {
			width *= n
		}
		row := number[i*width : (i+1)*width]
		switch {
		case name == outProbability:
			b = appendNamed(b, row, func(c int) string { return v.model.Classes[c] })
		case name == outSet:
			b = appendLabels(b, v.inSet(row))
		case name == outExplanation:
			b = v.appendExplained(b, row)
		case len(shape) == 1 || name == outScore && width == 1:
			b = appendNumber(b, row[0])
		case name == "number":
			b = appendNamed(b, row, func(c int) string { return v.model.OutputName(c, " ") })
		default:
			b = append(appendData(append(b, '['), 0, row, nil), ']')
		}
	}
	return append(b, '}')
}

// inSet returns the labels of a set.
func (v *served) inSet(row []float64) (labels []string) {
	for c, in := range row {
		if in > 0 {
			labels = append(labels, v.model.Classes[c])
		}
	}
	return labels
}

// appendLabels appends labels as an array.
func appendLabels(b []byte, labels []string) []byte {
	b = append(b, '[')
	for i, label := range labels {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, label)
	}
	return append(b, ']')
}

// appendNamed appends numbers as an object.
func appendNamed(b []byte, row []float64, name func(i int) string) []byte {
	for i, x := range row {
		b = append(b, "{,"[min(i, 1)])
		b = append(appendQuoted(b, name(i)), ':')
		b = appendNumber(b, x)
	}
	return append(b, '}')
}

// appendExplained appends what columns add to a score, but those that add nothing: of several outputs an object of each.
func (v *served) appendExplained(b []byte, row []float64) []byte {
	k, width := len(v.model.Outputs), v.explained()+1
	for c := range k {
		if k > 1 {
			b = append(b, "{,"[min(c, 1)])
			b = append(appendQuoted(b, v.model.OutputName(c, " ")), ':')
		}
		part := row[c*width : (c+1)*width]
		b = append(b, `{"columns":{`...)
		some := false
		for i, x := range part[:width-1] {
			if x == 0 {
				continue
			}
			if some {
				b = append(b, ',')
			}
			some = true
			b = append(appendQuoted(b, v.explainedName(i)), ':')
			b = appendNumber(b, x)
		}
		b = append(appendNumber(append(b, `},"bias":`...), part[width-1]), '}')
	}
	if k > 1 {
		b = append(b, '}')
	}
	return b
}
