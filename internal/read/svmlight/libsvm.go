// Package svmlight reads and writes text that becomes sparse rows: LIBSVM (SVMlight) with its
// pairs index:value, and strings, of which each character is a column.
//
// It imports set, the rooms below it, and stream. Begin with [LIBSVM], then sparseRows: what
// gathers the chunks.
package svmlight

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// LIBSVM is the text format of LIBSVM and SVMlight: each line holds
//
//	label [qid:N] index:value index:value ... [# comment]
//
// with blanks or tabs between, indices increasing from 1 (from 0 if the
// options say so). Blank lines and comment lines are skipped, qid is checked
// and dropped, and so is a value that is exactly zero, though its index counts
// for the number of columns. A label may be any text without blanks.
type LIBSVM struct{}

var (
	_ set.Format = LIBSVM{}
	_ set.Writer = LIBSVM{}
)

func (LIBSVM) Extensions() []string { return []string{".svm", ".libsvm", ".txt"} }

func (LIBSVM) Takes() []string { return []string{"weights"} }

// Detect goes by the lines of the head that have features.
func (LIBSVM) Detect(name string, head []byte) set.Match {
	match := set.NoMatch
	switch {
	case bytes.IndexByte(head, 0) >= 0:
		return set.NoMatch
	case set.HasExtension(name, ".svm", ".libsvm"):
		match = set.MatchExtension
	}
	if cut := lines.LastLine(head); cut > 0 {
		head = head[:cut]
	}
	for line := range bytes.Lines(head) {
		words := bytes.Fields(line)
		if len(words) == 0 || words[0][0] == '#' {
			continue
		}
		features := 0
		for _, w := range words[1:] {
			if w[0] == '#' {
				break
			}
			if !looksLikeFeature(w) {
				return match
			}
			features++
		}
		if features > 0 || looksLikeFeature(words[0]) {
			return set.MatchContent
		}
		if _, status := decimal.Float64(words[0]); status == decimal.Number {
			match = max(match, set.MatchPossible) // a row without features, or another format
		}
	}
	return match
}

// looksLikeFeature accepts bad values too, so that reading can say where they
// are, but not the times of day that tables hold.
func looksLikeFeature(word []byte) bool {
	index, value, found := bytes.Cut(word, []byte{':'})
	if !found || len(index) == 0 || bytes.ContainsAny(value, ",;|:\"") {
		return false
	}
	_, err := strconv.ParseUint(string(index), 10, 64)
	return err == nil || string(index) == "qid"
}

func (LIBSVM) Read(ctx context.Context, in []*file.Input, opt *set.Options) (*set.Set, error) {
	s := lines.NewSplitter(in, opt.Chunk, lines.LastLine)
	s.Free = make(chan []byte, opt.Workers()+1)
	s.Pairs = countPairs
	p := &libsvmParser{arena: memory.NewArena(opt.Workers()), first: 1, columns: math.MaxUint32 + 1}
	defer p.arena.Close()
	numbered := opt.Precomputed && beginsWithZero(in[0])
	if opt.ZeroBased || numbered {
		p.first = 0
	}
	if opt.Columns > 0 {
		p.columns = uint64(opt.Columns)
	}
	p.measures = opt.Columns == 0 && !opt.Precomputed
	p.room = newRoom(in, p)
	all := sparseRows{room: p.room, targets: set.NewTargets()}
	if err := lines.Parse(ctx, s, opt.Workers(), p.parse, all.take); err != nil {
		return nil, err
	}
	if all.rows == 0 {
		return nil, fault.In(in[0].Name, "found no rows, expected at least one")
	}
	weights, err := set.ReadWeights(ctx, opt.Weights, opt, all.rows)
	if err != nil {
		return nil, err
	}
	x, err := all.matrix(ctx, opt)
	if err != nil {
		return nil, err
	}
	multiplied := &set.SparseRows{X: x, Small: all.small, Weight: weights}
	schema, said, rounding, err := set.Multiply([]*set.SparseRows{multiplied}, opt)
	if err != nil {
		return nil, fault.In(in[0].Name, "%w", err)
	}
	switch x = multiplied.X; {
	case numbered && opt.Least == 0:
		x.Cols = max(x.Cols, largestNumber(x)+1)
	case numbered: // numbers of rows to be compared mean nothing
		x.Cols = max(x.Cols, opt.Least)
	}
	lost, most := all.spreads.Lost(p.nameOf)
	rows := &set.Set{X: x, Target: all.targets.Target(), Weight: weights, ZeroBased: p.first == 0,
		Warnings: slices.Concat(all.unknown.Warnings(p.first), lost, said), Rounding: max(most, rounding)}
	return rows, scaling.Multiplied(rows, schema, opt)
}

// nameOf is how messages call a feature.
func (p *libsvmParser) nameOf(column uint32) string {
	return fmt.Sprintf("feature %d", uint64(column)+p.first)
}

// beginsWithZero reports whether the first feature of the first row has index 0.
func beginsWithZero(in *file.Input) bool {
	head, err := in.Head()
	if err != nil {
		return false // reading will say why
	}
	for line := range bytes.Lines(head) {
		if words := bytes.Fields(line); len(words) > 0 && words[0][0] != '#' {
			return len(words) > 1 && bytes.HasPrefix(words[1], []byte("0:"))
		}
	}
	return false
}

// largestNumber returns the largest value of the first column, as far as that
// can be the number of a row: the column of the row's own value, which is
// missing where it is zero.
func largestNumber(x *matrix.CSR) int {
	largest := float32(0)
	for i := range len(x.Start) - 1 {
		if row := x.Row(i); len(row.Index) > 0 && row.Index[0] == 0 {
			largest = max(largest, row.Value[0])
		}
	}
	return int(min(largest, 1<<24))
}

// Begin says that rows are lines.
func (LIBSVM) Begin([]byte, *set.Options) (header int, last func([]byte) int, ok bool) {
	return 0, lines.LastLine, true
}
