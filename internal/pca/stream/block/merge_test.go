package block

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
)

// A merger takes in what another state of the same method has learned from other rows, as if it had
// seen those too: sketches can be merged, which their bound of the error is tested by.
type merger interface{ Merge(method.State) error }

// Merge learns the other's rows B.
func (s *frequentDirections) Merge(other method.State) error {
	o, err := sameMethod[*frequentDirections](other, s.cols)
	if err != nil {
		return err
	}
	for rows := o.h; len(rows) > 0; {
		n := min(len(rows), 2*s.l*s.cols-len(s.h))
		s.h = append(s.h, rows[:n]...)
		rows = rows[n:]
		s.shrink()
	}
	s.seen += o.seen
	s.lost += o.lost
	return nil
}

// Merge learns what the other has remembered.
func (s *history) Merge(other method.State) error {
	o, err := sameMethod[*history](other, s.cols)
	if err != nil {
		return err
	}
	s.h = append(s.h, o.h...)
	s.seen += o.seen
	s.rotate(s.memory)
	return nil
}

// sameMethod returns other as an S of the same number of features.
func sameMethod[S interface{ dims() int }](other method.State, cols int) (s S, err error) {
	s, ok := other.(S)
	if !ok {
		return s, fmt.Errorf("merge: found a state of another method")
	}
	if s.dims() != cols {
		return s, fmt.Errorf("merge: found a state of %d features, expected %d", s.dims(), cols)
	}
	return s, nil
}

func (s *sketch) dims() int { return s.cols }
