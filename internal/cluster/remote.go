package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// A Remote is a cluster whose partitions are reached by others: Map gives a request in bytes to partitions, nil: to all, and returns their
// replies in the order of the partitions. A partition that has lost its memory, because its machine is gone, is told again what
// it was asked since the last checkpoint; then it is where the others are, with the same bits.
type Remote struct {
	Map func(ctx context.Context, request []byte, partitions []int) ([][]byte, error)

	partitions int      // that there are, once they have answered
	run        string   // that has begun
	begun      []byte   // the request begin; nil: there was none
	history    [][]byte // rounds since the checkpoint
	saved      [][]byte // memories of the partitions there; nil: there is none
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

// Ask asks all partitions.
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
			return nil, fmt.Errorf("partition %d: %w", k+1, err)
		}
	}
	return answers, r.record(ctx, q, raw)
}

// certain asks all partitions, and again those that are lost.
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
		for k, partition := range lost {
			replies[partition] = again[k]
		}
	}
	return nil, errors.New("partitions are lost again and again: found no executor that keeps its memory")
}

// reach is Map, whose replies are counted.
func (r *Remote) reach(ctx context.Context, raw []byte, partitions []int) ([][]byte, error) {
	replies, err := r.Map(ctx, raw, partitions)
	if err != nil {
		return nil, err
	}
	if r.partitions == 0 {
		r.partitions = len(replies)
	}
	expected := r.partitions
	if partitions != nil {
		expected = len(partitions)
	}
	if len(replies) != expected || expected == 0 || expected > set.Buckets {
		return nil, fmt.Errorf("found the replies of %d partitions, expected those of %d", len(replies), expected)
	}
	return replies, nil
}

// lostOf returns which partitions, nil: all, have lost their memory.
func lostOf(replies [][]byte, partitions []int) (lost []int, err error) {
	for k, reply := range replies {
		partition := k
		if partitions != nil {
			partition = partitions[k]
		}
		switch {
		case len(reply) == 0:
			return nil, fmt.Errorf("partition %d: found an empty reply", partition+1)
		case reply[0] == replyError:
			return nil, fmt.Errorf("partition %d: %s", partition+1, reply[1:])
		case reply[0] == replyLost:
			lost = append(lost, partition)
		case reply[0] != replyAnswer:
			return nil, fmt.Errorf("partition %d: found a reply of the kind %d, expected 0 to %d", partition+1, reply[0], replyError)
		}
	}
	return lost, nil
}

// replay tells partitions what all were told since the checkpoint.
func (r *Remote) replay(ctx context.Context, lost []int) error {
	var told [][]byte
	if r.begun != nil {
		told = append(told, r.begun)
	}
	if r.saved != nil {
		resume := &Request{Verb: "resume", Run: r.run, Memory: map[int][]byte{}}
		for _, partition := range lost {
			resume.Memory[partition] = r.saved[partition]
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

// record keeps what partitions would have to be told again.
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
			return fmt.Errorf("partition %d: %w", k+1, err)
		}
		saved[k] = slices.Clone(a.Memory)
	}
	r.saved, r.history = saved, r.history[:0]
	return nil
}
