package engine

import (
	"fmt"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/solver"
)

// streamRequest asks for a model of rows that are seen once, or that goes on with further ones.
type streamRequest struct {
	Data arrays  `json:"data"`
	Loss string  `json:"loss"`
	From *source `json:"from"` // a model to go on from; absent: these are the first rows
}

// stream learns rows, and answers with the model.
func (r *request) stream(q *streamRequest) (any, error) {
	set, err := q.Data.set(r.ctx, r.mapped)
	if err != nil {
		return nil, err
	}
	var s *fenchel.Stream
	if q.From == nil {
		s, err = fenchel.NewStream(fenchel.StreamSpec{Loss: q.Loss, Classes: q.Data.Labels})
	} else if m, failed := r.model(*q.From); failed != nil {
		return nil, failed
	} else {
		s, err = fenchel.ResumeStream(m, fenchel.StreamSpec{})
	}
	if err != nil {
		return nil, err
	}
	if set.Weight != nil {
		return nil, pose.DataError{Reason: fmt.Sprintf("found %d weights of rows, expected none: each row of a stream counts once", len(set.Weight))}
	}
	s.Feature = set.Feature
	if err := s.Learn(set.X, set.Target); err != nil {
		return nil, err
	}
	learned, err := s.Result(solver.EpochLimit)
	if err != nil {
		return nil, err
	}
	place, err := r.writeModel(learned.Model)
	return map[string]any{"model": place, "status": learned.Status, "unproved": learned.Unproved, "one_pass": result.OnePassOf(learned.Model)}, err
}
