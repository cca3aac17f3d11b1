package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/model"
)

// caller is the other side of an engine.
type caller struct {
	t    *testing.T
	file *os.File
	size int64
	to   *io.PipeWriter
	from *io.PipeReader
	done chan error
	next int64
}

func newCaller(t *testing.T) *caller {
	file, err := os.Create(filepath.Join(t.TempDir(), "shared"))
	if err != nil {
		t.Fatal(err)
	}
	in, to := io.Pipe()
	from, out := io.Pipe()
	c := &caller{t: t, file: file, to: to, from: from, done: make(chan error, 1)}
	go func() { c.done <- Serve(context.Background(), in, out, NewMemory(file)) }()
	t.Cleanup(func() { to.Close(); from.Close(); file.Close() })
	return c
}

// write puts numbers at the end of what is written for the next request.
func write[T byte | uint32 | int64 | float32 | float64](c *caller, values []T) Place {
	c.t.Helper()
	var zero T
	c.size = (c.size + 7) &^ 7
	p := Place{c.size, int64(len(values))}
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(zero)))
	if _, err := c.file.WriteAt(raw, c.size); err != nil {
		c.t.Fatal(err)
	}
	c.size += int64(len(raw))
	return p
}

func (c *caller) send(verb string, fields map[string]any) int64 {
	c.t.Helper()
	c.next++
	frame := map[string]any{"id": c.next, "verb": verb, "size": c.size}
	for key, value := range fields {
		frame[key] = value
	}
	if err := writeFrame(c.to, frame); err != nil {
		c.t.Fatal(err)
	}
	return c.next
}

type reply struct {
	ID     int64
	Error  *failure
	Result struct {
		Model, Scores, Images Place
		Status                string
		Outputs               int
		Certificate           struct{ Primal, Dual, Gap, Captured, Upper *float64 }
		Problems              []string
		Version               string
		X                     rows
		Numbers               *Place
		Landmarks             *rows
	}
}

func (c *caller) receive() (r reply) {
	c.t.Helper()
	text, err := readFrame(c.from)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		c.t.Fatal(err)
	}
	return r
}

// ask sends a request and returns its answer, which must be no error.
func (c *caller) ask(verb string, fields map[string]any) reply {
	c.t.Helper()
	id := c.send(verb, fields)
	r := c.receive()
	if r.ID != id || r.Error != nil {
		c.t.Fatalf("%s: found answer %d to request %d, error %v", verb, r.ID, id, r.Error)
	}
	return r
}

// refused sends a request, and returns the error that must be its answer.
func (c *caller) refused(verb string, fields map[string]any) failure {
	c.t.Helper()
	c.send(verb, fields)
	r := c.receive()
	if r.Error == nil {
		c.t.Fatalf("%s: found an answer, expected an error", verb)
	}
	return *r.Error
}

// bytes returns what an answer has put into the memory.
func (c *caller) bytes(p Place, size int64) []byte {
	c.t.Helper()
	raw := make([]byte, p.Count*size)
	if _, err := c.file.ReadAt(raw, p.Offset); err != nil {
		c.t.Fatal(err)
	}
	return raw
}

