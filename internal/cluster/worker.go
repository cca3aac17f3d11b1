package cluster

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// Rows are some of a bucket on their way to their place.
type Rows struct {
	Cols   int
	Start  []int64 // nil: dense
	Index  []byte  // of four each, the first the lowest: as numbers they would take most of the time of loading
	Value  []byte
	Label  []string // of classes
	Code   []uint32
	Number []float64
	Weight []float64 // nil: all 1
	Digest []set.RowDigest
}

// A Blob is the rows of a set that are of one bucket.
type Blob struct {
	Bucket, Rows int
	Nonzeros     int64
	Data         []byte
}

// Split deals the rows of a set to buckets by their digests, so that a row goes to the same one wherever it comes from.
func Split(s *data.Set, threads int) ([]Blob, error) {
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
			r.Cols, r.Start, r.Index, r.Value = x.Cols, x.Start, packed(x.Index), packed(x.Value)
		case *matrix.Dense:
			r.Cols, r.Value = x.Cols, packed(x.Value)
		}
		for _, i := range rows {
			r.Digest = append(r.Digest, digests[i])
		}
		raw, err := encode(r)
		if err != nil {
			return nil, err
		}
		blobs = append(blobs, Blob{b, len(rows), matrix.Nonzeros(part.X), raw})
	}
	return blobs, nil
}

// packed returns numbers as bytes.
func packed[T uint32 | float32](numbers []T) []byte {
	raw, err := binary.Append(nil, binary.LittleEndian, numbers)
	if err != nil {
		panic(err) // numbers of four bytes have an encoding
	}
	return raw
}

// unpacked returns the numbers again.
func unpacked[T uint32 | float32](raw []byte) []T {
	numbers := make([]T, len(raw)/4)
	if _, err := binary.Decode(raw, binary.LittleEndian, numbers); err != nil {
		panic(err)
	}
	return numbers
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
func Gather(blobs [][]byte) (*data.Set, []set.RowDigest, error) {
	var all []*data.Set
	var digests []set.RowDigest
	for _, raw := range blobs {
		var r Rows
		if err := decode(raw, &r); err != nil {
			return nil, nil, err
		}
		s := &data.Set{Weight: r.Weight, Target: data.Target{Number: r.Number}}
		if r.Code != nil {
			s.Target = data.Labels(r.Label)
			byLabel := s.Target.Number
			s.Target.Code, s.Target.Number = r.Code, nil
			for _, c := range r.Code { // labels that are numbers are numbers, as in a file
				if byLabel != nil && int(c) < len(byLabel) {
					s.Target.Number = append(s.Target.Number, byLabel[c])
				}
			}
		}
		if r.Start != nil {
			s.X = &matrix.CSR{Cols: r.Cols, Start: r.Start, Index: unpacked[uint32](r.Index), Value: unpacked[float32](r.Value)}
		} else {
			s.X = &matrix.Dense{Rows: len(r.Value) / 4 / max(r.Cols, 1), Cols: r.Cols, Value: unpacked[float32](r.Value)}
		}
		all, digests = append(all, s), append(digests, r.Digest...)
	}
	whole, err := set.Concatenate(all)
	if err != nil {
		return nil, nil, err
	}
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

// A Worker keeps places, in a folder and in memory.
type Worker struct {
	folder  string
	threads int
	places  map[int]*Place
}

// NewWorker keeps places in a folder.
func NewWorker(folder string, threads int) *Worker {
	return &Worker{folder: folder, threads: threads, places: map[int]*Place{}}
}

// ErrLost says that a place has no rows here, or does not remember what a request goes on with: it is to be loaded
// again, and asked all that it was asked.
var ErrLost = errors.New("lost")

func (w *Worker) rowsFile(place int) string {
	return filepath.Join(w.folder, fmt.Sprintf("place-%d.fen", place))
}

func (w *Worker) memoryFile(place, round int) string {
	return filepath.Join(w.folder, fmt.Sprintf("place-%d.round-%d", place, round))
}

// Load makes a place of the rows of blobs.
func (w *Worker) Load(ctx context.Context, place int, blobs [][]byte) error {
	s, digests, err := Gather(blobs)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(w.folder, 0o700); err != nil {
		return err
	}
	if err := data.Write(ctx, w.rowsFile(place), s, "fen"); err != nil { // by a temporary name
		return err
	}
	w.places[place] = &Place{set: s, number: place, threads: w.threads, digests: digests}
	return nil
}

// Ask has a place answer an encoded request.
func (w *Worker) Ask(ctx context.Context, place int, raw []byte) ([]byte, error) {
	var q Request
	if err := decode(raw, &q); err != nil {
		return nil, err
	}
	p, err := w.place(ctx, place)
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

// place returns a place, from its file if need be.
func (w *Worker) place(ctx context.Context, number int) (*Place, error) {
	if p := w.places[number]; p != nil {
		return p, nil
	}
	s, err := data.Read(ctx, []string{w.rowsFile(number)}, data.Options{Threads: w.threads})
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrLost
	}
	if err != nil {
		return nil, err
	}
	p := &Place{set: s, number: number, threads: w.threads, digests: s.RowDigests(w.threads)}
	w.places[number] = p
	return p, nil
}

// recall sees to it that the place remembers what a request goes on with.
func (w *Worker) recall(p *Place, q *Request) error {
	need := q.Round
	switch q.Verb {
	case "describe", "begin", "resume":
		return nil
	case "round":
		if p.draft != nil && p.round == q.Round {
			return nil // answered before
		}
		need--
	}
	if p.draft != nil && p.round == need && p.draft.Run == q.Run {
		return nil
	}
	raw, err := os.ReadFile(w.memoryFile(p.number, need))
	if errors.Is(err, os.ErrNotExist) {
		return ErrLost
	}
	if err != nil {
		return err
	}
	if err := p.resume(raw); err != nil || p.draft.Run != q.Run {
		return ErrLost
	}
	return nil
}

// remember writes what the place knows after a request that changed it, and forgets what is two rounds old.
func (w *Worker) remember(p *Place, q *Request) error {
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
	_, err = file.Write(raw)
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

// encode makes bytes of requests and answers.
func encode(x any) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(x)
	return b.Bytes(), err
}

func decode(raw []byte, x any) error { return gob.NewDecoder(bytes.NewReader(raw)).Decode(x) }
