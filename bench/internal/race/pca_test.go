package race

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/pca"
)

// TestPCAProblems: the problems name sets that exist; quick ones are the first.
func TestPCAProblems(t *testing.T) {
	for _, p := range task.PcaProblems {
		if s := task.SourceOf(p.Set); s.Name != p.Set {
			t.Errorf("%s: found %+v", p.Set, s)
		}
	}
	if got := (task.PcaProblem{K: 8, Center: true}).String(); got != "k = 8, centred" {
		t.Errorf("spelled %q", got)
	}
}

// axes is a peer that finds the first features, or breaks.
type axes struct{ peer.Sklearn }

func (*axes) Name() string { return "axes" }

func (*axes) Reducers(p task.PcaProblem, d int) []peer.ReducerMethod {
	return []peer.ReducerMethod{{Name: "first", Setting: "a"}, {Name: "broken"}, {Name: "stream", Stream: true}}
}

func (*axes) Load(context.Context, *task.Config, *task.Task, int, bool) (peer.Reduction, error) {
	return &axes{}, nil
}

func (*axes) Components(_ context.Context, m peer.ReducerMethod, k, d int) (float64, []float64, error) {
	if m.Name == "broken" {
		return 0, nil, errors.New("found nothing")
	}
	found := make([]float64, k*d)
	for i := range k {
		found[i*d+i] = 3 // lengths and products are not the judge's business
		found[i*d] += float64(i)
	}
	return 1, found, nil
}

func (*axes) Multiply(context.Context, task.ProductShape, int) (float64, error) { return 1, nil }

func (*axes) Close() {}

// TestPCAContest: everyone is timed and judged by the same bound; a way that breaks
// is told of; components of a peer need not be orthonormal.
func TestPCAContest(t *testing.T) {
	set, err := data.Read(context.Background(), []string{"@low-rank:n=3000,d=20"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{opt: options{Config: task.Config{Threads: 2}, repeats: 2, limit: 10 * time.Second}, log: &measure.Log{}, started: time.Now(), reducers: []peer.Reducer{&axes{}}}
	small := &task.Task{Source: task.Source{Name: "low-rank"}, Set: set, Rows: set.Rows(), Cols: set.Cols()}
	c := &pcaContest{lab: l, PcaProblem: task.PcaProblem{Set: "low-rank", K: 3, Center: true, Dense: true, Faster: 1.5, StreamFaster: 10}, t: small,
		x: denseOf(set.X), loaded: map[peer.Reducer]peer.Reduction{l.reducers[0]: &axes{}}, deadline: time.Now().Add(time.Minute)}
	if err := c.run(context.Background()); err != nil {
		t.Fatal(err)
	}
	find := func(kind, who string) []measure.Measurement {
		return measure.Where(l.log.Rows, func(m measure.Measurement) bool { return m.Kind == kind && strings.HasPrefix(m.Contender, who) })
	}
	own := find("memory", measure.OwnName)
	if len(own) != 2 || !(own[0].Seconds > 0 && own[0].Accuracy < 1e-9 && own[0].Objective > 0 && own[0].Objective <= own[0].Total) {
		t.Errorf("Fenchel: %+v", own)
	}
	for _, kind := range []string{"memory", "stream"} {
		theirs := find(kind, "axes ")
		if len(theirs) != 2 || !(theirs[0].Objective > 0 && theirs[0].Objective < own[0].Objective && theirs[0].Accuracy > 1e-6) {
			t.Errorf("the peer, kind %s: %+v", kind, theirs)
		}
	}
	first := 0.0 // variance of the first three features
	for i := range set.Rows() {
		for j := range c.K {
			x := float64(c.x.Row(i).Value[j]) - c.rows.Offset[j]
			first += x * x / float64(set.Rows())
		}
	}
	if got := find("memory", "axes ")[0].Objective; !(got > first*(1-1e-9) && got < first*(1+1e-9)) {
		t.Errorf("the first features capture %g, want %g", got, first)
	}
	if broken := find("unreached", "axes broken"); len(broken) != 1 || broken[0].Note != "found nothing" {
		t.Errorf("the broken way: %+v", broken)
	}
	if proof := find("certificate", measure.OwnName); len(proof) != 2 || proof[0].Setting != "exact" || proof[0].Note != "for certain" {
		t.Errorf("certificates: %+v", proof)
	}
	if stream := find("stream", measure.OwnName); len(stream) != 2 || stream[0].Setting != pca.StreamMethod || !(stream[0].Accuracy < 0.1) {
		t.Errorf("the stream: %+v", stream)
	}
	if others := find("streams", measure.OwnName); len(others) < 5 {
		t.Errorf("%d other methods of a stream, want more", len(others))
	}
	if others := find("batches", measure.OwnName); len(others) == 0 || others[0].Setting == own[0].Setting {
		t.Errorf("other methods for all rows: %+v", others)
	}
}

// TestDenseOf: zeros that are not stored are there.
func TestDenseOf(t *testing.T) {
	sparse := &matrix.CSR{Cols: 3, Start: []int64{0, 1, 1}, Index: []uint32{2}, Value: []float32{7}}
	if got := denseOf(sparse); !slices.Equal(got.Value, []float32{0, 0, 7, 0, 0, 0}) || got.Rows != 2 || got.Cols != 3 {
		t.Errorf("found %+v", got)
	}
}
