package cluster

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	rows "github.com/fenchel-ml/fenchel/internal/read/set"
)

// workers are processes that keep places in folders of their own, of which a few lose everything now and then.
type workers struct {
	t      testing.TB
	folder string
	blobs  [][][]byte // of each place
	of     []*Worker  // of each place
	lose   func(ask int) (place int, folder bool)
	asked  int
}

func (w *workers) ask(ctx context.Context, raw []byte, places []int) ([][]byte, error) {
	w.asked++
	if places == nil {
		for k := range w.blobs {
			places = append(places, k)
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
	for _, k := range places {
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

// The same bits come out when places lose their rows and memories in any round, and from rows in any order.
func TestLost(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@text:n=1500,d=3000"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const places = 4
	train := func(seed uint64, of string, lose func(ask int) (int, bool)) *Result {
		order := rand.New(rand.NewPCG(seed, 1)).Perm(set.Rows())
		w := &workers{t: t, folder: t.TempDir(), blobs: make([][][]byte, places), lose: lose}
		for lo := 0; lo < len(order); lo += 400 {
			part, err := set.Subset(order[lo:min(lo+400, len(order))])
			if err != nil {
				t.Fatal(err)
			}
			blobs, err := Split(part, 1)
			if err != nil {
				t.Fatal(err)
			}
			for _, b := range blobs {
				place := b.Bucket * places / rows.Buckets
				w.blobs[place] = append(w.blobs[place], b.Data)
			}
		}
		for k := range places {
			w.of = append(w.of, NewWorker(filepath.Join(w.folder, "first"), 1))
			if err := w.of[k].Load(context.Background(), k, w.blobs[k]); err != nil {
				t.Fatal(err)
			}
		}
		r := &Remote{Map: w.ask}
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
		"everything, often":    func(ask int) (int, bool) { return map[bool]int{true: ask % places, false: -1}[ask%9 == 8], true },
		"after the checkpoint": func(ask int) (int, bool) { return map[bool]int{true: 1, false: -1}[ask == 16], true },
	} {
		got := train(2, "hinge", lose)
		if !reflect.DeepEqual(got.Output, want.Output) || got.Rounds != want.Rounds {
			t.Errorf("%s: found another answer after %d rounds, expected the same bits as without after %d", name, got.Rounds, want.Rounds)
		}
	}
	often := func(ask int) (int, bool) { return map[bool]int{true: ask % places, false: -1}[ask%5 == 4], ask%2 == 0 }
	if want, got := train(1, "squared-hinge", never), train(2, "squared-hinge", often); !reflect.DeepEqual(got.Output, want.Output) || want.Rounds <= mostAscents+2 {
		t.Errorf("steps in the weights: found another answer after %d rounds, expected the same bits as without loss after %d", got.Rounds, want.Rounds)
	}
}
