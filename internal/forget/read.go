// Package forget makes the model of rows without some that it was trained on, begun from that model.
// [Read] reads the rows and those that are left, [Spec] states the problem again.
//
// It imports package fenchel and those that it is made of.
package forget

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/model"
)

// Rows are the rows of a model, all and those that are left.
type Rows struct {
	All, Left *data.Set
	Kept      []int // the rows of All that are left, from 0, increasing
}

// Numbers reads the numbers of rows, from 1, one a line, and returns them from 0, increasing.
func Numbers(r io.Reader, name string) (numbers []int, err error) {
	line := 0
	for s := bufio.NewScanner(r); ; {
		if !s.Scan() {
			err = s.Err()
			break
		}
		line++
		text := strings.TrimSpace(s.Text())
		if text == "" {
			continue
		}
		n, bad := strconv.Atoi(text)
		if bad != nil || n < 1 {
			return nil, fault.At(name, line, 0, "found %q, expected the number of a row, from 1", text)
		}
		numbers = append(numbers, n-1)
	}
	if err == nil && len(numbers) == 0 {
		err = errors.New("found no numbers of rows, expected one a line")
	}
	slices.Sort(numbers)
	for k := 1; k < len(numbers) && err == nil; k++ {
		if numbers[k] == numbers[k-1] {
			err = fmt.Errorf("found the row %d twice, expected it once", numbers[k]+1)
		}
	}
	if err != nil {
		return nil, fault.In(name, "%w", err)
	}
	return numbers, nil
}

// Read reads the rows that a model was trained on, and those that are left without the rows of these numbers, from 0 and
// increasing, which are in a file of the name numbers. Text is read again without their lines: types of columns, categories, means and the number of features
// are those of the file that is left, to the last bit. Of other formats the rows that are left are those of arrays, to which
// nothing is fitted.
func Read(ctx context.Context, source string, without []int, numbers string, opt data.Options, m *model.Model) (*Rows, error) {
	all, err := data.Read(ctx, []string{source}, opt)
	if err != nil {
		return nil, err
	}
	if pose.InPrecision(m.Data, all) == nil {
		return nil, fault.In(source, pose.LessPrecise)
	}
	if digest := all.Digest(); digest != m.Data.Digest {
		return nil, fault.In(source, "found rows with the digest %s, the model was trained on %s: expected its rows, read by the same options", digest, m.Data.Digest)
	}
	n := all.Rows()
	if last := without[len(without)-1]; last >= n {
		return nil, fault.In(numbers, "found the number %d of a row, expected numbers from 1 to %d", last+1, n)
	}
	if len(without) == n {
		return nil, fault.In(numbers, "found the numbers of all rows, expected some to be left")
	}
	r := &Rows{All: all}
	for i := range n {
		if _, gone := slices.BinarySearch(without, i); !gone {
			r.Kept = append(r.Kept, i)
		}
	}
	text, err := textOf(ctx, source, opt)
	switch {
	case err != nil:
		return nil, err
	case text != nil:
		r.Left, err = readLeft(ctx, source, text, r, opt)
	case all.Schema != nil || m.Schema != nil:
		err = fault.In(source, "found a table that is no file of text, or of which features are fitted to the rows, expected CSV, TSV or lines of JSON")
	default:
		r.Left, err = all.Subset(r.Kept)
	}
	return r, err
}

// textOf returns the text that a source is, not compressed; nil: it is none.
func textOf(ctx context.Context, source string, opt data.Options) ([]byte, error) {
	if strings.HasPrefix(source, "@") {
		return nil, nil
	}
	in, err := opt.System().Open(ctx, source)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if head, err := in.Head(); err != nil || bytes.IndexByte(head, 0) >= 0 {
		return nil, err
	}
	return io.ReadAll(in.Reader())
}

// readLeft reads the text without the rows that are not kept. Rows are told by their targets to be those that are meant.
func readLeft(ctx context.Context, source string, text []byte, r *Rows, opt data.Options) (*data.Set, error) {
	if opt.Labels != "" || opt.Weights != "" && r.All.Schema == nil {
		return nil, fault.In(source, "found rows of text with labels or weights in another file, expected them in one, such as fenchel convert writes")
	}
	records, numbers := recordsOf(text, r.All)
	if records == nil {
		return nil, fault.In(source, "found %s in lines of text that are not as many, expected a row in each and nothing else but names of columns above", fault.Plural(r.All.Rows(), "row", "rows"))
	}
	var left []byte
	for k, record := range records {
		if _, kept := slices.BinarySearch(r.Kept, numbers[k]); kept || numbers[k] < 0 {
			left = append(left, record...)
		}
	}
	set, err := data.ReadFrom(ctx, bytes.NewReader(left), source, opt)
	if err != nil {
		return nil, fmt.Errorf("the rows that are left: %w", err)
	}
	same := set.Rows() == len(r.Kept)
	for k := 0; same && k < len(r.Kept); k++ {
		same = label(set.Target, k) == label(r.All.Target, r.Kept[k])
	}
	if !same {
		return nil, fault.In(source, "found other targets in the lines that are left than in the rows, expected a row in each line")
	}
	return set, nil
}

// label spells the target of a row, a number by its value.
func label(t data.Target, row int) string {
	switch {
	case t.Number != nil:
		return strconv.FormatFloat(t.Number[row], 'g', -1, 64)
	case t.Code == nil:
		return ""
	}
	text := t.Label[t.Code[row]]
	if x, err := strconv.ParseFloat(text, 64); err == nil { // one of labels of which others are texts
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return text
}

// recordsOf takes text apart into records, of which each is the row of a number or, -1, none: lines, or where quotes go beyond
// these, what is between line breaks outside of them. nil: there are not as many rows as the set has.
func recordsOf(text []byte, s *data.Set) (records [][]byte, numbers []int) {
	for _, quotes := range []bool{false, true} {
		for _, comments := range []bool{false, true} {
			records, numbers = nil, nil
			row, header := 0, s.Schema != nil && s.Schema.Header && !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) // whose keys are names
			for rest := text; len(rest) > 0; {
				end := endOf(rest, quotes)
				record, number := rest[:end], -1
				switch content := bytes.TrimSpace(record); {
				case len(content) == 0 || comments && content[0] == '#':
				case header:
					header = false
				default:
					number, row = row, row+1
				}
				records, numbers, rest = append(records, record), append(numbers, number), rest[end:]
			}
			if row == s.Rows() {
				return records, numbers
			}
		}
	}
	return nil, nil
}

// endOf returns where the first record of text ends, behind its line break. Quotes, where they count, open a field where one
// begins, and close it where none follows.
func endOf(text []byte, quotes bool) int {
	inside, begins := false, true
	for i, b := range text {
		switch {
		case b == '"' && quotes && (inside || begins):
			inside, begins = !inside, true // a doubled quote opens it again
		case inside:
		case b == '\n':
			return i + 1
		case b != ' ' && b != '\r':
			begins = b == ',' || b == ';' || b == '\t' || b == '|'
		}
	}
	return len(text)
}
