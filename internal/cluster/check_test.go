package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/problem"
)

// few reads few rows.
func few(t testing.TB, source string) *data.Set {
	set, err := data.Read(context.Background(), []string{source}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// recorded are the requests of a run, with the answers of all partitions.
type recorded struct {
	near
	requests []*Request
	change   func(ask int, q *Request, answers []*Answer) // before the coordinator sees them
}

func (r *recorded) Ask(ctx context.Context, q *Request) ([]*Answer, error) {
	answers, err := r.near.Ask(ctx, q)
	if err != nil {
		return nil, err
	}
	raw, err := encode(q) // a copy
	if err != nil {
		return nil, err
	}
	var own Request
	if err := decode(raw, &own); err != nil {
		return nil, err
	}
	r.requests = append(r.requests, &own)
	for k, a := range answers {
		if raw, err = encode(a); err != nil {
			return nil, err
		}
		answers[k] = &Answer{}
		if err := decode(raw, answers[k]); err != nil {
			return nil, err
		}
	}
	if r.change != nil {
		r.change(len(r.requests), q, answers)
	}
	return answers, nil
}

// What goes over the wire comes back as it was, and lengths that no bytes follow take no memory.
func TestWire(t *testing.T) {
	r := &recorded{near: scatter(t, few(t, "@blobs:n=90,d=3,classes=3"), 2)}
	var last []*Answer
	r.change = func(_ int, _ *Request, answers []*Answer) { last = answers }
	if _, err := Train(context.Background(), r, Spec{Loss: "hinge", Penalty: "l2", Bias: "free", Gap: 1e-2, Rounds: 5}); err != nil {
		t.Fatal(err)
	}
	for _, x := range []any{&Request{Verb: "resume", Memory: map[int][]byte{3: {1, 2}, 4: {}, 5: nil}}, r.requests[1], last[0], &Rows{Index: []uint32{}, Label: []string{"", "a"}}} {
		raw, err := encode(x)
		if err != nil {
			t.Fatal(err)
		}
		again := reflect.New(reflect.TypeOf(x).Elem()).Interface()
		if err := decode(raw, again); err != nil || !reflect.DeepEqual(x, again) {
			t.Errorf("found %+v (%v), expected %+v", again, err, x)
		}
		if decode(append(raw, 0), again) == nil {
			t.Error("a byte more than a message has was taken")
		}
		for n := range raw {
			if decode(raw[:n], again) == nil {
				t.Fatalf("%T: the first %d of %d bytes were taken for all", x, n, len(raw))
			}
		}
		for at := 0; at+8 <= len(raw); at++ {
			for _, length := range []uint64{1 << 20, 1 << 40, 1 << 62, math.MaxUint64} {
				bad := bytes.Clone(raw)
				binary.LittleEndian.PutUint64(bad[at:], length)
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				_ = decode(bad, reflect.New(reflect.TypeOf(x).Elem()).Interface())
				if runtime.ReadMemStats(&after); after.TotalAlloc-before.TotalAlloc > uint64(16*len(raw)+1<<14) {
					t.Fatalf("%T, byte %d: %d bytes were taken for a message of %d", x, at, after.TotalAlloc-before.TotalAlloc, len(raw))
				}
			}
		}
	}
}

// Requests that do not fit the rows or the problem are refused in one line.
func TestRefusedRequests(t *testing.T) {
	dense, sparse := few(t, "@blobs:n=60,d=3,classes=2"), few(t, "@text:n=60,d=50")
	for _, set := range []*data.Set{dense, sparse} {
		r := &recorded{near: scatter(t, set, 2)}
		if _, err := Train(context.Background(), r, Spec{Loss: "hinge", Penalty: "l2", Bias: "free", Gap: 1e-9, Rounds: 3, Duals: true}); err != nil {
			t.Fatal(err)
		}
		of := map[string]*Request{}
		for _, q := range r.requests {
			of[q.Verb] = q
		}
		nan, inf := math.NaN(), math.Inf(1)
		for verb, changes := range map[string]map[string]func(q *Request){
			"begin": {
				"no draft": func(q *Request) { q.Draft = nil }, "no N": func(q *Request) { q.Draft.N = nil }, "N none": func(q *Request) { q.Draft.N[0] = nan }, "N 0": func(q *Request) { q.Draft.N[0] = 0 },
				"many N": func(q *Request) { q.Draft.N = append(q.Draft.N, 1) }, "many Beta": func(q *Request) { q.Draft.Beta = append(q.Draft.Beta, 1) }, "Beta": func(q *Request) { q.Draft.Beta[0] = inf }, "Beta < 0": func(q *Request) { q.Draft.Beta[0] = -1 },
				"group": func(q *Request) { q.Draft.Group = []uint8{1} }, "large group": func(q *Request) { q.Draft.Group = bytes.Repeat([]byte{33}, len(r.requests[3].Work[0].Round.U)) },
				"lambda": func(q *Request) { q.Draft.Statement.Lambda = nan }, "lambda 0": func(q *Request) { q.Draft.Statement.Lambda = 0 }, "loss": func(q *Request) { q.Draft.Statement.Loss = "?" }, "network": func(q *Request) { q.Draft.Statement.Hidden = []int{1 << 30} },
				"ramp": func(q *Request) { q.Draft.Statement.Loss = "ramp" }, "l1": func(q *Request) { q.Draft.Statement.Penalty = "l1" }, "bias": func(q *Request) { q.Draft.Statement.Bias = "feature:2" }, "kernel": func(q *Request) { q.Draft.Statement.Kernel = "rbf" },
				"class": func(q *Request) { q.Draft.Classes = []string{"7", "8"} },
			},
			"round": {
				"no work": func(q *Request) { q.Work = nil }, "work": func(q *Request) { q.Work = append(q.Work, Work{}) }, "U": func(q *Request) { q.Work[0].Round.U = nil }, "U none": func(q *Request) { q.Work[0].Round.U[0] = nan },
				"Theta": func(q *Request) { q.Work[0].Round.Theta = nan }, "Theta < 0": func(q *Request) { q.Work[0].Round.Theta = -1 }, "Spare": func(q *Request) { q.Work[0].Round.Spare = nan },
				"Sigma": func(q *Request) { q.Work[0].Round.Sigma = nil }, "Sigma none": func(q *Request) { q.Work[0].Round.Sigma[0] = nan }, "Sigma < 0": func(q *Request) { q.Work[0].Round.Sigma[0] = -1 },
				"round": func(q *Request) { q.Round = 0 }, "W": func(q *Request) { q.Work[0].Slopes = true },
			},
			"units": {"units": func(q *Request) { q.Work[0].Units = math.MinInt }, "Theta": func(q *Request) { q.Work[0].Theta = nan }, "verb": func(q *Request) { q.Verb = "count" }},
			"shares": {
				"W": func(q *Request) { q.Work[0].W = q.Work[0].W[1:] }, "W none": func(q *Request) { q.Work[0].W[1] = inf }, "Target": func(q *Request) { q.Work[0].Target = q.Work[0].Target[:1] },
				"large Target": func(q *Request) { q.Work[0].Target[1].Plus = math.MaxUint64 },
			},
			"duals": {"slopes": func(q *Request) { q.Work[0].Slopes, q.Work[0].W = true, []float64{nan} }},
		} {
			for name, change := range changes {
				raw, err := encode(of[verb])
				if err != nil {
					t.Fatal(err)
				}
				var q Request
				if err := decode(raw, &q); err != nil {
					t.Fatal(err)
				}
				change(&q)
				if q.Verb == "round" {
					q.Round += min(q.Round, 1) // the next one
				}
				p := r.partitions[1]
				if _, err := p.Answer(&q); err == nil || strings.Contains(err.Error(), "\n") {
					t.Errorf("%s, %s: found the error %v, expected one line", verb, name, err)
				}
				if verb == "begin" {
					if _, err := p.Answer(of["round"]); err == nil {
						t.Errorf("%s, %s: the partition goes on with the problem before", verb, name)
					}
					if _, err := p.Answer(of["begin"]); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
	}
}

// A loss without curvatures has no slopes to ask for, and Newton's method no dual variables.
func TestRefusedMethods(t *testing.T) {
	for _, c := range []struct {
		loss  string
		verbs []string
		work  Work
	}{{"hinge", []string{"round", "curve"}, Work{Slopes: true, W: make([]float64, 4)}}, {"logistic", []string{"round", "units", "shares", "duals"}, Work{Round: dual.Round{U: make([]float64, 4), Sigma: []float64{1}}}}} {
		r := &recorded{near: scatter(t, few(t, "@blobs:n=60,d=3,classes=2"), 2)}
		if _, err := Train(context.Background(), r, Spec{Loss: c.loss, Penalty: "l2", Bias: "free", Rounds: 2}); err != nil {
			t.Fatal(err)
		}
		for _, verb := range c.verbs {
			c.work.Target = make([]problem.Target, 2)
			if _, err := r.partitions[0].Answer(&Request{Verb: verb, Round: 9, Work: []Work{c.work}}); err == nil || !strings.Contains(err.Error(), "expected a ") {
				t.Errorf("%s, %s: found the error %v", c.loss, verb, err)
			}
		}
	}
}

// Answers that lack what was asked for, or are of another shape, end in an error that names the partition; of sums that are no
// numbers no gap is made.
func TestRefusedAnswers(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		loss, verb string
		change     func(a *Answer)
	}{
		{"hinge", "describe", func(a *Answer) { a.Summary = nil }},
		{"hinge", "describe", func(a *Answer) { a.Summary.Cols++ }},
		{"hinge", "describe", func(a *Answer) { a.Summary.Users = a.Summary.Users[1:] }},
		{"hinge", "describe", func(a *Answer) { a.Summary.Squares[0] = -1 }},
		{"hinge", "describe", func(a *Answer) { a.Summary.Weight = nan }},
		{"hinge", "describe", func(a *Answer) { a.Summary.Counts = nil }},
		{"hinge", "describe", func(a *Answer) { a.Summary.Rows = 0 }},
		{"hinge", "describe", func(a *Answer) { a.Summary.Buckets = map[int][]byte{1024: make([]byte, 32)} }},
		{"hinge", "describe", func(a *Answer) { a.Summary.Buckets = map[int][]byte{1: make([]byte, 31)} }},
		{"hinge", "begin", func(a *Answer) { a.Output = nil }},
		{"hinge", "begin", func(a *Answer) { a.Output[0].Zero = nan }},
		{"hinge", "round", func(a *Answer) { a.Output = append(a.Output, Output{}) }},
		{"hinge", "round", func(a *Answer) { a.Output[0].Change.U = a.Output[0].Change.U[1:] }},
		{"hinge", "round", func(a *Answer) { a.Output[0].Change.U[0] = inf }},
		{"hinge", "round", func(a *Answer) { a.Output[0].Change.Gap = nan }},
		{"hinge", "round", func(a *Answer) { a.Output[0].Total = -1 }},
		{"hinge", "shares", func(a *Answer) { a.Output[0].Share = nil }},
		{"hinge", "shares", func(a *Answer) { a.Output[0].Share.Image = nil }},
		{"hinge", "shares", func(a *Answer) { a.Output[0].Share.Image[1] = nan }},
		{"hinge", "shares", func(a *Answer) { a.Output[0].Share.Loss = nan }},
		{"hinge", "shares", func(a *Answer) { a.Output[0].Share.Loss = -inf }},
		{"hinge", "shares", func(a *Answer) { a.Output[0].Share.Conjugate = -inf }},
		{"hinge", "shares", func(a *Answer) { a.Output[0].Share.LossError = -1 }},
		{"hinge", "shares", func(a *Answer) { a.Output[0].Share.Magnitude = nan }},
		{"hinge", "shares", func(a *Answer) { a.Output[0].Share.Chain = -1 }},
		{"hinge", "duals", func(a *Answer) { a.Output[0].Duals = a.Output[0].Duals[1:] }},
		{"hinge", "duals", func(a *Answer) { a.Output[0].Duals[0] = nan }},
		{"logistic", "curve", func(a *Answer) { a.Output[0].Curve = nil }},
		{"logistic", "curve", func(a *Answer) { a.Output[0].Curve.Gradient[0] = nan }},
		{"logistic", "curve", func(a *Answer) { a.Output[0].Curve.Hessian = a.Output[0].Curve.Hessian[1:] }},
		{"logistic", "curve", func(a *Answer) { a.Output[0].Curve.Hessian[0] = inf }},
	} {
		r := &recorded{near: scatter(t, few(t, "@blobs:n=60,d=3,classes=2"), 3)}
		changed := false
		r.change = func(_ int, q *Request, answers []*Answer) {
			if q.Verb == c.verb {
				c.change(answers[1])
				changed = true
			}
		}
		_, err := Train(context.Background(), r, Spec{Loss: c.loss, Penalty: "l2", Bias: "free", Gap: 1e-2, Rounds: 4, Duals: true})
		if err == nil || !strings.HasPrefix(err.Error(), "partition 2: ") || strings.Contains(err.Error(), "\n") || !changed {
			t.Errorf("%s, %s: found the error %v, expected one line that names partition 2", c.loss, c.verb, err)
		}
	}
	r := &recorded{near: scatter(t, few(t, "@blobs:n=60,d=3,classes=2"), 3)}
	r.change = func(_ int, q *Request, answers []*Answer) {
		if q.Verb == "shares" {
			answers[1].Output[0].Share.Loss = inf
		}
	}
	found, err := Train(context.Background(), r, Spec{Loss: "hinge", Penalty: "l2", Bias: "free", Gap: 1e-2, Rounds: 4})
	if err != nil || !math.IsInf(found.Output[0].Certificate.Relative(), 1) || found.Status == "converged" {
		t.Errorf("an infinite loss: found %+v (%v), expected an infinite gap", found, err)
	}
	r = &recorded{near: scatter(t, few(t, "@blobs:n=60,d=3,classes=2"), 3)}
	r.change = func(_ int, q *Request, answers []*Answer) {
		if q.Verb == "describe" {
			answers[2].Summary.Buckets, answers[1].Summary.Buckets = map[int][]byte{5: make([]byte, 32)}, map[int][]byte{5: make([]byte, 32)}
		}
	}
	if _, err := Train(context.Background(), r, Spec{Loss: "hinge", Penalty: "l2", Bias: "free"}); err == nil || !strings.Contains(err.Error(), "partition 3: found rows of the bucket 5") {
		t.Errorf("a bucket in two partitions: found the error %v", err)
	}
}

// Numbers that no training has are refused before a partition is asked.
func TestRefusedSpecs(t *testing.T) {
	for _, spec := range []Spec{{Lambda: -1}, {C: -1}, {Gap: -1}, {Gap: math.NaN()}, {Rounds: -1}, {Lambda: 1, C: 1}, {Bias: "feature:2"}, {Penalty: "l1"}, {Loss: "ramp"}, {Loss: "?"}} {
		asked := 0
		r := &recorded{near: scatter(t, few(t, "@blobs:n=60,d=3,classes=2"), 2), change: func(int, *Request, []*Answer) { asked++ }}
		spec.Loss, spec.Penalty, spec.Bias = cmp.Or(spec.Loss, "hinge"), cmp.Or(spec.Penalty, "l2"), cmp.Or(spec.Bias, "none")
		if _, err := Train(context.Background(), r, spec); err == nil || asked > 1 {
			t.Errorf("%+v: found the error %v after %d requests", spec, err, asked)
		}
	}
}

// Replies that are too few, empty or of no kind end in an error.
func TestRefusedReplies(t *testing.T) {
	for name, replies := range map[string][][]byte{"none": {}, "few": {{replyLost}}, "empty": {{replyLost}, {}}, "kind": {{9}, {replyLost}}, "bytes": {{replyAnswer, 1, 2, 3}, {replyAnswer}}, "lost": {{replyLost}, {replyLost}}} {
		asked := 0
		r := &Remote{Map: func(_ context.Context, raw []byte, partitions []int) ([][]byte, error) {
			if asked++; len(raw) == 0 || asked > 100 {
				t.Fatalf("%s: found an empty request, or no end", name)
			}
			if name == "few" && partitions != nil {
				return nil, nil
			}
			return replies, nil
		}}
		if _, err := r.Ask(context.Background(), &Request{Verb: "describe"}); err == nil {
			t.Errorf("%s: found no error", name)
		}
	}
}

// loaded is a worker in a folder of its own, with all rows in partition 3.
func loaded(t testing.TB, set *data.Set) *Worker {
	w := NewWorker(t.TempDir(), 1)
	if err := w.Load(context.Background(), 3, blobsOf(t, set)); err != nil {
		t.Fatal(err)
	}
	return w
}

func blobsOf(t testing.TB, set *data.Set) (all [][]byte) {
	blobs, err := Split(set, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range blobs {
		all = append(all, b.Data)
	}
	return all
}

// ask has partition 3 answer a request.
func ask(t testing.TB, w *Worker, q *Request) ([]byte, error) {
	raw, err := encode(q)
	if err != nil {
		t.Fatal(err)
	}
	return w.Ask(context.Background(), 3, raw)
}

// begun are a request that begins the run, and its first two rounds.
func begun(t testing.TB, set *data.Set, run string) []*Request {
	r := &recorded{near: scatter(t, set, 1)}
	if _, err := Train(context.Background(), r, Spec{Loss: "hinge", Penalty: "l2", Bias: "free", Gap: 1e-9, Rounds: 2, Run: run}); err != nil {
		t.Fatal(err)
	}
	return r.requests[1:4]
}

// Memories of other runs, and files that are damaged, cut short or of another partition, count as lost; what is begun again is as it was.
func TestDamaged(t *testing.T) {
	set := few(t, "@blobs:n=80,d=3,classes=2")
	requests := begun(t, set, "one")
	w := loaded(t, set)
	var answers [][]byte
	for range 2 { // again from the beginning
		for k, q := range requests {
			for range 2 { // and twice
				answer, err := ask(t, w, q)
				if err != nil {
					t.Fatal(err)
				}
				if answers = append(answers, answer); !bytes.Equal(answer, answers[2*k]) {
					t.Errorf("%s %d: found another answer than before", q.Verb, q.Round)
				}
			}
		}
	}
	other := *requests[2]
	other.Run = "two"
	if _, err := ask(t, w, &other); err != ErrLost {
		t.Errorf("a round of another run: found %v, expected that its memory is lost", err)
	}
	if _, err := ask(t, w, requests[2]); err != nil { // from the file
		t.Fatal(err)
	}
	memory, rows := w.memoryFile(3, 1), w.rowsFile(3)
	for name, path := range map[string]string{"memory": memory, "rows": rows} {
		whole, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		damaged := bytes.Clone(whole)
		damaged[len(damaged)/2] ^= 4
		for how, raw := range map[string][]byte{"damaged": damaged, "half": whole[:len(whole)/2], "short": whole[:2], "empty": {}} {
			if err := os.WriteFile(path, raw, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := ask(t, NewWorker(w.folder, 1), requests[2]); err != ErrLost {
				t.Errorf("%s, %s: found %v, expected that it is lost", name, how, err)
			}
			if _, err := os.Stat(path); name == "rows" && err == nil {
				t.Errorf("%s, %s: the file is still there", name, how)
			}
		}
		if err := os.WriteFile(path, whole, 0o600); err != nil {
			t.Fatal(err)
		}
		if answer, err := ask(t, NewWorker(w.folder, 1), requests[2]); err != nil || !bytes.Equal(answer, answers[4]) {
			t.Errorf("%s: found another answer by the whole files: %v", name, err)
		}
	}
	raw, err := os.ReadFile(memory)
	if err != nil {
		t.Fatal(err)
	}
	later, err := os.ReadFile(w.memoryFile(3, 2))
	if err != nil {
		t.Fatal(err)
	}
	again := NewWorker(t.TempDir(), 1)
	if err := again.Load(context.Background(), 3, blobsOf(t, set)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(again.memoryFile(3, 1), later, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ask(t, again, requests[2]); err != ErrLost {
		t.Errorf("the memory of another round: found %v, expected that its own is lost", err)
	}
	if err := os.WriteFile(w.memoryFile(4, 1), raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := w.Load(context.Background(), 4, blobsOf(t, set)); err != nil {
		t.Fatal(err)
	}
	encoded, err := encode(requests[2])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Ask(context.Background(), 4, encoded); err != ErrLost {
		t.Errorf("the memory of another partition: found %v, expected that its own is lost", err)
	}
	for _, partition := range []int{-1, 1024, math.MaxInt} {
		if _, err := w.Ask(context.Background(), partition, encoded); err == nil || err == ErrLost {
			t.Errorf("partition %d: found %v, expected a refusal", partition, err)
		}
		if err := w.Load(context.Background(), partition, blobsOf(t, set)); err == nil {
			t.Errorf("partition %d was loaded", partition)
		}
	}
	if left, err := filepath.Glob(filepath.Join(w.folder, "*.round-1.*")); err != nil || len(left) > 0 {
		t.Errorf("found the files %v, expected none that is not whole", left)
	}
}

// What a partition is told to remember is checked as it comes.
func TestRefusedMemories(t *testing.T) {
	set := few(t, "@blobs:n=80,d=3,classes=2")
	requests := begun(t, set, "one")
	p := scatter(t, set, 1).partitions[0]
	for _, q := range requests {
		if _, err := p.Answer(q); err != nil {
			t.Fatal(err)
		}
	}
	whole, err := p.memory()
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(m *memory){
		"": func(*memory) {}, "partition": func(m *memory) { m.Partition++ }, "run": func(m *memory) { m.Draft.Run = "two" }, "draft": func(m *memory) { m.Draft = nil }, "outputs": func(m *memory) { m.Locals = nil }, "round": func(m *memory) { m.Round = -1 },
		"rows": func(m *memory) { m.Locals[0].A = m.Locals[0].A[1:] }, "before": func(m *memory) { m.Locals[0].From = []float64{1} }, "calm": func(m *memory) { m.Locals[0].Calm = nil }, "wake": func(m *memory) { m.Locals[0].Wake = nil },
		"none": func(m *memory) { m.Locals[0].A[5] = math.NaN() }, "sum": func(m *memory) { m.Draft.N = nil },
	} {
		var m memory
		if err := decode(whole, &m); err != nil {
			t.Fatal(err)
		}
		change(&m)
		raw, err := encode(m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Answer(&Request{Verb: "resume", Run: "one", Memory: map[int][]byte{0: raw}}); (err == nil) != (name == "") {
			t.Errorf("%s: found the error %v", name, err)
		}
	}
}

// Blobs that hold no rows are refused.
func TestRefusedBlobs(t *testing.T) {
	for name, r := range map[string]Rows{
		"columns": {Cols: 0, Value: []float32{1}, Number: []float64{1}}, "values": {Cols: 2, Value: []float32{1, 2, 3}, Number: []float64{1}}, "weights": {Cols: 1, Value: []float32{1}, Number: []float64{1}, Weight: []float64{1, 1}},
		"weight": {Cols: 1, Value: []float32{1}, Number: []float64{1}, Weight: []float64{-1}}, "value": {Cols: 1, Value: []float32{float32(math.NaN())}, Number: []float64{1}}, "target": {Cols: 1, Value: []float32{1}, Number: []float64{math.NaN()}},
		"targets": {Cols: 1, Value: []float32{1}, Number: []float64{1, 2}}, "code": {Cols: 1, Value: []float32{1}, Code: []uint32{2}, Label: []string{"1", "2"}}, "labels": {Cols: 1, Value: []float32{1}, Code: []uint32{1}, Label: []string{"1", "1"}},
		"starts": {Cols: 1, Start: []int64{0, 2}, Index: []uint32{0}, Value: []float32{1}, Number: []float64{1}}, "start": {Cols: 1, Start: []int64{1, 0}, Index: []uint32{0, 0}, Value: []float32{1, 1}, Number: []float64{1}}, "index": {Cols: 1, Start: []int64{0, 1}, Index: []uint32{1}, Value: []float32{1}, Number: []float64{1}},
		"wide": {Cols: 1 << 30, Start: []int64{0, 1}, Index: []uint32{1}, Value: []float32{1}, Number: []float64{1}},
	} {
		raw, err := encode(r)
		if err != nil {
			t.Fatal(err)
		}
		good, err := encode(Rows{Cols: max(r.Cols, 1), Value: make([]float32, min(max(r.Cols, 1), 8)), Number: []float64{1}})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := Gather([][]byte{good, raw}, 1); err == nil || strings.Contains(fmt.Sprint(err), "\n") {
			t.Errorf("%s: found the error %v, expected one line", name, err)
		}
	}
}
