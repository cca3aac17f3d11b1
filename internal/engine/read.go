package engine

import (
	"github.com/fenchel-ml/fenchel/data"
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
	Missing        []string `json:"missing"`
	Dates          string   `json:"dates"`
	SkipUnlabelled bool     `json:"skip_unlabelled"`

	Columns int `json:"features"`
	Threads int `json:"threads"`
}) (any, error) {
	opt := data.Options{Target: q.Target, Weights: q.Weights, Labels: q.Labels, Ignore: q.Ignore, Columns: q.Columns, Threads: q.Threads,
		Categorical: q.Categorical, Numeric: q.Numeric, Spelling: data.Spelling{Missing: q.Missing, Dates: q.Dates}, SkipUnlabelled: q.SkipUnlabelled, Unmoved: q.Columns > 0}
	set, err := data.Read(r.ctx, q.Sources, opt)
	if err != nil {
		return nil, err
	}
	defer set.Close()
	answer := map[string]any{"names": set.Feature, "labels": nil, "warnings": texts(set.Warnings), "offsets": set.Schema.Offsets(), "factors": set.Schema.Factors()}
	if answer["x"], err = r.putRows(set.X); err != nil {
		return nil, err
	}
	if set.Weight != nil {
		if answer["weights"], err = put(r.mapped, set.Weight); err != nil {
			return nil, err
		}
	}
	if t := set.Target; t.Number != nil {
		answer["numbers"], err = put(r.mapped, t.Number)
	} else if t.Code != nil {
		answer["labels"] = t.Label
		answer["codes"], err = put(r.mapped, t.Code)
	}
	return answer, err
}
