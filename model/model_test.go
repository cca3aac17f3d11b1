package model

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/safetensors"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// examples are models of every shape that a file can have, of three features
// and four rows.
func examples(t testing.TB) map[string]*Model {
	scaling, err := scaling.Restore("std", []float64{1, 0, -2}, []float64{0.5, 1, 1e-3})
	if err != nil {
		t.Fatal(err)
	}
	output := func(b float64) Output {
		return Output{Weights: []float64{1, -2.5, 1e-300}, Bias: b, Dual: []float64{0, -1, 0.5, 0.25},
			Certificate: Certificate{Status: "converged", Primal: 0.5, Dual: 0.4999, Zero: 1, Epochs: 7}}
	}
	state := func(loss string, outputs ...Output) *Model {
		return &Model{Statement: Statement{Loss: loss, Penalty: "l2", Lambda: 0.25, Bias: "free", Solver: "sdca", Gap: 1e-3, Seed: 1},
			Data: Data{Rows: 4, Features: 3, Nonzeros: 9, Digest: "sha256:00"}, Outputs: outputs, Version: "test"}
	}
	binary := state("logistic", output(0.125))
	binary.Classes, binary.Features = []string{"no", "yes"}, []string{"a", "b=ä", "b=\"c\""}
	binary.Statement.ClassWeight = map[string]float64{"no": 1, "yes": 2}
	multi := state("hinge", output(1), output(2), output(3))
	multi.Classes = []string{"1", "2", "10"}
	regression := state("huber:delta=2", output(-1))
	wide := state("squared", output(0.1))
	wide.Outputs[0].Dual[2] = 1.0 / 3 // not a float32
	scaled := state("squared", output(0))
	scaled.Scaling = scaling
	scaled.Schema = &data.Schema{Target: 0, Weight: -1, Header: true, Columns: []data.Column{
		{Name: "price"}, {Name: "a", Fill: 1.5}, {Name: "b", Category: []string{"x", "?"}}}}
	bare := state("hinge", output(0))
	bare.Classes, bare.Outputs[0].Dual = []string{"-1", "+1"}, nil
	unproved := state("squared", output(0))
	unproved.Outputs[0].Certificate.Dual = Bound(math.Inf(-1))
	sparse := state("hinge", output(0.5), output(1), output(2))
	sparse.Classes, sparse.Statement.Kernel = []string{"a", "b", "c"}, "rbf:gamma=0.5"
	sparse.Statement.Scheme = OneAgainstOne
	rows := &matrix.CSR{Cols: 3, Start: []int64{0, 2, 2, 3}, Index: []uint32{0, 2, 1}, Value: []float32{1, -2, 0.25}}
	sparse.Support = &Support{Kernel: kernel.RBF{Gamma: 0.5}, Rows: rows, Index: []uint32{0, 1, 3}}
	dense := state("hinge", output(0.5))
	dense.Classes, dense.Statement.Kernel = []string{"-1", "1"}, "linear"
	dense.Support = &Support{Kernel: kernel.Linear{}, Rows: &matrix.Dense{Rows: 3, Cols: 3, Value: []float32{1, 2, 3, 4, 5, 6, 7, 8, 9}}}
	dense.Data.Rows, dense.Outputs[0].Dual = 0, nil
	dense.Outputs[0].Certificate = Certificate{Status: Imported}
	dense.Statement.Lambda, dense.Statement.ClassWeight = 0, nil
	empty := state("hinge", Output{Weights: []float64{}, Bias: -1})
	empty.Statement.Kernel = "rbf:gamma=2"
	empty.Support = &Support{Kernel: kernel.RBF{Gamma: 2}, Rows: &matrix.CSR{Cols: 3, Start: []int64{0}, Index: []uint32{}, Value: []float32{}}}
	random := state("logistic", output(0.5))
	random.Classes, random.Statement.Kernel, random.Statement.Map = []string{"a", "b"}, "laplacian:gamma=0.5", "fourier:dim=4"
	random.Outputs[0].Weights = []float64{1, 2, 3, -4}
	landmarks := state("hinge", output(0.5), output(1), output(2))
	landmarks.Classes, landmarks.Statement.Kernel, landmarks.Statement.Map = []string{"a", "b", "c"}, "rbf:gamma=0.5", "nystrom:rank=3"
	full := state("squared", output(0.5))
	full.Scaling, full.Statement.Kernel, full.Statement.Map = scaling, "poly:degree=2,gamma=1,coef0=1", "cholesky:rank=9"
	if random.Map, err = featuremap.NewFourier(kernel.Laplacian{Gamma: 0.5}, 3, 2, 1); err != nil {
		t.Fatal(err)
	}
	if landmarks.Map, err = featuremap.RestoreNystrom(kernel.RBF{Gamma: 0.5}, rows); err != nil {
		t.Fatal(err)
	}
	if full.Map, err = featuremap.RestoreNystrom(kernel.Poly{Degree: 2, Gamma: 1, Coef0: 1}, &matrix.Dense{Rows: 3, Cols: 3, Value: []float32{1, 2, 3, 0, 1, 0, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	return map[string]*Model{"random features": random, "sparse landmarks": landmarks, "dense landmarks": full, "sparse machine": sparse, "dense machine": dense, "empty machine": empty, "binary": binary, "multi": multi, "regression": regression, "float64 dual": wide,
		"scaled table": scaled, "no dual": bare, "nothing proved": unproved}
}

func encode(t testing.TB, m *Model) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRoundTrip(t *testing.T) {
	for name, m := range examples(t) {
		t.Run(name, func(t *testing.T) {
			first := encode(t, m)
			read, err := Decode(first)
			if err != nil {
				t.Fatal(err)
			}
			if second := encode(t, read); !bytes.Equal(first, second) {
				t.Errorf("the model read and written again is\n%q, expected\n%q", second, first)
			}
			row := matrix.Vector{Index: []uint32{0, 2, 9}, Value: []float32{2, 3, 4}} // column 9 is unknown
			if got, want := fmt.Sprint(read.Scores(nil, row)), fmt.Sprint(m.Scores(nil, row)); got != want {
				t.Errorf("the model read scores a row %s, expected %s", got, want)
			}
		})
	}
}

func TestWriteFileKeepsTheOldModel(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	models := examples(t)
	if err := models["binary"].WriteFile(path); err != nil {
		t.Fatal(err)
	}
	broken := *models["multi"]
	broken.Statement.Lambda = math.NaN() // JSON cannot say it
	if err := broken.WriteFile(path); err == nil {
		t.Fatal("a model with lambda NaN was written")
	}
	if _, err := ReadFile(path); err != nil {
		t.Errorf("after a failed write: %v, expected the old model", err)
	}
	if files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(files) != 1 {
		t.Errorf("found %v, expected the model alone", files)
	}
}

// TestIndependentReader reads a model by nothing but the published description
// of safetensors: u64 length, JSON header, bytes.
func TestIndependentReader(t *testing.T) {
	data := encode(t, examples(t)["multi"])
	length := binary.LittleEndian.Uint64(data)
	var header map[string]struct {
		DType   string `json:"dtype"`
		Shape   []int  `json:"shape"`
		Offsets []int  `json:"data_offsets"`
	}
	if err := json.Unmarshal(data[8:8+length], &header); err != nil {
		t.Fatal(err)
	}
	body, h := data[8+length:], header["weights"]
	if h.DType != "F64" || fmt.Sprint(h.Shape) != "[3 3]" || h.Offsets[1]-h.Offsets[0] != 72 {
		t.Fatalf("weights: found %+v, expected F64 of shape [3 3]", h)
	}
	if w := math.Float64frombits(binary.LittleEndian.Uint64(body[h.Offsets[0]+8*4:])); w != -2.5 {
		t.Errorf("weights[1][1]: found %g, expected -2.5", w)
	}
	h = header["dual"]
	if h.DType != "F32" || fmt.Sprint(h.Shape) != "[3 4]" {
		t.Fatalf("dual: found %+v, expected F32 of shape [3 4]", h)
	}
	if a := math.Float32frombits(binary.LittleEndian.Uint32(body[h.Offsets[0]+4*6:])); a != 0.5 {
		t.Errorf("dual[1][2]: found %g, expected 0.5", a)
	}
	for name, h := range header {
		if width := map[string]int{"F32": 4, "F64": 8}[h.DType]; width > 0 && (8+int(length)+h.Offsets[0])%width != 0 {
			t.Errorf("%s begins at byte %d, expected a multiple of %d for memory maps", name, 8+int(length)+h.Offsets[0], width)
		}
	}
}

// forge changes the header of a model file by a text replacement.
func forge(t testing.TB, data []byte, old, by string) []byte {
	t.Helper()
	n := binary.LittleEndian.Uint64(data)
	header := string(data[8 : 8+n])
	if !strings.Contains(header, old) {
		t.Fatalf("the header has no %q: %s", old, header)
	}
	header = strings.Replace(header, old, by, 1)
	out := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(out, header...), data[8+n:]...)
}

func TestDecodeRefusesLies(t *testing.T) {
	models := examples(t)
	plain, multi, scaled := encode(t, models["binary"]), encode(t, models["multi"]), encode(t, models["scaled table"])
	machine, dense := encode(t, models["sparse machine"]), encode(t, models["dense machine"])
	displaced, infinite := *models["sparse machine"], *models["dense machine"]
	displaced.Support = &Support{Rows: displaced.Support.Rows, Index: []uint32{0, 3, 3}}
	infinite.Support = &Support{Rows: &matrix.Dense{Rows: 3, Cols: 3, Value: []float32{0, 0, 0, 0, 0, 0, 0, 0, float32(math.Inf(1))}}}
	unnumbered, negative := *models["dense machine"], *models["dense machine"]
	unnumbered.Statement.Kernel, unnumbered.Statement.Loss = "precomputed", "squared"
	unnumbered.Classes, unnumbered.Data.Rows = nil, 5
	unnumbered.Outputs = []Output{{Weights: []float64{1}, Certificate: Certificate{Status: "converged"}}}
	unnumbered.Support = &Support{Rows: &matrix.Dense{Rows: 1, Cols: 3, Value: []float32{1e30, 0, 0}}}
	negative.Statement.Kernel, negative.Outputs = "chi2", []Output{{Weights: []float64{1}}}
	negative.Support = &Support{Rows: &matrix.Dense{Rows: 1, Cols: 3, Value: []float32{1, -1, 0}}}
	random, landmarks := encode(t, models["random features"]), encode(t, models["sparse landmarks"])
	withNaN := *models["regression"]
	withNaN.Outputs = []Output{{Weights: []float64{1, math.NaN(), 1}, Dual: make([]float64, 4)}}
	for _, c := range []struct {
		name string
		data []byte
		want string // part of the error
	}{
		{"nothing", nil, "found 0 bytes"},
		{"text", []byte("+1 1:1 2:1\n-1 1:2\n"), `found "+1 1:1 2", expected the length`},
		{"header longer than the file", append([]byte{255, 0, 0, 0, 0, 0, 0, 0}, "{}"...), "found a header of 255 bytes in a file of 10"},
		{"header of 2^63", append([]byte{0, 0, 0, 0, 0, 0, 0, 128}, "{}"...), "expected the length of a safetensors header"},
		{"header not JSON", append([]byte{2, 0, 0, 0, 0, 0, 0, 0}, "[["...), "not a JSON object"},
		{"another program's file", append([]byte{2, 0, 0, 0, 0, 0, 0, 0}, "{}"...), `found format ""`},
		{"later version", forge(t, plain, `"format_version":"1"`, `"format_version":"7"`), `format version "7"`},
		{"huge shape", forge(t, plain, `"shape":[1,3]`, `"shape":[4611686018427387904,3]`), "expected sizes that fit"},
		{"shape that overflows", forge(t, plain, `"shape":[1,3]`, `"shape":[4294967296,4294967296]`), "expected sizes that fit"},
		{"negative shape", forge(t, plain, `"shape":[1,3]`, `"shape":[-1,-3]`), "expected sizes that fit"},
		{"transposed", forge(t, plain, `"shape":[1,3]`, `"shape":[3,1]`), "expected F64, [1 3]"},
		{"offsets past the end", forge(t, plain, `"data_offsets":[8,32]`, `"data_offsets":[8,3200]`), "expected at most"},
		{"offsets that overflow", forge(t, plain, `"data_offsets":[8,32]`, `"data_offsets":[18446744073709551608,32]`), "found offset"},
		{"offsets backwards", forge(t, plain, `"data_offsets":[8,32]`, `"data_offsets":[8,0]`), "found offsets 8 to 0"},
		{"tensors that overlap", forge(t, plain, `"data_offsets":[8,32]`, `"data_offsets":[0,24]`), "found offset"},
		{"a hole", append(bytes.Clone(plain), 0), "the header describes"},
		{"another type", forge(t, plain, `"dtype":"F64","shape":[1,3]`, `"dtype":"I16","shape":[1,3]`), `numbers of type "I16"`},
		{"whole numbers", forge(t, plain, `"dtype":"F64","shape":[1,3]`, `"dtype":"I64","shape":[1,3]`), "found weights of shape [1 3] and type I64"},
		{"biases of whole numbers", forge(t, plain, `"dtype":"F64","shape":[1]`, `"dtype":"I64","shape":[1]`), "found biases of type I64"},
		{"linear, called a machine", forge(t, plain, `\"penalty\":\"l2\"`, `\"kernel\":\"linear\"`), "found support.values of type F64"},
		{"unknown kernel", forge(t, machine, `rbf:gamma=0.5`, `rbq:gamma=0.5`), `did you mean "rbf"?`},
		{"negative gamma", forge(t, machine, `rbf:gamma=0.5`, `rbf:gamma=-1`), `expected a number > 0`},
		{"column of a support vector out of range", forge(t, machine, `\"features\":3`, `\"features\":2`), "expected increasing columns below 2"},
		{"places of support vectors out of range", forge(t, machine, `\"rows\":4`, `\"rows\":3`), "expected [3 3]"},
		{"places of others", encode(t, &displaced), "expected increasing places below 4"},
		{"row offsets of another type", forge(t, machine, `"dtype":"I64"`, `"dtype":"F64"`), "expected I64 and U32"},
		{"support vectors missing", forge(t, dense, `"shape":[3,3]`, `"shape":[9,1]`), "expected rows of 3 features"},
		{"fewer coefficients", forge(t, dense, `\"kernel\":\"linear\"`, `\"kernes\":\"linear\"`), "found weights of shape []"},
		{"unknown task", forge(t, machine, `\"penalty\":\"l2\"`, `\"task\":\"two-class\"`), `found the task "two-class", expected one-class`},
		{"one class of three", forge(t, machine, `\"penalty\":\"l2\"`, `\"task\":\"one-class\"`), `found the classes ["a" "b" "c"], expected ["-1" "1"]`},
		{"one class of a linear model", forge(t, plain, `\"penalty\":\"l2\"`, `\"task\":\"one-class\"`), "and support vectors for one-class"},
		{"unknown scheme", forge(t, machine, OneAgainstOne, "one-against-two"), `found the scheme "one-against-two"`},
		{"pairs of too few classes", forge(t, machine, `[\"a\",\"b\",\"c\"]`, `[\"a\",\"b\",\"c\",\"d\"]`), "found 4 classes for 3 classifiers"},
		{"a value of a support vector NaN", encode(t, &infinite), "that is not finite"},
		{"a support vector that is no row of the matrix", encode(t, &unnumbered), "found 1e+30 in a matrix of 1 rows and 3 columns"},
		{"a support vector that its kernel refuses", encode(t, &negative), "support vectors: kernel \"chi2\""},
		{"unknown map", forge(t, random, "fourier:dim=4", "fouriers:dim=4"), `did you mean "fourier"?`},
		{"random features of another kernel", forge(t, random, "laplacian:gamma=0.5", "linear"), "expected rbf or laplacian"},
		{"more random features", forge(t, random, "dim=4", "dim=6"), "expected F64, [1 6]"},
		{"random features of columns without end", forge(t, random, `\"features\":3`, `\"features\":4000000000`), "at most 268435456 columns"},
		{"random features of landmarks", forge(t, landmarks, "nystrom:rank=3", "fourier:dim=4"), "found 3 landmarks, expected none"},
		{"fewer landmarks", forge(t, landmarks, "rank=3", "rank=2"), "found 3 landmarks, expected at most 2"},
		{"no landmarks", forge(t, random, "fourier:dim=4", "nystrom:rank=3"), "found no landmarks"},
		{"landmarks of an indefinite kernel", forge(t, landmarks, "rbf:gamma=0.5", "sigmoid:gamma=0.5"), "no inner product"},
		{"landmarks that are no graphs", forge(t, landmarks, "rbf:gamma=0.5", "wl"), "expected a whole number"},
		{"column of a landmark out of range", forge(t, landmarks, `\"features\":3`, `\"features\":2`), "expected increasing columns below 2"},
		{"a map without a kernel", forge(t, random, `\"kernel\":\"laplacian:gamma=0.5\",`, ``), "unknown kernel"},
		{"narrower type", forge(t, plain, `"dtype":"F64","shape":[1,3]`, `"dtype":"F32","shape":[1,3]`), "expected shape [1 3] of F32"},
		{"weight NaN", encode(t, &withNaN), "found the weight NaN"},
		{"fewer classes", forge(t, multi, `[\"1\",\"2\",\"10\"]`, `[\"1\",\"2\"]`), "found 2 classes for 3 classifiers"},
		{"more classes", forge(t, plain, `[\"no\",\"yes\"]`, `[\"no\",\"yes\",\"?\"]`), "found 3 classes for 1 classifiers"},
		{"fewer names", forge(t, plain, `[\"a\",`, `[`), "found 2 feature names, expected 3"},
		{"other rows", forge(t, plain, `\"rows\":4`, `\"rows\":5`), "expected [1 5]"},
		{"negative rows", forge(t, plain, `\"rows\":4`, `\"rows\":-4`), "no negative number of rows"},
		{"other features", forge(t, plain, `\"features\":3`, `\"features\":4`), "expected F64, [1 4]"},
		{"unknown loss", forge(t, plain, `\"loss\":\"logistic\"`, `\"loss\":\"logistics\"`), `did you mean "logistic"?`},
		{"unknown scaling", forge(t, scaled, `"scaling":"\"std\""`, `"scaling":"\"sta\""`), `found the scaling "sta"`},
		{"column out of range", forge(t, scaled, `\"target\":0`, `\"target\":3`), "found target column 3"},
		{"columns of other width", forge(t, scaled, `[\"x\",\"?\"]`, `[\"x\"]`), "found columns that make 2 features"},
	} {
		m, err := Decode(c.data)
		switch {
		case err == nil:
			t.Errorf("%s: found no error, expected one with %q", c.name, c.want)
		case !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n"):
			t.Errorf("%s: found error %q, expected one line with %q", c.name, err, c.want)
		case errors.Is(err, ErrTampered) || m != nil:
			t.Errorf("%s: found a model, expected none", c.name)
		}
	}
}

func TestDecodeTruncated(t *testing.T) {
	for name, m := range examples(t) {
		data := encode(t, m)
		for n := range data {
			if _, err := Decode(data[:n]); err == nil {
				t.Fatalf("%s: the first %d of %d bytes make a model", name, n, len(data))
			}
		}
	}
}

func TestDecodeNoticesEveryTensorByte(t *testing.T) {
	data := encode(t, examples(t)["binary"])
	body := 8 + int(binary.LittleEndian.Uint64(data))
	for i := body; i < len(data); i++ {
		changed := bytes.Clone(data)
		changed[i] ^= 1
		if m, err := Decode(changed); !errors.Is(err, ErrTampered) || m == nil {
			t.Fatalf("byte %d changed: found error %v, expected the model and ErrTampered", i, err)
		}
	}
}

// manyNames are the fields of an object after its first.
func manyNames(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"%x":""`, i)
	}
	return b.String()
}

// TestDecodeMemory feeds Decode what grows most on its way from JSON to structs.
func TestDecodeMemory(t *testing.T) {
	many := func(item string) string { return "[" + strings.Repeat(item+",", 1<<17) + item + "]" }
	for name, part := range map[string]string{
		"certificates": many("{}"),
		"classes":      many(`""`),
		"features":     many(`""`),
		"schema":       `{"columns":` + many("{}") + `}`,
		"notes":        `{"a":""` + manyNames(1<<17) + `}`,
		"problem":      strings.Repeat("[", 1<<18),
	} {
		metadata := map[string]string{"format": "fenchel", "format_version": "1", name: part}
		var b bytes.Buffer
		if err := safetensors.Write(&b, metadata, nil); err != nil {
			t.Fatal(err)
		}
		var err error
		used := allocated(func() { _, err = Decode(b.Bytes()) })
		if most := uint64(maxGrowth*b.Len() + 1<<20); err == nil || used > most {
			t.Errorf("%s: %d bytes made Decode ask for %d, expected at most %d and an error (found %v)", name, b.Len(), used, most, err)
		}
	}
}

func TestReadFileNamesThePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m")
	if err := os.WriteFile(path, []byte("1 1:1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(path); err == nil || !strings.HasPrefix(err.Error(), path+": not a model: ") {
		t.Errorf("found error %v, expected one that begins with the path", err)
	}
}

func TestDecide(t *testing.T) {
	two, three, pairs := examples(t)["binary"], examples(t)["multi"], examples(t)["sparse machine"]
	for _, c := range []struct {
		m      *Model
		scores []float64
		want   int
	}{
		{two, []float64{0.1}, 1}, {two, []float64{-0.1}, 0}, {two, []float64{0}, 0},
		// Pairs 01, 02, 12: the votes are 0:1 1:2, then one each.
		{pairs, []float64{1, -1, -1}, 1}, {pairs, []float64{1, -1, 1}, 2}, {pairs, []float64{-1, -1, 7}, 0}, {pairs, []float64{0, 0, 0}, 0},
		{three, []float64{-3, -1, -2}, 1}, {three, []float64{1, 1, 1}, 0}, {three, []float64{0, 2, 2}, 1},
	} {
		if got := c.m.Decide(c.scores); got != c.want {
			t.Errorf("scores %v: found class %d, expected %d", c.scores, got, c.want)
		}
	}
}

func TestProbabilities(t *testing.T) {
	m, err := Decode(encode(t, examples(t)["binary"]))
	if err != nil || !m.HasProbabilities() {
		t.Fatalf("found error %v, expected a model with probabilities", err)
	}
	// 1/(1+exp(-ln 3)) = 3/4
	if p := m.Probabilities(nil, []float64{math.Log(3)}); math.Abs(p[0]-0.25) > 1e-15 || math.Abs(p[1]-0.75) > 1e-15 {
		t.Errorf("found %v, expected [0.25 0.75]", p)
	}
	m.Classes = []string{"a", "b", "c"}
	// Of three outputs: 3/4, 1/2 and 1/4, divided by their sum 3/2.
	if p := m.Probabilities(nil, []float64{math.Log(3), 0, -math.Log(3)}); math.Abs(p[0]-0.5) > 1e-15 || math.Abs(p[2]-1.0/6) > 1e-15 {
		t.Errorf("found %v, expected [1/2 1/3 1/6]", p)
	}
	if p := m.Probabilities(nil, []float64{-1e9, -1e9, -1e9}); p[0] != 1.0/3 {
		t.Errorf("found %v, expected equal shares where nothing is likely", p)
	}
}

// maxGrowth is how many bytes Decode may ask for, in total, per byte of input:
// "{}," becomes a struct of 72 bytes, in a slice that grows by copying.
const maxGrowth = 300

// allocated returns how many bytes f asks for in total.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// FuzzModel: any header before any bytes is a model or an error, and never
// costs more memory than a small multiple of their number.
func FuzzModel(f *testing.F) {
	for _, m := range examples(f) {
		data := encode(f, m)
		n := 8 + binary.LittleEndian.Uint64(data)
		f.Add(data[8:n], data[n:])
		f.Add(data[8:n], data[n:len(data)-5])
		f.Add([]byte("{}"), data)
	}
	files, _ := filepath.Glob("testdata/foreign/*")
	for _, file := range files {
		data, _ := os.ReadFile(file)
		f.Add([]byte{}, data)
	}
	f.Fuzz(func(t *testing.T, header, body []byte) {
		file := append(append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...), body...)
		for _, data := range [][]byte{file, body} {
			var m *Model
			var err error
			if used, most := allocated(func() { m, err = Decode(data) }), uint64(maxGrowth*len(data)+1<<20); used > most {
				t.Fatalf("%d bytes made Decode ask for %d, expected at most %d", len(data), used, most)
			}
			if m == nil && err == nil {
				t.Fatal("found neither a model nor an error")
			}
			if m != nil {
				use(t, m)
			}
		}
	})
}

// use does with a model whatever can be done.
func use(t *testing.T, m *Model) {
	row := matrix.Vector{Index: []uint32{0, 1, 5}, Value: []float32{1, 2, 3}}
	m.Predict(row)
	m.Class(row)
	m.Nonzeros()
	if m.HasProbabilities() {
		scores := m.Scores(nil, row)
		m.Likeliest(scores, m.Probabilities(nil, scores))
	}
	for program, write := range map[string]func(io.Writer) error{"LIBSVM": m.WriteLIBSVM, "LIBLINEAR": m.WriteLIBLINEAR} {
		var foreign bytes.Buffer
		if write(&foreign) == nil {
			if _, err := Decode(foreign.Bytes()); err != nil {
				t.Fatalf("a model that was read and written for %s cannot be read: %v\n%s", program, err, foreign.Bytes())
			}
		}
	}
	var first, second bytes.Buffer
	if m.Write(&first) != nil {
		return // such as a lambda that JSON cannot say
	}
	again, err := Decode(first.Bytes())
	if err != nil {
		t.Fatalf("a model that was read and written cannot be read: %v", err)
	}
	if err := again.Write(&second); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Fatalf("writing is not stable: %v\n%q\n%q", err, first.Bytes(), second.Bytes())
	}
}

// The keys of the header are small letters, and those of older files, which began with
// capitals, mean the same.
func TestKeysOfTheSchema(t *testing.T) {
	m := examples(t)["scaled table"]
	file := encode(t, m)
	if header := file[8 : 8+binary.LittleEndian.Uint64(file)]; !bytes.Contains(header, []byte(`\"columns\":[{\"name\":\"price\"`)) {
		t.Errorf("found the header %s", header)
	}
	parts := m.parts()
	parts["schema"] = map[string]any{"Target": 0, "Weight": -1, "Header": true, "Columns": []any{
		map[string]any{"Name": "price", "Category": nil, "Fill": 0}, map[string]any{"Name": "a", "Fill": 1.5}, map[string]any{"Name": "b", "Category": []string{"x", "?"}}}}
	var older bytes.Buffer
	if err := writeDocument(&older, "", firstFormat, m.Version, parts, m.tensors()); err != nil {
		t.Fatal(err)
	}
	if read, err := Decode(older.Bytes()); err != nil || !bytes.Equal(encode(t, read), file) {
		t.Errorf("found another model in an older file: %v", err)
	}
}