// generated is a set of a generator, and where it is in the memory.
func generated(t *testing.T, c *caller, spec string) (*data.Set, arrays) {
	t.Helper()
	set, err := data.Read(t.Context(), []string{spec}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n, d := set.X.Dims()
	var values []float32
	for i := range n {
		values = append(values, set.X.Row(i).Value...)
	}
	q := arrays{X: rows{Rows: n, Cols: d, Values: write(c, values)}}
	if set.Target.Code != nil {
		codes := write(c, set.Target.Code)
		q.Codes, q.Labels = &codes, set.Target.Label
	} else if set.Target.Number != nil {
		numbers := write(c, set.Target.Number)
		q.Numbers = &numbers
	}
	return set, q
}

// A model of the engine is, byte for byte, that of fenchel.Train, and scores and proof of the
// engine are those of this model.
func TestFit(t *testing.T) {
	for _, s := range []struct{ data, kernel, loss string }{
		{"@blobs:n=300,classes=3", "", "squared-hinge"}, {"@spirals:n=200", "rbf:gamma=10", ""}, {"@linear:n=200", "", ""},
	} {
		c := newCaller(t)
		set, q := generated(t, c, s.data)
		got := c.ask("fit", map[string]any{"data": q, "spec": map[string]any{"loss": s.loss, "kernel": s.kernel, "gap": 1e-4, "scaling": "none"}})
		file := c.bytes(got.Result.Model, 1)
		want, err := fenchel.Train(t.Context(), set, fenchel.Spec{Loss: s.loss, Kernel: s.kernel, Gap: 1e-4, Scaling: "none"})
		if err != nil {
			t.Fatal(err)
		}
		var expected bytes.Buffer
		if err := want.Model.Write(&expected); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(file, expected.Bytes()) {
			t.Errorf("%s: found another model than that of fenchel.Train", s.data)
		}
		at := write(c, file)
		verified := c.ask("verify", map[string]any{"model": source{Key: "a", Bytes: &at}, "data": q})
		if len(verified.Result.Problems) > 0 || *verified.Result.Certificate.Dual != want.Summary.Dual {
			t.Errorf("%s: verify found %v", s.data, verified.Result.Problems)
		}
		scored := c.ask("score", map[string]any{"model": source{Key: "a"}, "x": q.X}) // the engine has it by now
		raw := c.bytes(scored.Result.Scores, 8)
		scores := unsafe.Slice((*float64)(unsafe.Pointer(&raw[0])), scored.Result.Scores.Count)
		for i, row := range model.Scores(want.Model, set.X, 1) {
			for k, x := range row {
				if scores[i*len(row)+k] != x {
					t.Fatalf("%s: row %d: found the score %v, expected %v", s.data, i+1, scores[i*len(row)+k], x)
				}
			}
		}
	}
}

// Certify judges a predictor by the lower bound of the problem: zero weights of a hinge have
// the objective 1, and the optimum has a gap that is no larger than that of the fit.
func TestCertify(t *testing.T) {
	c := newCaller(t)
	set, q := generated(t, c, "@toy")
	spec := map[string]any{"loss": "hinge", "gap": 1e-6, "scaling": "none"}
	best, err := fenchel.Train(t.Context(), set, fenchel.Spec{Loss: "hinge", Gap: 1e-6, Scaling: "none"})
	if err != nil {
		t.Fatal(err)
	}
	o := best.Model.Outputs[0]
	zero := c.ask("certify", map[string]any{"data": q, "spec": spec, "weights": write(c, make([]float64, set.Cols())), "bias": write(c, []float64{0})})
	if p := *zero.Result.Certificate.Primal; p != 1 {
		t.Errorf("found the objective %v of zero weights, expected 1", p)
	}
	if d := *zero.Result.Certificate.Dual; d > best.Summary.Primal {
		t.Errorf("found the lower bound %v, above the objective %v of a point", d, best.Summary.Primal)
	}
	same := c.ask("certify", map[string]any{"data": q, "spec": spec, "weights": write(c, o.Weights), "bias": write(c, []float64{o.Bias})})
	if g := *same.Result.Certificate.Gap; g > 1e-6 {
		t.Errorf("found the gap %v of the optimum, expected at most 1e-6", g)
	}
	rows := make([]float64, set.Rows()) // of a kernel machine there is a coefficient for each row
	spec["kernel"] = "linear"
	zero = c.ask("certify", map[string]any{"data": q, "spec": spec, "weights": write(c, rows), "bias": write(c, []float64{0})})
	if p := *zero.Result.Certificate.Primal; p != 1 {
		t.Errorf("found the objective %v of zero coefficients, expected 1", p)
	}
	if d := *zero.Result.Certificate.Dual; math.Abs(d-best.Summary.Primal) > 1e-5 {
		t.Errorf("found the lower bound %v of the machine of the linear kernel, expected about %v", d, best.Summary.Primal)
	}
}

// What cannot be is refused in one line, and the engine goes on.
func TestRefusals(t *testing.T) {
	c := newCaller(t)
	_, q := generated(t, c, "@toy")
	outside := q
	outside.X.Values.Count = 1 << 40
	crooked := q
	crooked.X.Values.Offset = 4
	short := q
	short.X.Rows++
	sparse := q
	starts := write(c, []int64{0, 5, 3})
	sparse.X = rows{Rows: 2, Cols: 2, Starts: &starts, Indices: write(c, []uint32{0, 1, 0}), Values: write(c, []float32{1, 2, 3})}
	for _, s := range []struct {
		verb, kind, want string
		fields           map[string]any
	}{
		{"fry", "parameter", "unknown request", nil},
		{"fit", "parameter", "shared memory of", map[string]any{"data": outside}},
		{"fit", "parameter", "multiple of 8", map[string]any{"data": crooked}},
		{"fit", "parameter", "", map[string]any{"data": short}},
		{"fit", "parameter", "", map[string]any{"data": sparse}},
		{"fit", "parameter", "unknown loss", map[string]any{"data": q, "spec": map[string]any{"loss": "sorrow"}}},
		{"fit", "parameter", "C=-1", map[string]any{"data": q, "spec": map[string]any{"C": -1}}},
		{"score", "unknown-model", "bytes", map[string]any{"model": source{Key: "none"}, "x": q.X}},
		{"read", "data", "no-such-file", map[string]any{"sources": []string{"no-such-file"}}},
	} {
		f := c.refused(s.verb, s.fields)
		if f.Kind != s.kind || !strings.Contains(f.Message, s.want) || strings.Contains(f.Message, "\n") {
			t.Errorf("%s: found %+v, expected kind %s with %q", s.verb, f, s.kind, s.want)
		}
	}
	if c.ask("info", nil).Result.Version == "" {
		t.Error("found no version")
	}
}

// A request that is cancelled answers with the best model so far, and those after it are as
// if it had not been.
func TestCancel(t *testing.T) {
	c := newCaller(t)
	_, q := generated(t, c, "@spirals:n=3000")
	id := c.send("fit", map[string]any{"data": q, "spec": map[string]any{"kernel": "rbf:gamma=1", "C": 1e6, "gap": 1e-14}})
	time.Sleep(300 * time.Millisecond)
	if err := writeFrame(c.to, map[string]any{"verb": "cancel", "id": id}); err != nil {
		t.Fatal(err)
	}
	r := c.receive()
	if r.Error != nil && r.Error.Kind != "interrupted" { // there was no model yet
		t.Fatalf("found the error %+v", r.Error)
	}
	if r.Error == nil {
		if r.Result.Status != "interrupted" {
			t.Errorf("found the status %q, expected interrupted", r.Result.Status)
		}
		if _, err := model.Decode(c.bytes(r.Result.Model, 1)); err != nil {
			t.Error(err)
		}
	}
	c.ask("fit", map[string]any{"data": q, "spec": map[string]any{"kernel": "rbf:gamma=1"}})
}

// The end of the requests ends the engine, also in the middle of a fit.
func TestEnd(t *testing.T) {
	c := newCaller(t)
	_, q := generated(t, c, "@spirals:n=3000")
	c.send("fit", map[string]any{"data": q, "spec": map[string]any{"kernel": "rbf:gamma=1", "C": 1e6, "gap": 1e-14}})
	c.to.Close()
	select {
	case err := <-c.done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(time.Minute):
		t.Error("the engine goes on after the end of its requests")
	}
}

// TestSignal: a signal that ends this process leaves no engine that answers every request as if it were interrupted.
func TestSignal(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var frames, answers bytes.Buffer
	if err := writeFrame(&frames, map[string]any{"verb": "info", "id": 1}); err != nil {
		t.Fatal(err)
	}
	if err := Serve(ctx, &frames, &answers, nil); err == nil || !strings.Contains(err.Error(), "signal") || answers.Len() > 0 {
		t.Errorf("found %v and %d bytes of answers, expected an error alone", err, answers.Len())
	}
}

// Components of a stream of two blocks are those of one run, and images have the inner
// products of the kernel.
func TestComponents(t *testing.T) {
	c := newCaller(t)
	set, q := generated(t, c, "@low-rank:n=400,d=10")
	all := c.ask("pca", map[string]any{"data": q, "spec": map[string]any{"k": 3, "center": "yes", "scale": "none"}})
	if p, u := *all.Result.Certificate.Captured, *all.Result.Certificate.Upper; !(p <= u && p > 0.999*u-1e-9) {
		t.Errorf("found %v captured of at most %v", p, u)
	}
	stream := map[string]any{"k": 3, "method": "ipca", "hold_out": -1, "scale": "none"}
	first := c.ask("pca-learn", map[string]any{"data": q, "spec": stream})
	at := write(c, c.bytes(first.Result.Model, 1))
	second := c.ask("pca-learn", map[string]any{"data": q, "spec": stream, "from": source{Bytes: &at}})
	m, err := model.DecodePCA(c.bytes(second.Result.Model, 1))
	if err != nil || m.Data.Rows != 2*set.Rows() {
		t.Fatalf("found a stream of %v rows, error %v", m.Data.Rows, err)
	}
	made := c.ask("map", map[string]any{"x": q.X, "kernel": "rbf:gamma=0.5", "map": "nystrom:rank=400", "seed": 1})
	landmarks := *made.Result.Landmarks
	raw := c.bytes(landmarks.Values, 4)
	landmarks.Values = write(c, unsafe.Slice((*float32)(unsafe.Pointer(&raw[0])), landmarks.Values.Count))
	images := c.ask("images", map[string]any{"x": q.X, "kernel": "rbf:gamma=0.5", "map": "nystrom:rank=400", "seed": 1, "cols": 10, "landmarks": landmarks})
	raw = c.bytes(images.Result.Images, 4)
	image := unsafe.Slice((*float32)(unsafe.Pointer(&raw[0])), images.Result.Images.Count)
	width := len(image) / set.Rows()
	var norm float64
	for _, x := range image[:width] {
		norm += float64(x) * float64(x)
	}
	if norm < 0.99 || norm > 1.000001 {
		t.Errorf("found the squared norm %v of an image by all rows, expected 1", norm)
	}
}
