package table

import (
	"bytes"
	"slices"

	"github.com/fenchel-ml/fenchel/dataset/internal/file"
	"github.com/fenchel-ml/fenchel/dataset/internal/lines"
	"github.com/fenchel-ml/fenchel/dataset/set"
)

// Begin decides on the delimiter and the header, for all rows.
func (f CSV) Begin(pending []byte, opt *set.Options) (header int, last func([]byte) int, ok bool) {
	text := bytes.TrimPrefix(pending, []byte("\ufeff"))
	r := csvRows{f.delimiter}
	if namedDelimiter(text) != 0 || opt.Schema == nil { // later rows tell what the first is
		return 0, nil, false
	}
	if r.separator == 0 {
		if r.separator = findDelimiter(text); r.separator == 0 {
			r.separator = ','
		}
	}
	end, _ := r.ends(text)
	if end == 0 {
		return 0, nil, len(text) < file.HeadSize
	}
	opt.Separator = r.separator
	c := &lines.Chunk{Text: text[:end]}
	first, _, err := r.Row(c, 0, nil)
	if named := err == nil && isHeader(first, opt); !named {
		opt.Header = "no"
		return 0, r.last, err == nil
	}
	opt.Header = "yes"
	return end + len(pending) - len(text), r.last, true
}

// isHeader tells a header from a row without the rows below: by the names that the model
// knows, or a word in the place of one of its numbers.
func isHeader(first []field, opt *set.Options) bool {
	if opt.Header != "" {
		return opt.Header == "yes"
	}
	s := opt.Schema
	if s.Header && namesAll(first, s) {
		return true
	}
	for i, f := range first {
		if i < len(s.Columns) && i != s.Target && i != s.Weight && s.Columns[i].Kind == set.KindPlain && s.Columns[i].Category == nil &&
			!f.missing && !isNumeric(f.text) {
			return true
		}
	}
	return s.Header && allWords(first) && slices.ContainsFunc(s.Columns, func(c set.Column) bool {
		return slices.ContainsFunc(first, func(f field) bool { return isNamed(f, c.Name) })
	})
}
