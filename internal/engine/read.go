package engine

import (
	"cmp"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
)

// read reads files as every verb of the command does, and puts what is in them into the
// memory.
func (r *request) read(q *struct {
	columnOptions
	Sources        []string `json:"sources"`
	Target         string   `json:"target"`
	Weights        string   `json:"weights"`
	Labels         string   `json:"labels"`
	SkipUnlabelled bool     `json:"skip_unlabelled"`
	Columns        int      `json:"features"`
	Threads        int      `json:"threads"`
	Schema         bool     `json:"schema"` // is wanted
	Model          *source  `json:"model"`  // of which the features are to be; nil: they follow from the rows
}) (any, error) {
	opt, err := q.options()
	if err != nil {
		return nil, err
	}
	opt.Target, opt.Weights, opt.Labels, opt.SkipUnlabelled, opt.Columns, opt.Unmoved, opt.Threads = q.Target, q.Weights, q.Labels, q.SkipUnlabelled, q.Columns, q.Columns > 0, q.Threads
	if q.Model != nil {
		m, err := r.model(*q.Model)
		if err != nil {
			return nil, err
		}
		pose.ReadAs(&opt, m)
	}
	rows, err := data.Read(r.ctx, q.Sources, opt)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	schema := cmp.Or(rows.Schema, opt.Schema) // rows of an array have none, and are moved as those of the model were
	answer := map[string]any{"names": rows.Feature, "labels": nil, "warnings": texts(rows.Warnings), "offsets": schema.Offsets(), "factors": schema.Factors()}
	if q.Schema {
		answer["schema"] = rows.Schema
	}
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
