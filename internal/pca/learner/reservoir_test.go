package learner

import (
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A twentieth of the rows is kept, then fewer and fewer; none is lost.
func TestReservoir(t *testing.T) {
	t.Parallel()
	for _, dense := range []bool{true, false} {
		r, seen := newReservoir(UsualHoldOut), map[float32]int{}
		const n = 200000
		for i := range n {
			v := matrix.Vector{Value: []float32{float32(i), 1, 2, 3}}
			if !dense {
				v.Index, v.Value = []uint32{1, 3}, v.Value[:2]
			}
			if !r.wants(i) {
				seen[float32(i)]++
				continue
			}
			r.add(i, v)
			for r.full() {
				for _, late := range r.thin() {
					seen[late.Value[0]]++
				}
			}
			if i == 9999 {
				if got := len(r.rows); got < 400 || got > 600 {
					t.Errorf("of 10000 rows %d are held out, expected about 500", got)
				}
			}
		}
		if got := len(r.rows); got > mostHeldOut || got < mostHeldOut/3 {
			t.Errorf("of %d rows %d are held out, expected at most %d", n, got, mostHeldOut)
		}
		if !slices.IsSorted(r.numbers) {
			t.Error("the rows held out are not in order")
		}
		for i, v := range r.rows {
			if v.Value[0] != float32(r.numbers[i]) {
				t.Fatalf("row %d has the values of row %v", r.numbers[i], v.Value[0])
			}
			seen[v.Value[0]]++
		}
		for i := range n {
			if seen[float32(i)] != 1 {
				t.Fatalf("row %d was seen %d times", i, seen[float32(i)])
			}
		}
		again := newReservoir(UsualHoldOut)
		err := method.Restore(keptReservoir{&again, 4}, method.Keep(keptReservoir{&r, 4}))
		if err != nil || again.limit != r.limit || !slices.Equal(again.numbers, r.numbers) || !slices.Equal(again.rows[7].Value, r.rows[7].Value) || again.size != r.size {
			t.Errorf("another reservoir after it was kept and restored: %v", err)
		}
	}
}

// The rows that are kept apart of a stream are those that its answer names.
func TestHoldsOut(t *testing.T) {
	for _, n := range []int{1, 13, 40, 1000, 50000, 90000} {
		r := newReservoir(UsualHoldOut)
		for i := range n {
			if r.wants(i) {
				r.add(i, matrix.Vector{Value: []float32{1}})
			}
			for r.full() {
				r.thin()
			}
		}
		if len(r.numbers) < n && !HoldsOut(r.numbers, n, 1, UsualHoldOut) {
			t.Errorf("%d rows: not those held out: %v", n, r.numbers)
		}
		if len(r.numbers) > 1 && (HoldsOut(r.numbers[1:], n, 1, UsualHoldOut) || HoldsOut(r.numbers[:1], n, 1, UsualHoldOut) || HoldsOut(nil, n, 1, UsualHoldOut)) {
			t.Errorf("%d rows: some of those held out were believed to be all", n)
		}
	}
}

// A keptReservoir is a reservoir of rows of so many features, as a Keeper.
type keptReservoir struct {
	*reservoir
	cols int
}

func (r keptReservoir) Keep(k *method.Kept) { r.keep(k, r.cols) }
