package engine

import (
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// read reads files as every verb of the command does, and puts what is in them into the
// memory.
func (r *request) read(q *struct {
	Sources []string `json:"sources"`
	Target  string   `json:"target"`
	Weights string   `json:"weights"`
	Labels  string   `json:"labels"`
	Ignore  []string `json:"ignore"`

	Categorical    []string `json:"categorical"`
	Numeric        []string `json:"numeric"`
	Text           []string `json:"text"`
	Missing        []string `json:"missing"`
	Dates          string   `json:"dates"`
	SkipUnlabelled bool     `json:"skip_unlabelled"`

	Columns int `json:"features"`
	Threads int `json:"threads"`
}) (any, error) {
	opt := data.Options{Target: q.Target, Weights: q.Weights, Labels: q.Labels, Ignore: q.Ignore, Columns: q.Columns, Threads: q.Threads,
		Categorical: q.Categorical, Numeric: q.Numeric, Spelling: data.Spelling{Missing: q.Missing, Dates: q.Dates, Terms: set.Terms{Columns: q.Text}}, SkipUnlabelled: q.SkipUnlabelled, Unmoved: q.Columns > 0}
	rows, err := data.Read(r.ctx, q.Sources, opt)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	answer := map[string]any{"names": rows.Feature, "labels": nil, "warnings": texts(rows.Warnings), "offsets": rows.Schema.Offsets(), "factors": rows.Schema.Factors()}
	if answer["x"], err = r.putRows(rows.X); err != nil {
		return nil, err
	}
	if rows.Weight != nil {
		if answer["weights"], err = put(r.mapped, rows.Weight); err != nil {
			return nil, err
		}
	}
	if t := rows.Target; t.Number != nil {
		answer["numbers"], err = put(r.mapped, t.Number)
	} else if t.Code != nil {
		answer["labels"] = t.Label
		answer["codes"], err = put(r.mapped, t.Code)
	}
	return answer, err
}
