package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// A Remote is a cluster whose places are reached by others: Map gives a request in bytes to places, nil: to all, and returns their
// replies in the order of the places. A place that has lost its memory, because its machine is gone, is told again what
// it was asked since the last checkpoint; then it is where the others are, with the same bits.
type Remote struct {
	Map func(ctx context.Context, request []byte, places []int) ([][]byte, error)

	places  int      // that there are, once they have answered
	run     string   // that has begun
	begun   []byte   // the request begin; nil: there was none
	history [][]byte // rounds since the checkpoint
	saved   [][]byte // memories of the places there; nil: there is none
}

// checkpointRounds is how many rounds are between two checkpoints.
const checkpointRounds = 10

// What a reply begins with.
const (
	replyAnswer = byte(iota)
	replyLost
	replyError
)

// Reply is a reply of a worker in bytes.
func Reply(answer []byte, err error) []byte {
	switch {
	case errors.Is(err, ErrLost):
		return []byte{replyLost}
	case err != nil:
		return append([]byte{replyError}, err.Error()...)
	}
	return append([]byte{replyAnswer}, answer...)
}

// Ask asks all places.
func (r *Remote) Ask(ctx context.Context, q *Request) ([]*Answer, error) {
	raw, err := encode(q)
	if err != nil {
		return nil, err
	}
	replies, err := r.certain(ctx, raw)
	if err != nil {
		return nil, err
	}
	answers := make([]*Answer, len(replies))
	for k, reply := range replies {
		answers[k] = &Answer{}
		if err := decode(reply[1:], answers[k]); err != nil {
			return nil, fmt.Errorf("place %d: %w", k+1, err)
		}
	}
	return answers, r.record(ctx, q, raw)
}

// certain asks all places, and again those that are lost.
func (r *Remote) certain(ctx context.Context, raw []byte) ([][]byte, error) {
	replies, err := r.reach(ctx, raw, nil)
	if err != nil {
		return nil, err
	}
	for range 3 {
		lost, err := lostOf(replies, nil)
		if err != nil || len(lost) == 0 {
			return replies, err
		}
		if err := r.replay(ctx, lost); err != nil {
			return nil, err
		}
		again, err := r.reach(ctx, raw, lost)
		if err != nil {
			return nil, err
		}
		for k, place := range lost {
			replies[place] = again[k]
		}
	}
	return nil, errors.New("places are lost again and again: found no executor that keeps its memory")
}

// reach is Map, whose replies are counted.
func (r *Remote) reach(ctx context.Context, raw []byte, places []int) ([][]byte, error) {
	replies, err := r.Map(ctx, raw, places)
	if err != nil {
		return nil, err
	}
	if r.places == 0 {
		r.places = len(replies)
	}
	expected := r.places
	if places != nil {
		expected = len(places)
	}
	if len(replies) != expected || expected == 0 || expected > set.Buckets {
		return nil, fmt.Errorf("found the replies of %d places, expected those of %d", len(replies), expected)
	}
	return replies, nil
}

// lostOf returns which places, nil: all, have lost their memory.
func lostOf(replies [][]byte, places []int) (lost []int, err error) {
	for k, reply := range replies {
		place := k
		if places != nil {
			place = places[k]
		}
		switch {
		case len(reply) == 0:
			return nil, fmt.Errorf("place %d: found an empty reply", place+1)
		case reply[0] == replyError:
			return nil, fmt.Errorf("place %d: %s", place+1, reply[1:])
		case reply[0] == replyLost:
			lost = append(lost, place)
		case reply[0] != replyAnswer:
			return nil, fmt.Errorf("place %d: found a reply of the kind %d, expected 0 to %d", place+1, reply[0], replyError)
		}
	}
	return lost, nil
}

// replay tells places what all were told since the checkpoint.
func (r *Remote) replay(ctx context.Context, lost []int) error {
	var told [][]byte
	if r.begun != nil {
		told = append(told, r.begun)
	}
	if r.saved != nil {
		resume := &Request{Verb: "resume", Run: r.run, Memory: map[int][]byte{}}
		for _, place := range lost {
			resume.Memory[place] = r.saved[place]
		}
		raw, err := encode(resume)
		if err != nil {
			return err
		}
		told = [][]byte{raw}
	}
	for _, raw := range append(told, r.history...) {
		replies, err := r.reach(ctx, raw, lost)
		if err != nil {
			return err
		}
		if _, err := lostOf(replies, lost); err != nil {
			return err
		}
	}
	return nil
}

// record keeps what places would have to be told again.
func (r *Remote) record(ctx context.Context, q *Request, raw []byte) error {
	switch q.Verb {
	case "begin":
		r.run, r.begun, r.history, r.saved = q.Run, raw, nil, nil
	case "round":
		r.history = append(r.history, raw)
		if len(r.history) == checkpointRounds {
			return r.checkpoint(ctx, q)
		}
	}
	return nil
}

// checkpoint asks for the memories.
func (r *Remote) checkpoint(ctx context.Context, last *Request) error {
	raw, err := encode(&Request{Verb: "memory", Run: last.Run, Round: last.Round})
	if err != nil {
		return err
	}
	replies, err := r.certain(ctx, raw)
	if err != nil {
		return err
	}
	saved := make([][]byte, len(replies))
	for k, reply := range replies {
		var a Answer
		if err := decode(reply[1:], &a); err != nil {
			return fmt.Errorf("place %d: %w", k+1, err)
		}
		saved[k] = slices.Clone(a.Memory)
	}
	r.saved, r.history = saved, r.history[:0]
	return nil
}
