package cluster

import (
	"bytes"
	"context"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
)

// sets are the rows that fuzzing asks about: dense ones of two classes, and sparse ones of numbers.
func sets(t testing.TB) []*data.Set {
	return []*data.Set{few(t, "@blobs:n=40,d=3,classes=3"), few(t, "@text:n=40,d=30")}
}

// runs are requests of dual ascent and of steps in the weights, about few rows in one partition.
func runs(t testing.TB, set *data.Set) (all [][]*Request) {
	for _, spec := range []Spec{{Loss: "hinge", Penalty: "l2", Bias: "free"}, {Loss: "logistic", Penalty: "l2", Bias: "feature"}, {Loss: "squared-hinge", Penalty: "elastic-net:ratio=0.5", Bias: "none"}} {
		r := &recorded{near: scatter(t, set, 1)}
		spec.Gap, spec.Rounds, spec.Duals = 1e-9, 3, true
		m, file := trained(t, r, spec)
		if _, err := Verify(context.Background(), r, m, ""); err != nil {
			t.Fatal(err)
		}
		if _, err := Evaluate(context.Background(), r, m, file); err != nil {
			t.Fatal(err)
		}
		if _, err := r.partitions[0].Answer(r.requests[1]); err != nil { // begin
			t.Fatal(err)
		}
		memory, err := r.partitions[0].memory()
		if err != nil {
			t.Fatal(err)
		}
		r.requests = append(r.requests, &Request{Verb: "memory", Round: r.partitions[0].round}, &Request{Verb: "resume", Memory: map[int][]byte{0: memory}})
		all = append(all, r.requests)
	}
	return all
}

// A worker answers or refuses any bytes, and then answers good requests as it did before.
func FuzzAsk(f *testing.F) {
	kept := sets(f)
	var begin [2][]byte
	for k, set := range kept {
		for _, run := range runs(f, set) {
			for _, q := range run {
				raw, err := encode(q)
				if err != nil {
					f.Fatal(err)
				}
				f.Add(k == 1, raw)
				if begin[k] == nil && q.Verb == "begin" {
					begin[k] = raw
				}
			}
		}
	}
	workers := []*Worker{NewWorker(f.TempDir(), 1), NewWorker(f.TempDir(), 1)}
	var expected [2][]byte
	for k, w := range workers {
		if err := w.Load(context.Background(), 0, blobsOf(f, kept[k])); err != nil {
			f.Fatal(err)
		}
	}
	f.Fuzz(func(t *testing.T, sparse bool, raw []byte) {
		k := map[bool]int{true: 1}[sparse]
		w := workers[k]
		if answer, err := w.Ask(context.Background(), 0, raw); err == nil {
			if err := decode(answer, &Answer{}); err != nil {
				t.Error(err)
			}
		}
		answer, err := w.Ask(context.Background(), 0, begin[k])
		if expected[k] == nil {
			expected[k] = answer
		}
		if err != nil || !bytes.Equal(answer, expected[k]) {
			t.Errorf("found another answer than before, or the error %v", err)
		}
	})
}

// Rows of any bytes are sound, or refused.
func FuzzGather(f *testing.F) {
	for _, set := range sets(f) {
		for _, b := range blobsOf(f, set) {
			f.Add(b)
		}
	}
	f.Add(blobsOf(f, few(f, "@linear:n=20,d=3"))[0])
	f.Fuzz(func(t *testing.T, raw []byte) {
		set, digests, err := Gather([][]byte{raw}, 1)
		if err != nil {
			return
		}
		if err := set.Check(); err != nil || len(digests) != set.Rows() {
			t.Errorf("found %d digests of %d rows, and %v", len(digests), set.Rows(), err)
		}
		for i := 1; i < len(digests); i++ {
			if bytes.Compare(digests[i-1][:], digests[i][:]) > 0 {
				t.Error("rows are out of order")
			}
		}
	})
}

// A coordinator makes of replies that were changed on the way an error or a result, never more rounds than it may.
func FuzzReplies(f *testing.F) {
	kept := sets(f)
	for ask := range 8 {
		for method := range 3 {
			f.Add(ask%2 == 0, uint8(method), uint8(ask), uint16(9+31*ask), []byte{1, 0xff, 0x7f})
			f.Add(ask%2 == 0, uint8(method), uint8(ask), uint16(17*ask), []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x7f})
		}
	}
	f.Fuzz(func(t *testing.T, sparse bool, method, ask uint8, at uint16, with []byte) {
		c := scatter(t, kept[map[bool]int{true: 1}[sparse]], 2)
		asked := 0
		r := &Remote{Map: func(_ context.Context, raw []byte, partitions []int) (replies [][]byte, err error) {
			if asked++; asked > 100 {
				t.Fatal("found no end")
			}
			var q Request
			if err := decode(raw, &q); err != nil {
				return nil, err
			}
			for k, p := range c.partitions {
				if partitions != nil && k != partitions[0] {
					continue
				}
				a, err := p.Answer(&q)
				if err != nil {
					replies = append(replies, Reply(nil, err))
					continue
				}
				answer, err := encode(a)
				if err != nil {
					return nil, err
				}
				replies = append(replies, Reply(answer, nil))
			}
			if asked == int(ask%16) {
				last := replies[len(replies)-1]
				copy(last[min(int(at), len(last)):], with)
			}
			return replies, nil
		}}
		spec := []Spec{{Loss: "hinge", Penalty: "l2", Bias: "free"}, {Loss: "logistic", Penalty: "l2", Bias: "free"}, {Loss: "squared-hinge", Penalty: "elastic-net:ratio=0.5", Bias: "none"}}[method%3]
		spec.Gap, spec.Rounds, spec.Duals = 1e-2, 14, true
		found, err := Train(context.Background(), r, spec)
		if err != nil {
			return
		}
		for _, o := range found.Output {
			if gap := o.Certificate.Relative(); found.Status == "converged" && !(gap <= spec.Gap && finite(o.Certificate.Primal, o.Certificate.Dual)) {
				t.Errorf("found the gap %g of %g and %g as converged", gap, o.Certificate.Primal, o.Certificate.Dual)
			}
		}
	})
}
