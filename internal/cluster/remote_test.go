package cluster

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	rows "github.com/fenchel-ml/fenchel/internal/read/set"
)

// workers are processes that keep partitions in folders of their own, of which a few lose everything now and then.
type workers struct {
	t      testing.TB
	folder string
	blobs  [][][]byte // of each partition
	of     []*Worker  // of each partition
	lose   func(ask int) (partition int, folder bool)
	asked  int
}

func (w *workers) ask(ctx context.Context, raw []byte, partitions []int) ([][]byte, error) {
	w.asked++
	if partitions == nil {
		for k := range w.blobs {
			partitions = append(partitions, k)
		}
		if lost, folder := w.lose(w.asked); lost >= 0 { // another process, with or without the folder of the one before
			if w.of[lost] = NewWorker(filepath.Join(w.folder, "again"), 1); folder {
				if err := os.RemoveAll(w.folder); err != nil {
					return nil, err
				}
			}
		}
	}
	var replies [][]byte
	for _, k := range partitions {
		answer, err := w.of[k].Ask(ctx, k, raw)
		if err == ErrLost {
			if _, there := os.Stat(w.of[k].rowsFile(k)); there != nil {
				if err := w.of[k].Load(ctx, k, w.blobs[k]); err != nil {
					return nil, err
				}
				answer, err = w.of[k].Ask(ctx, k, raw)
			}
		}
		replies = append(replies, Reply(answer, err))
	}
	return replies, nil
}

// A run that is interrupted, while some partitions have made the next round already, returns what is proved of the rounds that all have made.
func TestInterrupted(t *testing.T) {
	for _, c := range []struct {
		rows, loss string
		gaps       map[int]float64 // proved at least, after so many rounds
	}{
		{"@text:n=1500,d=3000", "hinge", map[int]float64{1: 2, 20: 0.05}},
		{"@text:n=1500,d=3000", "squared-hinge", map[int]float64{1: 2, mostAscents: 0.02, mostAscents + 3: 0.02}},
		{"@text:n=1500,d=500", "squared-hinge", map[int]float64{1: 2, 4: 1e-2}},
	} {
		for rounds, want := range c.gaps {
			ctx, cancel := context.WithCancel(context.Background())
			found, err := Train(ctx, &Remote{Map: endingAfter(rounds, cancel, threePartitions(t, c.rows))}, Spec{Loss: c.loss, Penalty: "l2", Bias: "free", Gap: 1e-9, Run: "test", Duals: true})
			cancel()
			if err != nil {
				t.Fatal(err)
			}
			gap := found.Output[0].Certificate.Relative()
			if found.Status != "interrupted" || found.Rounds != rounds || !(gap < want) {
				t.Errorf("%v, interrupted after %d rounds: found the status %s, %d rounds and the gap %g, expected less than %g", c, rounds, found.Status, found.Rounds, gap, want)
			}
		}
	}
}

// fourPartitions has the rows in four partitions, which got so many at a time in an order, and lose what lose says.
func fourPartitions(t *testing.T, set *data.Set, order []int, size int, lose func(ask int) (int, bool)) *workers {
	const partitions = 4
	w := &workers{t: t, folder: t.TempDir(), blobs: make([][][]byte, partitions), lose: lose}
	for part := range slices.Chunk(order, size) {
		s, err := set.Subset(part)
		if err != nil {
			t.Fatal(err)
		}
		blobs, err := Split(s, 1)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blobs {
			partition := b.Bucket * partitions / rows.Buckets
			w.blobs[partition] = append(w.blobs[partition], b.Data)
		}
	}
	for k := range partitions {
		w.of = append(w.of, NewWorker(filepath.Join(w.folder, "first"), 1))
		if err := w.of[k].Load(context.Background(), k, w.blobs[k]); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// threePartitions has the rows in three partitions.
func threePartitions(t *testing.T, of string) *workers {
	set, err := data.Read(context.Background(), []string{of}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	blobs, err := Split(set, 1)
	if err != nil {
		t.Fatal(err)
	}
	w := &workers{t: t, folder: t.TempDir(), blobs: make([][][]byte, 3), lose: func(int) (int, bool) { return -1, false }}
	for k, b := range blobs {
		w.blobs[k%3] = append(w.blobs[k%3], b.Data)
	}
	for k := range w.blobs {
		w.of = append(w.of, NewWorker(w.folder, 1))
		if err := w.of[k].Load(context.Background(), k, w.blobs[k]); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// endingAfter asks workers, and cancels in the round after so many, which two partitions have made by then.
func endingAfter(rounds int, cancel func(), w *workers) func(context.Context, []byte, []int) ([][]byte, error) {
	return func(_ context.Context, raw []byte, partitions []int) ([][]byte, error) {
		var q Request
		if err := decode(raw, &q); err != nil {
			return nil, err
		}
		if q.Verb == "round" || q.Verb == "curve" {
			if rounds--; rounds < 0 {
				cancel()
				_, err := w.ask(context.Background(), raw, []int{0, 2})
				return nil, errors.Join(err, context.Canceled)
			}
		}
		return w.ask(context.Background(), raw, partitions)
	}
}

// The same bits come out when partitions lose their rows and memories in any round, and from rows in any order.
func TestLost(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@text:n=1500,d=3000"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	train := func(seed uint64, of string, lose func(ask int) (int, bool)) *Result {
		order := rand.New(rand.NewPCG(seed, 1)).Perm(set.Rows())
		r := &Remote{Map: fourPartitions(t, set, order, 400, lose).ask}
		found, err := Train(context.Background(), r, Spec{Loss: of, Penalty: "l2", Bias: "free", Gap: map[string]float64{"hinge": 1e-2, "squared-hinge": 1e-4}[of], Rounds: 60, Run: "test"})
		if err != nil {
			t.Fatal(err)
		}
		if found.Digest != set.DigestSorted(1) {
			t.Errorf("found the digest %s, expected %s", found.Digest, set.DigestSorted(1))
		}
		return found
	}
	never := func(int) (int, bool) { return -1, false }
	want := train(1, "hinge", never)
	for name, lose := range map[string]func(int) (int, bool){
		"never":                never,
		"memory in round 5":    func(ask int) (int, bool) { return map[bool]int{true: 2, false: -1}[ask == 7], false },
		"everything, often":    func(ask int) (int, bool) { return map[bool]int{true: ask % 4, false: -1}[ask%9 == 8], true },
		"after the checkpoint": func(ask int) (int, bool) { return map[bool]int{true: 1, false: -1}[ask == 16], true },
	} {
		got := train(2, "hinge", lose)
		if !reflect.DeepEqual(got.Output, want.Output) || got.Rounds != want.Rounds {
			t.Errorf("%s: found another answer after %d rounds, expected the same bits as without after %d", name, got.Rounds, want.Rounds)
		}
	}
	often := func(ask int) (int, bool) { return map[bool]int{true: ask % 4, false: -1}[ask%5 == 4], ask%2 == 0 }
	if want, got := train(1, "squared-hinge", never), train(2, "squared-hinge", often); !reflect.DeepEqual(got.Output, want.Output) || want.Rounds <= mostAscents+2 {
		t.Errorf("steps in the weights: found another answer after %d rounds, expected the same bits as without loss after %d", got.Rounds, want.Rounds)
	}
}
