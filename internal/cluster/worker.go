package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Rows are some of a bucket on their way to their partition.
type Rows struct {
	Cols   int
	Start  []int64 // nil: dense
	Index  []uint32
	Value  []float32
	Label  []string // of classes
	Code   []uint32
	Number []float64
	Weight []float64 // nil: all 1
}

// set makes rows that may come from anywhere a set.
func (r *Rows) set() (*data.Set, error) {
	s := &data.Set{Weight: r.Weight, Target: data.Target{Number: r.Number}}
	if r.Code != nil {
		s.Target = data.Labels(r.Label)
		if byLabel := s.Target.Number; len(s.Target.Label) != len(r.Label) {
			return nil, errors.New("found labels of which several are the same, expected each once")
		} else if s.Target.Number = nil; byLabel != nil {
			for _, c := range r.Code { // labels that are numbers are numbers, as in a file
				if int(c) < len(byLabel) {
					s.Target.Number = append(s.Target.Number, byLabel[c])
				}
			}
		}
		s.Target.Code = r.Code
	}
	if r.Cols < 1 || r.Cols > mostFeatures {
		return nil, fmt.Errorf("found rows of %d features, expected 1 to %d", r.Cols, mostFeatures)
	}
	if r.Start != nil {
		s.X = &matrix.CSR{Cols: r.Cols, Start: r.Start, Index: r.Index, Value: r.Value}
	} else {
		s.X = &matrix.Dense{Rows: len(r.Value) / r.Cols, Cols: r.Cols, Value: r.Value}
	}
	return s, s.Check()
}

// A Blob is the rows of a set that are of one bucket.
type Blob struct {
	Bucket, Rows int
	Nonzeros     int64
	Data         []byte
}

// Split deals the rows of a set to buckets by their digests, so that a row goes to the same one wherever it comes from.
func Split(s *data.Set, threads int) ([]Blob, error) {
	if _, d := s.X.Dims(); d > mostFeatures {
		return nil, fmt.Errorf("found rows of %d features, expected at most %d", d, mostFeatures)
	}
	digests := s.RowDigests(threads)
	of := make([][]int, set.Buckets)
	for i, d := range digests {
		of[d.Bucket()] = append(of[d.Bucket()], i)
	}
	var blobs []Blob
	for b, rows := range of {
		if len(rows) == 0 {
			continue
		}
		part, err := s.Subset(rows)
		if err != nil {
			return nil, err
		}
		r := Rows{Label: part.Target.Label, Code: part.Target.Code, Weight: part.Weight}
		if part.Target.Code == nil {
			r.Number = part.Target.Number
		}
		switch x := part.X.(type) {
		case *matrix.CSR:
			r.Cols, r.Start, r.Index, r.Value = x.Cols, x.Start, x.Index, x.Value
		case *matrix.Dense:
			r.Cols, r.Value = x.Cols, x.Value
		}
		raw, err := encode(r)
		if err != nil {
			return nil, err
		}
		blobs = append(blobs, Blob{b, len(rows), matrix.Nonzeros(part.X), raw})
	}
	return blobs, nil
}

// digest names all rows.
func (s *Summary) digest() string {
	buckets := make([]set.RowDigest, set.Buckets)
	for b := range buckets {
		if copy(buckets[b][:], s.Buckets[b]) == 0 {
			buckets[b] = set.BucketDigest(nil)
		}
	}
	return set.SortedDigest(s.Rows, s.Cols, buckets)
}

// Gather puts the rows of blobs together, in the order of their digests.
func Gather(blobs [][]byte, threads int) (*data.Set, []set.RowDigest, error) {
	var all []*data.Set
	for _, raw := range blobs {
		var r Rows
		if err := decode(raw, &r); err != nil {
			return nil, nil, err
		}
		s, err := r.set()
		if err != nil {
			return nil, nil, err
		}
		all = append(all, s)
	}
	whole, err := set.Concatenate(all)
	if err != nil {
		return nil, nil, err
	}
	digests := whole.RowDigests(threads)
	order := make([]int, len(digests))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return bytes.Compare(digests[i][:], digests[j][:]) })
	sorted := make([]set.RowDigest, len(digests))
	for k, i := range order {
		sorted[k] = digests[i]
	}
	whole, err = whole.Subset(order)
	return whole, sorted, err
}

// A Worker keeps partitions, in a folder and in memory.
type Worker struct {
	folder     string
	threads    int
	partitions map[int]*Partition
}

