package fenchel_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// read returns a set, from a generator as a rule.
func read(t testing.TB, source string) *data.Set {
	t.Helper()
	set, err := data.Read(context.Background(), []string{source}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// fit trains, and reads the model back from its bytes.
func fit(t testing.TB, set *data.Set, spec fenchel.Spec) (*model.Model, []byte) {
	t.Helper()
	result, err := fenchel.Train(context.Background(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := result.Model.Write(&file); err != nil {
		t.Fatal(err)
	}
	m, err := model.Decode(file.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return m, file.Bytes()
}

// agrees fails the test unless everything that m claims is found.
func agrees(t *testing.T, m *model.Model, set *data.Set) *fenchel.Verification {
	t.Helper()
	v, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range v.Problems {
		t.Errorf("FALSE: %s", p)
	}
	return v
}

func TestVerifyEveryProblem(t *testing.T) {
	classes, numbers := read(t, "@toy:n=120,d=5"), read(t, "@linear:n=120,d=5")
	counts := read(t, "@linear:n=120,d=5")
	for i, y := range counts.Target.Number {
		counts.Target.Number[i] = math.Abs(y)
	}
	for _, l := range loss.Entries() {
		for _, p := range penalty.Entries() {
			for _, bias := range problem.BiasNames() {
				t.Run(l.Name+"/"+p.Name+"/"+bias, func(t *testing.T) {
					set, spec := classes, fenchel.Spec{Loss: l.Name, Penalty: p.Name, Bias: bias, Gap: 1e-3, Run: fenchel.Run{Epochs: 20000}}
					if made, err := loss.New(l.Name); err != nil {
						t.Fatal(err)
					} else if _, margin := made.(loss.Margin); !margin {
						set, spec.Task = numbers, "regression"
						if least, _ := loss.Targets(made); least == 0 {
							set = counts
						}
					}
					if spec.Check() != nil {
						t.Skip("refused: ", spec.Check())
					}
					if made, err := penalty.New(p.Name); err != nil {
						t.Fatal(err)
					} else if _, _, ok := penalty.Coefficients(made); !ok {
						t.Skip("few solvers know this penalty")
					}
					m, _ := fit(t, set, spec)
					v := agrees(t, m, set)
					if v.Found != v.Claimed {
						t.Errorf("found %+v, claimed %+v: expected the same bits from the same program", v.Found, v.Claimed)
					}
					if end := m.Outputs[0].Certificate.Status; end != "converged" {
						t.Errorf("status %s, expected converged", end)
					}
				})
			}
		}
	}
}

func TestVerifyVariants(t *testing.T) {
	blobs, toy, text, numbers := read(t, "@blobs:n=150,d=4,classes=4"), read(t, "@toy:n=100,d=4"), read(t, "@text:n=150,d=500,nnz=20"), read(t, "@linear:n=100,d=5")
	weighted := *toy
	weighted.Weight = make([]float64, weighted.Rows())
	for i := range weighted.Weight {
		weighted.Weight[i] = 0.5 + float64(i%3)
	}
	for name, c := range map[string]struct {
		set  *data.Set
		spec fenchel.Spec
	}{
		"several classes":           {blobs, fenchel.Spec{}},
		"several classes, logistic": {blobs, fenchel.Spec{Loss: "logistic", Scaling: "std"}},
		"class weights":             {blobs, fenchel.Spec{Weighting: fenchel.Weighting{ClassWeight: map[string]float64{"2": 3, "4": 0.25}}}},
		"balanced":                  {blobs, fenchel.Spec{Weighting: fenchel.Weighting{Balanced: true}}},
		"row weights":               {&weighted, fenchel.Spec{Loss: "squared-hinge"}},
		"row weights, balanced":     {&weighted, fenchel.Spec{Loss: "hinge", Weighting: fenchel.Weighting{Balanced: true}}},
		"scaled by max":             {toy, fenchel.Spec{Scaling: "max"}},
		"scaled by std":             {toy, fenchel.Spec{Scaling: "std"}},
		"sparse, scaled":            {text, fenchel.Spec{Scaling: "std", Run: fenchel.Run{Epochs: 20}}},
		"tiny gap":                  {toy, fenchel.Spec{Loss: "logistic", Gap: 1e-9}},
		"l1":                        {text, fenchel.Spec{Loss: "logistic", Penalty: "l1", C: 10}},
		"elastic net":               {numbers, fenchel.Spec{Penalty: "elastic-net:ratio=0.9", Lambda: 0.05}},
		"classes by least squares":  {toy, fenchel.Spec{Loss: "squared"}},
		"epoch limit":               {toy, fenchel.Spec{Loss: "logistic", Gap: 1e-12, Run: fenchel.Run{Epochs: 2}}},
	} {
		t.Run(name, func(t *testing.T) {
			m, _ := fit(t, c.set, c.spec)
			if v := agrees(t, m, c.set); v.Found != v.Claimed || v.Rebuilt {
				t.Errorf("found %+v, claimed %+v, rebuilt %v: expected the same bits", v.Found, v.Claimed, v.Rebuilt)
			}
			c.spec.NoDual = true
			m, _ = fit(t, c.set, c.spec)
			if m.Outputs[0].Dual != nil {
				t.Error("found dual variables in a model that should leave them out")
			}
			if v := agrees(t, m, c.set); !v.Rebuilt || v.Found.Primal != v.Claimed.Primal {
				t.Errorf("without dual: found %+v, claimed %+v, rebuilt %v", v.Found, v.Claimed, v.Rebuilt)
			}
		})
	}
}

// forgery is a model file taken apart.
type forgery struct {
	header   map[string]json.RawMessage
	metadata map[string]string
	body     []byte
}

func takeApart(t testing.TB, file []byte) *forgery {
	t.Helper()
	n := 8 + binary.LittleEndian.Uint64(file)
	f := &forgery{body: bytes.Clone(file[n:])}
	if err := json.Unmarshal(file[8:n], &f.header); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(f.header["__metadata__"], &f.metadata); err != nil {
		t.Fatal(err)
	}
	return f
}

// tensor returns the bytes of a tensor, to be written to.
func (f *forgery) tensor(t testing.TB, name string) []byte {
	var h struct {
		Offsets [2]int `json:"data_offsets"`
	}
	if err := json.Unmarshal(f.header[name], &h); err != nil {
		t.Fatal(err)
	}
	return f.body[h.Offsets[0]:h.Offsets[1]]
}

// edit replaces text in one piece of metadata.
func (f *forgery) edit(t testing.TB, key, old, by string) {
	t.Helper()
	if !strings.Contains(f.metadata[key], old) {
		t.Fatalf("%s has no %q: %s", key, old, f.metadata[key])
	}
	f.metadata[key] = strings.Replace(f.metadata[key], old, by, 1)
}

// file puts the parts together; digest computes the digests anew, as a clever forger would.
func (f *forgery) file(t testing.TB, digest bool) []byte {
	t.Helper()
	if digest {
		h := sha256.New()
		order := []string{"bias", "weights", "dual"} // wide numbers first, then by name
		if bytes.Contains(f.header["dual"], []byte("F64")) {
			order = []string{"bias", "dual", "weights"}
		}
		for _, name := range order {
			var shape struct {
				DType string `json:"dtype"`
				Shape []int  `json:"shape"`
			}
			if f.header[name] == nil {
				continue
			}
			if err := json.Unmarshal(f.header[name], &shape); err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(h, "%q %s %v\n%s", name, shape.DType, shape.Shape, f.tensor(t, name))
		}
		f.metadata["tensors_digest"] = "sha256:" + hex.EncodeToString(h.Sum(nil))
		h.Reset()
		delete(f.metadata, "metadata_digest")
		for _, key := range slices.Sorted(maps.Keys(f.metadata)) {
			fmt.Fprintf(h, "%q %q\n", key, f.metadata[key])
		}
		f.metadata["metadata_digest"] = "sha256:" + hex.EncodeToString(h.Sum(nil))
	}
	var err error
	if f.header["__metadata__"], err = json.Marshal(f.metadata); err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(f.header)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, f.body)
}

// largest returns where the dual variable of the largest magnitude begins.
func largest(dual []byte) int {
	at, size := 0, float32(0)
	for i := 0; i < len(dual); i += 4 {
		if a := math.Float32frombits(binary.LittleEndian.Uint32(dual[i:])); a*a > size {
			at, size = i, a*a
		}
	}
	return at
}

func TestVerifyRefutesForgeries(t *testing.T) {
	set := read(t, "@toy:n=100,d=4")
	whole, file := fit(t, set, fenchel.Spec{Loss: "logistic", Scaling: "none", Weighting: fenchel.Weighting{ClassWeight: map[string]float64{"+1": 2}}})
	bound := float64(whole.Outputs[0].Certificate.Dual)
	half, _ := fit(t, set, fenchel.Spec{Loss: "logistic", Gap: 1e-9, Run: fenchel.Run{Epochs: 1}})
	var unfinished bytes.Buffer
	if err := half.Write(&unfinished); err != nil {
		t.Fatal(err)
	}
	certificate := half.Outputs[0].Certificate
	for _, c := range []struct {
		name  string
		file  []byte
		forge func(*forgery)
		want  string // part of a problem
	}{
		{"a weight", file, func(f *forgery) { f.tensor(t, "weights")[6] ^= 1 }, "claims the objective"},
		{"the bias", file, func(f *forgery) { f.tensor(t, "bias")[6] ^= 1 }, "claims the objective"},
		{"a dual variable", file, func(f *forgery) { d := f.tensor(t, "dual"); d[largest(d)+3] ^= 0x80 }, "claims the lower bound"},
		{"a dual variable, NaN", file, func(f *forgery) { d := f.tensor(t, "dual"); copy(d[largest(d):], "\x00\x00\xc0\x7f") }, "claims the lower bound"},
		{"lambda", file, func(f *forgery) { f.edit(t, "problem", `"lambda":0.00`, `"lambda":0.01`) }, "claims the objective"},
		{"lambda, negative", file, func(f *forgery) { f.edit(t, "problem", `"lambda":`, `"lambda":-`) }, "expected a number > 0"},
		{"the loss", file, func(f *forgery) { f.edit(t, "problem", `"logistic"`, `"hinge"`) }, "claims the objective"},
		{"the penalty", file, func(f *forgery) { f.edit(t, "problem", `"l2"`, `"l1"`) }, "claims the objective"},
		{"an unknown penalty", file, func(f *forgery) { f.edit(t, "problem", `"l2"`, `"l3"`) }, "unknown penalty"},
		{"no bias", file, func(f *forgery) { f.edit(t, "problem", `"free"`, `"none"`) }, "claimed to have none"},
		{"a bias with penalty", file, func(f *forgery) { f.edit(t, "problem", `"free"`, `"feature"`) }, "claims the objective"},
		{"a class weight", file, func(f *forgery) { f.edit(t, "problem", `"+1":2`, `"+1":3`) }, "claims the objective"},
		{"the classes", file, func(f *forgery) { f.edit(t, "classes", `"-1","+1"`, `"+1","-1"`) }, "claims the objective"},
		{"the claimed primal", file, func(f *forgery) { f.edit(t, "certificates", `"primal":0.`, `"primal":0.0`) }, "claims the objective"},
		{"the claimed dual", file, func(f *forgery) { f.edit(t, "certificates", `"dual":0.`, `"dual":0.9`) }, "claims the lower bound"},
		{"the claimed dual, null", file, func(f *forgery) { f.edit(t, "certificates", `"dual":0.`, `"dual":null,"x":0.`) }, "claims to have converged"},
		{"the claimed dual, a digit larger", file, func(f *forgery) {
			f.edit(t, "certificates", fmt.Sprintf(`"dual":%v`, bound), fmt.Sprintf(`"dual":%v`, bound*(1+1e-6)))
		}, "claims the lower bound"},
		{"the claimed scale", file, func(f *forgery) { f.edit(t, "certificates", `"zero":0.`, `"zero":9.`) }, "objective of zero weights"},
		{"the status", unfinished.Bytes(), func(f *forgery) { f.edit(t, "certificates", `"epoch-limit"`, `"converged"`) }, "claims to have converged"},
		{"the status, modest", file, func(f *forgery) { f.edit(t, "certificates", `"converged"`, `"time-limit"`) }, "claims the status time-limit"},
		{"the status, invented", file, func(f *forgery) { f.edit(t, "certificates", `"converged"`, `"perfect"`) }, `claims the status "perfect"`},
		{"the gap asked for", file, func(f *forgery) { f.edit(t, "problem", `"gap":0.001`, `"gap":1e-9`) }, "claims to have converged"},
		{"the rows", file, func(f *forgery) { f.edit(t, "data", `sha256:`, `sha256:0`) }, "the data differ"},
		{"an unfinished claim made perfect", unfinished.Bytes(), func(f *forgery) {
			f.edit(t, "certificates", fmt.Sprintf(`"dual":%v`, float64(certificate.Dual)), fmt.Sprintf(`"dual":%v`, float64(certificate.Primal)))
			f.edit(t, "certificates", `"epoch-limit"`, `"converged"`)
		}, "claims the lower bound"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := takeApart(t, c.file)
			c.forge(f)
			m, err := model.Decode(f.file(t, true))
			if err != nil {
				t.Fatalf("the forged digest does not fit: %v", err)
			}
			v, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Join(v.Problems, "\n"), c.want) {
				t.Errorf("found the problems %q, expected one with %q", v.Problems, c.want)
			}
		})
	}
}

func TestVerifyNoticesEveryDualByte(t *testing.T) {
	set := read(t, "@toy:n=20,d=3")
	_, file := fit(t, set, fenchel.Spec{Loss: "logistic"})
	for i := range takeApart(t, file).tensor(t, "dual") {
		f := takeApart(t, file)
		f.tensor(t, "dual")[i] ^= 1
		if _, err := model.Decode(f.file(t, false)); !errors.Is(err, model.ErrTampered) {
			t.Fatalf("byte %d of the dual changed: found error %v, expected ErrTampered", i, err)
		}
	}
}

func TestVerifyWithoutDualRefutes(t *testing.T) {
	set := read(t, "@toy:n=100,d=4")
	_, file := fit(t, set, fenchel.Spec{Loss: "logistic", Record: fenchel.Record{NoDual: true}})
	f := takeApart(t, file)
	f.edit(t, "certificates", `"dual":0.`, `"dual":0.9`)
	m, err := model.Decode(f.file(t, true))
	if err != nil {
		t.Fatal(err)
	}
	if v, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{}); err != nil || len(v.Problems) == 0 {
		t.Errorf("found no problem (error %v), expected one: a bound above the objective", err)
	}
}

func TestVerifyRefutesOtherData(t *testing.T) {
	rows := [][]float32{{1, 2}, {2, 1}, {-1, 0}, {0, -2}}
	labels := []string{"a", "a", "b", "b"}
	set, err := data.FromDense(rows, data.Labels(labels))
	if err != nil {
		t.Fatal(err)
	}
	m, _ := fit(t, set, fenchel.Spec{})
	agrees(t, m, set)
	for _, c := range []struct {
		name   string
		change func(s *data.Set)
		want   string
	}{
		{"a value", func(*data.Set) { rows[2][1] = 1e-6 }, "the data differ"},
		{"a label", func(*data.Set) { labels[3] = "a" }, "the data differ"},
		{"a new label", func(*data.Set) { labels[3] = "c" }, "not among the model's classes"},
		{"a row more", func(*data.Set) { rows, labels = append(rows, rows[0]), append(labels, "a") }, "the data have 5 rows"},
		{"a weight", func(s *data.Set) { s.Weight = []float64{1, 1, 1, 1.5} }, "the data differ"},
	} {
		rows = [][]float32{{1, 2}, {2, 1}, {-1, 0}, {0, -2}}
		labels = []string{"a", "a", "b", "b"}
		c.change(&data.Set{})
		other, err := data.FromDense(rows, data.Labels(labels))
		if err != nil {
			t.Fatal(err)
		}
		c.change(other)
		if v, err := fenchel.Verify(t.Context(), m, other, fenchel.Options{}); err != nil || !strings.Contains(strings.Join(v.Problems, "\n"), c.want) {
			t.Errorf("%s: found %v and error %v, expected a problem with %q", c.name, v, err, c.want)
		}
	}
	if _, err := fenchel.Verify(t.Context(), m, &data.Set{X: set.X}, fenchel.Options{}); err == nil {
		t.Error("rows without targets: found no error")
	}
}

// A bound below the one that is found is true, as that of a run whose time was over may be.
func TestVerifyTakesSmallerClaims(t *testing.T) {
	set := read(t, "@toy:n=100,d=4")
	m, _ := fit(t, set, fenchel.Spec{Loss: "logistic", Gap: 1e-9, Run: fenchel.Run{Epochs: 1}})
	claim := &m.Outputs[0].Certificate
	for by, valid := range map[float64]bool{-0.5: true, -1e-6: true, 0: true, 1e-6: false} {
		before := claim.Dual
		claim.Dual += model.Bound(by * math.Abs(float64(before)))
		if v, err := fenchel.Verify(t.Context(), m, set, fenchel.Options{}); err != nil || valid != (len(v.Problems) == 0) || v.Unproved != "" {
			t.Errorf("a bound moved by %v of its size: found %q, %q, %v", by, v.Problems, v.Unproved, err)
		}
		claim.Dual = before
	}
}

// Probabilities that come from folds are neither proved nor refuted by verifying, which trains
// nothing: with the signs turned they would be as valid. The marks of one class are computed again.
func TestVerifyOfCalibrations(t *testing.T) {
	two, numbers := read(t, "@toy:n=100,d=4"), read(t, "@linear:n=100,d=4")
	for name, c := range map[string]struct {
		set    *data.Set
		spec   fenchel.Spec
		proved bool
		forge  func(*model.Calibration)
	}{
		"sigmoid":   {two, fenchel.Spec{}, false, func(c *model.Calibration) { c.Platt[0][0] *= -1 }},
		"errors":    {numbers, fenchel.Spec{Task: "regression"}, false, func(c *model.Calibration) { c.Laplace *= 2 }},
		"one class": {two, fenchel.Spec{Task: pose.OneClass, Kernel: "rbf:gamma=0.3", Nu: 0.4}, true, func(c *model.Calibration) { c.Marks[3] -= 1e-3 }},
	} {
		c.spec.Probabilities = true
		m, _ := fit(t, c.set, c.spec)
		v, err := fenchel.Verify(t.Context(), m, c.set, fenchel.Options{})
		if err != nil || len(v.Problems) > 0 || c.proved != (v.Unproved == "") {
			t.Errorf("%s: found %+v, %v", name, v, err)
		}
		c.forge(m.Calibration)
		v, err = fenchel.Verify(t.Context(), m, c.set, fenchel.Options{})
		if err != nil || len(v.Problems) == 0 && v.Unproved == "" || c.proved != (len(v.Problems) > 0) {
			t.Errorf("%s, forged: found %+v, %v", name, v, err)
		}
	}
}

// No model that a limit of time ended is found false, whatever the solver.
func TestVerifyOfLateModels(t *testing.T) {
	cases := 20
	if *fenchel.Long {
		cases = 1000
	}
	sets := map[string]*data.Set{"classification": read(t, "@blobs:n=60,d=5,classes=3,spread=3"), "regression": read(t, "@linear:n=60,d=5")}
	specs := []fenchel.Spec{{Loss: "hinge"}, {Loss: "logistic"}, {Loss: "squared-hinge"}, {Loss: "softmax"}, {Loss: "crammer-singer"}, {Scheme: model.OneAgainstOne},
		{Loss: "hinge", Slack: 0.1}, {Loss: "hinge", Nu: 0.2, Kernel: "linear"}, {Loss: "squared"}, {Loss: "absolute"}, {Loss: "epsilon-insensitive"}, {Loss: "huber"}, {Loss: "quantile:tau=0.3"}}
	limited := 0
	for i := range cases {
		spec, r := specs[i%len(specs)], rand.New(rand.NewPCG(uint64(i), 1))
		spec.Task = "classification"
		if i%len(specs) > 7 {
			spec.Task = "regression"
		}
		spec.Gap, spec.Time = 1e-13, time.Duration(1+r.IntN(20))*time.Millisecond
		if spec.Nu == 0 && spec.Slack == 0 {
			spec.Lambda = math.Pow(10, -4*r.Float64())
		}
		if r.IntN(2) == 0 && spec.Slack == 0 {
			spec.Kernel = []string{"linear", "rbf:gamma=0.3", "poly:degree=2,coef0=1"}[r.IntN(3)]
		}
		result, err := fenchel.Train(t.Context(), sets[spec.Task], spec)
		var late fenchel.LimitError
		if errors.As(err, &late) {
			continue
		}
		if err != nil {
			t.Fatalf("%+v: %v", spec, err)
		}
		if result.Status == "time-limit" {
			limited++
		}
		if v, err := fenchel.Verify(t.Context(), result.Model, sets[spec.Task], fenchel.Options{}); err != nil || len(v.Problems) > 0 {
			t.Errorf("%+v, %s: found %q, %v", spec, result.Status, v.Problems, err)
		}
	}
	t.Logf("%d of %d models ended by the limit", limited, cases)
}

// TestOK: neither a false claim nor one that could not be checked is in order.
func TestOK(t *testing.T) {
	for _, c := range []struct {
		v  fenchel.Verification
		ok bool
	}{{fenchel.Verification{}, true}, {fenchel.Verification{Problems: []string{"false"}}, false}, {fenchel.Verification{Unproved: "open"}, false}} {
		if c.v.OK() != c.ok {
			t.Errorf("%+v: OK() is %t", c.v, !c.ok)
		}
	}
}
