package engine

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// columnOptions say what columns of a table are, as the flags of these names do.
type columnOptions struct {
	Ignore      []string `json:"ignore"`
	Categorical []string `json:"categorical"`
	Numeric     []string `json:"numeric"`
	Text        []string `json:"text"`
	Missing     []string `json:"missing"`
	Dates       string   `json:"dates"`
	Ngrams      string   `json:"ngrams"`
	Words       string   `json:"words"`
	Hash        int      `json:"hash"`
	MinCount    int      `json:"min_count"`
	MaxShare    float64  `json:"max_share"`
	TermWeights string   `json:"term_weights"`
	Cross       []string `json:"cross"`
}

// options are those of a reader.
func (c columnOptions) options() (data.Options, error) {
	t := set.Terms{Columns: c.Text, By: c.Words, Bits: c.Hash, MinCount: cmp.Or(c.MinCount, 1), MaxShare: c.MaxShare, Weights: c.TermWeights, Crossed: c.Cross}
	if t.MaxShare == 1 {
		t.MaxShare = 0
	}
	if c.Ngrams != "" && !t.ReadNgrams(c.Ngrams) {
		return data.Options{}, fmt.Errorf("ngrams=%q: %s", c.Ngrams, set.NgramsExpected)
	}
	return data.Options{Ignore: c.Ignore, Categorical: c.Categorical, Numeric: c.Numeric, Spelling: data.Spelling{Missing: c.Missing, Dates: c.Dates, Terms: t}}, t.Check()
}

// table says where the rows of a table are: the text of a CSV with a line of names.
type table struct {
	columnOptions
	CSV    Place        `json:"csv"`
	Target string       `json:"target"` // the column of it
	Schema *data.Schema `json:"schema"` // makes the features; nil: they follow from the rows, or the schema of a model makes them
}

// read makes a set of the rows. With a schema the table has no target, and rows of no weight count.
func (t *table) read(ctx context.Context, r *region) (*data.Set, error) {
	text, err := numbers[byte](r, t.CSV)
	if err != nil {
		return nil, err
	}
	opt, err := t.options()
	if err != nil {
		return nil, err
	}
	if opt.Schema = t.Schema; t.Schema != nil {
		opt.Columns, opt.Unweighted = t.Schema.Width(), true
	}
	opt.Format, opt.Separator, opt.Header, opt.Target = "csv", ',', "yes", t.Target
	return data.ReadFrom(ctx, bytes.NewReader(text), "table", opt)
}