// NewWorker keeps partitions in a folder.
func NewWorker(folder string, threads int) *Worker {
	return &Worker{folder: folder, threads: threads, partitions: map[int]*Partition{}}
}

// ErrLost says that a partition has no rows here, or does not remember what a request goes on with: it is to be loaded
// again, and asked all that it was asked.
var ErrLost = errors.New("lost")

func (w *Worker) rowsFile(partition int) string {
	return filepath.Join(w.folder, fmt.Sprintf("partition-%d.fen", partition))
}

func (w *Worker) memoryFile(partition, round int) string {
	return filepath.Join(w.folder, fmt.Sprintf("partition-%d.round-%d", partition, round))
}

// checkPartition refuses numbers of partitions that no cluster has.
func checkPartition(number int) error {
	if number < 0 || number >= set.Buckets {
		return fmt.Errorf("found the partition %d, expected one from 0 to %d", number, set.Buckets-1)
	}
	return nil
}

// Load makes a partition of the rows of blobs.
func (w *Worker) Load(ctx context.Context, partition int, blobs [][]byte) error {
	if err := checkPartition(partition); err != nil {
		return err
	}
	s, digests, err := Gather(blobs, w.threads)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(w.folder, 0o700); err != nil {
		return err
	}
	if err := data.Write(ctx, w.rowsFile(partition), s, "fen"); err != nil { // by a temporary name
		return err
	}
	w.partitions[partition] = &Partition{set: s, number: partition, threads: w.threads, digests: digests}
	return nil
}

// Ask has a partition answer an encoded request.
func (w *Worker) Ask(ctx context.Context, partition int, raw []byte) ([]byte, error) {
	var q Request
	if err := cmp.Or(checkPartition(partition), decode(raw, &q)); err != nil {
		return nil, err
	}
	p, err := w.partition(ctx, partition)
	if err != nil {
		return nil, err
	}
	if err := w.recall(p, &q); err != nil {
		return nil, err
	}
	a, err := p.Answer(&q)
	if err != nil {
		return nil, err
	}
	if err := w.remember(p, &q); err != nil {
		return nil, err
	}
	return encode(a)
}

// partition returns a partition, from its file if need be. A damaged one counts as lost.
func (w *Worker) partition(ctx context.Context, number int) (*Partition, error) {
	if p := w.partitions[number]; p != nil {
		return p, nil
	}
	s, err := data.Read(ctx, []string{w.rowsFile(number)}, data.Options{Threads: w.threads})
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		_ = os.Remove(w.rowsFile(number)) // absent, mostly; else whoever brings rows sees that they are needed again
		return nil, ErrLost
	}
	p := &Partition{set: s, number: number, threads: w.threads, digests: s.RowDigests(w.threads)}
	w.partitions[number] = p
	return p, nil
}

// recall sees to it that the partition remembers what a request goes on with.
func (w *Worker) recall(p *Partition, q *Request) error {
	need := q.Round
	if lookups[q.Verb] != nil {
		return nil
	}
	switch q.Verb {
	case "describe", "scores", "begin", "resume":
		return nil
	case "round":
		need--
	}
	if p.draft != nil && p.draft.Run == q.Run && (p.round == need || q.Verb == "round" && p.round == q.Round) {
		return nil
	}
	raw, err := os.ReadFile(w.memoryFile(p.number, need))
	if err != nil || len(raw) < crc32.Size || binary.LittleEndian.Uint32(raw) != checksum(raw[crc32.Size:]) {
		return ErrLost
	}
	if err := p.resume(raw[crc32.Size:], q.Run); err != nil || p.round != need {
		return ErrLost
	}
	return nil
}

// checksum finds accidents in files.
func checksum(raw []byte) uint32 { return crc32.Checksum(raw, crc32.MakeTable(crc32.Castagnoli)) }

// remember writes what the partition knows after a request that changed it, and forgets what is two rounds old.
func (w *Worker) remember(p *Partition, q *Request) error {
	if q.Verb != "begin" && q.Verb != "round" && q.Verb != "resume" {
		return nil
	}
	raw, err := p.memory()
	if err != nil {
		return err
	}
	path := w.memoryFile(p.number, p.round)
	if err := os.MkdirAll(w.folder, 0o700); err != nil {
		return err
	}
	file, err := os.CreateTemp(w.folder, filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	_, err = file.Write(append(binary.LittleEndian.AppendUint32(nil, checksum(raw)), raw...))
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	if p.round > 1 {
		_ = os.Remove(w.memoryFile(p.number, p.round-2)) // absent: another process was sooner
	}
	return nil
}
