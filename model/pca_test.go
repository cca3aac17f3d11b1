package model

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

// components makes a model of two components of four features.
func components(mean, scale []float64) *PCA {
	h := math.Sqrt(0.5)
	m := &PCA{Statement: PCAStatement{K: 2, Method: "covariance", Center: mean != nil, Scale: "none", Seed: 3},
		Data:       Data{Rows: 10, Features: 4, Nonzeros: 17, Digest: "sha256:x"},
		Components: []float64{h, h, 0, 0, 0, 0, 0.6, 0.8}, Eigenvalue: []float64{4, 1}, Mean: mean, Scale: scale,
		Proof:    PCAProof{Status: "converged", Gap: 1e-3, Total: 6, Captured: 5, Upper: 5.001},
		Features: []string{"a", "b", "c", "d"}, HeldOut: []int64{2, 7}, State: map[string][]float64{"basis": {1, 2}, "none": {}}, Version: "test"}
	if err := m.Seal(); err != nil {
		panic(err)
	}
	return m
}

func TestPCAFile(t *testing.T) {
	for _, m := range []*PCA{components(nil, nil), components([]float64{1, 2, 3, 4}, []float64{1, 0, 2, 0.5})} {
		path := filepath.Join(t.TempDir(), "m.pca")
		if err := m.WriteFile(path); err != nil {
			t.Fatal(err)
		}
		got, err := ReadPCAFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, m) {
			t.Errorf("read %+v, wrote %+v", got, m)
		}
		var kind *KindError
		if _, err := ReadFile(path); !errors.As(err, &kind) || kind.Found != kindPCA {
			t.Errorf("read as a model that predicts: %v, expected a KindError", err)
		}
	}
}

// A changed number is found, and one that cannot be is refused.
func TestPCATampered(t *testing.T) {
	var b bytes.Buffer
	if err := components(nil, nil).Write(&b); err != nil {
		t.Fatal(err)
	}
	data := b.Bytes()
	data[len(data)-3] ^= 1
	if m, err := DecodePCA(data); m == nil || !errors.Is(err, ErrTampered) {
		t.Errorf("found %v, expected that the numbers are not those that were written", err)
	}
	for name, spoil := range map[string]func(*PCA){
		"a component less":    func(m *PCA) { m.Components = m.Components[:4] },
		"no component":        func(m *PCA) { m.Statement.K, m.Components, m.Eigenvalue = 0, nil, nil },
		"a number too much":   func(m *PCA) { m.Eigenvalue = append(m.Eigenvalue, 1) },
		"a short mean":        func(m *PCA) { m.Mean = []float64{1} },
		"a component of NaN":  func(m *PCA) { m.Components[1] = math.NaN() },
		"a scale of infinity": func(m *PCA) { m.Scale = []float64{1, math.Inf(1), 1, 1} },
		"a name too much":     func(m *PCA) { m.Features = make([]string, 5) },
	} {
		m := components(nil, nil)
		spoil(m)
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			continue
		}
		if _, err := DecodePCA(b.Bytes()); err == nil || errors.Is(err, ErrTampered) {
			t.Errorf("%s: found %v, expected an error", name, err)
		}
	}
}

// Scores are products with the centred and scaled row, sparse or dense; the inverse
// takes them back, and the residual is what is missing.
func TestPCATransform(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, m := range []*PCA{components(nil, nil), components([]float64{1, 2, 3, 4}, []float64{1, 3, 2, 0.5})} {
		for range 20 {
			x := matrix.Vector{Value: []float32{float32(rng.NormFloat64()), 0, float32(rng.NormFloat64()), 0, 99}}
			sparse := matrix.Vector{Index: []uint32{0, 2, 4}, Value: []float32{x.Value[0], x.Value[2], 99}}
			row := make([]float64, 4)
			for j := range row {
				row[j] = float64(x.Value[j])
				if m.Mean != nil {
					row[j] = (row[j] - m.Mean[j]) * m.Scale[j]
				}
			}
			want, rest := make([]float64, 2), 0.0
			for i := range want {
				for j, v := range row {
					want[i] += v * m.Component(i)[j]
				}
			}
			for j, v := range row {
				v -= want[0]*m.Component(0)[j] + want[1]*m.Component(1)[j]
				rest += v * v
			}
			for _, v := range []matrix.Vector{x, sparse} {
				got := make([]float64, 2)
				if m.Transform(got, v); math.Abs(got[0]-want[0])+math.Abs(got[1]-want[1]) > 1e-12 {
					t.Fatalf("found the scores %v, expected %v", got, want)
				}
				if r := m.Residual(make([]float64, 4), got, v); math.Abs(r-rest) > 1e-12 {
					t.Fatalf("found the residual %g, expected %g", r, rest)
				}
				back, again := make([]float64, 4), make([]float64, 2)
				m.Inverse(back, got)
				short := matrix.Vector{Value: make([]float32, 4)}
				for j := range back {
					short.Value[j] = float32(back[j])
				}
				if m.Transform(again, short); math.Abs(again[0]-got[0])+math.Abs(again[1]-got[1]) > 1e-5 {
					t.Fatalf("the scores %v became %v", got, again)
				}
				whitened := *m
				for kind, factor := range map[string]float64{WhitenPopulation: 1, WhitenSample: float64(m.Data.Rows-1) / float64(m.Data.Rows)} {
					whitened.Statement.Whiten = kind
					factor = math.Sqrt(factor)
					if whitened.Transform(again, v); math.Abs(again[0]-want[0]/2*factor) > 1e-12 || math.Abs(again[1]-want[1]*factor) > 1e-12 {
						t.Fatalf("found the scores %v of %v, whitened by the %s", again, want, kind)
					}
					row := make([]float64, 4)
					whitened.Inverse(row, again)
					for j := range row {
						if math.Abs(row[j]-back[j]) > 1e-12 {
							t.Fatalf("found the row %v of scores whitened by the %s, expected %v", row, kind, back)
						}
					}
				}
			}
		}
	}
}

func FuzzDecodePCA(f *testing.F) {
	for _, m := range []*PCA{components(nil, nil), components([]float64{1, 2, 3, 4}, []float64{1, 0, 2, 0.5})} {
		var b bytes.Buffer
		if err := m.Write(&b); err != nil {
			f.Fatal(err)
		}
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := DecodePCA(data)
		if err != nil {
			return
		}
		m.Transform(make([]float64, m.Statement.K), matrix.Vector{Index: []uint32{0, 1 << 30}, Value: []float32{1, 2}})
		m.Noise()
	})
}
