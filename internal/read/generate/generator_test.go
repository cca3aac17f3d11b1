package generate

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/matrix"
)

// collect returns copies of the rows of a generator.
func collect(t testing.TB, spec string) ([]Row, Info) {
	t.Helper()
	rows, info, err := Stream(spec)
	if err != nil {
		t.Fatal(err)
	}
	var all []Row
	for r := range rows {
		x := matrix.Vector{Value: append([]float32{}, r.X.Value...)}
		if r.X.Index != nil {
			x.Index = append([]uint32{}, r.X.Index...)
		}
		all = append(all, Row{X: x, Label: r.Label, Number: r.Number, Text: slices.Clone(r.Text)})
	}
	return all, info
}

// digestOf is a number that changes with any bit of the rows.
func digestOf(rows []Row) uint64 {
	h := fnv.New64a()
	for _, r := range rows {
		binary.Write(h, binary.LittleEndian, r.X.Index)
		binary.Write(h, binary.LittleEndian, r.X.Value)
		binary.Write(h, binary.LittleEndian, r.Number)
		h.Write([]byte(r.Label))
		h.Write(r.Text)
	}
	return h.Sum64()
}

// The bits of a generator never change: results that name "@text" are quoted.
func TestGeneratorBits(t *testing.T) {
	golden := map[string]uint64{
		"@documents:n=100": 0x4d79d872749858fc, "@chords:n=100": 0xfb34cb7a69f1e23a, "@blobs:n=100": 0xfa8a0e793010fadb, "@linear:n=100": 0xb9b44d8185a9cb7c, "@linear:n=100,density=0.2,d=50": 0x90c9fda83f5f6c90,
		"@heavy-tailed:n=100": 0x9ad12232eb453bef, "@low-rank:n=100": 0xbd8b234f157cb09f, "@pca-gaussian:n=100": 0x2bea1c3e3d5b20f2, "@pca-orthogonal:n=100": 0x373589050d666f71, "@two-point:n=100": 0x62d0524804bee333,
		"@spirals:n=100": 0xd07bf4163802c023, "@text:n=100": 0x8cfc471f4cca6fc3, "@toy:n=100": 0x3b96de712ec553f4,
	}
	for _, e := range Generators() {
		found := false
		for spec := range golden {
			found = found || strings.HasPrefix(spec, "@"+e.Name+":")
		}
		if !found {
			t.Errorf("%s is not in the table", e.Name)
		}
	}
	for spec, expected := range golden {
		rows, _ := collect(t, spec)
		if got := digestOf(rows); got != expected {
			t.Errorf("%q: %#x, expected %#x", spec, got, expected)
		}
		if other, _ := collect(t, spec+",seed=2"); digestOf(other) == digestOf(rows) {
			t.Errorf("%s: seed 2 gives the same rows as seed 1", spec)
		}
	}
}

// The laws of Generator: fewer rows are a prefix, skip continues, and rows can
// be made in any order and into a row used before.
func TestGeneratorRows(t *testing.T) {
	for _, spec := range []string{"blobs", "linear", "linear:density=0.3", "spirals", "text:d=500,nnz=20", "toy",
		"heavy-tailed:d=100,rank=5", "chords", "chords:least=9,most=9,labels=1", "low-rank:d=20", "pca-gaussian", "pca-orthogonal:kind=scaled", "two-point"} {
		join := func(more string) string {
			if strings.Contains(spec, ":") {
				return "@" + spec + "," + more
			}
			return "@" + spec + ":" + more
		}
		all, info := collect(t, join("n=60"))
		if info.Rows != 60 || len(all) != 60 {
			t.Errorf("%s: found %d rows, %d in Info, expected 60", spec, len(all), info.Rows)
		}
		first, _ := collect(t, join("n=25"))
		rest, _ := collect(t, join("n=35,skip=25"))
		if digestOf(append(first, rest...)) != digestOf(all) {
			t.Errorf("%s: 25 rows and then 35 are not 60 rows", spec)
		}
		g, err := generators.New(join("n=1")[1:])
		if err != nil {
			t.Fatal(err)
		}
		var used Row
		for i := 59; i >= 0; i-- {
			g.Row(&used, i)
			if digestOf([]Row{used}) != digestOf(all[i:i+1]) {
				t.Errorf("%s: row %d depends on what was made before", spec, i)
			}
		}
		again := 0
		for i := range all {
			if i > 0 && digestOf(all[i:i+1]) == digestOf(all[i-1:i]) {
				again++
			}
		}
		if few := strings.HasPrefix(spec, "pca-orthogonal") || spec == "two-point"; again > 0 && !few {
			t.Errorf("%s: %d rows are repeated", spec, again)
		}
	}
}

// Moments of a million normal deviates: the standard errors of the mean,
// variance, fourth moment and tail are 0.001, 0.0014, 0.0098 and 0.00021.
func TestNormal(t *testing.T) {
	var r Random
	r.Start(1, forRow, 0)
	const n = 1_000_000
	var sum, squares, fourth, tail float64
	for range n {
		v := r.normal()
		sum += v
		squares += v * v
		fourth += v * v * v * v
		if math.Abs(v) > 2 {
			tail++
		}
	}
	for _, c := range []struct {
		name                   string
		got, expected, allowed float64
	}{
		{"mean", sum / n, 0, 0.004}, {"variance", squares / n, 1, 0.006},
		{"fourth moment", fourth / n, 3, 0.04}, {"beyond 2", tail / n, math.Erfc(math.Sqrt2), 0.0009},
	} {
		if math.Abs(c.got-c.expected) > c.allowed {
			t.Errorf("%s: found %v, expected %v", c.name, c.got, c.expected)
		}
	}
}

// Unit rows, the asked number of words, and frequencies that fall like 1/rank.
func TestTextRows(t *testing.T) {
	rows, info := collect(t, "@text:n=5000,d=5000,nnz=60")
	count, words, plus := make([]float64, info.Cols), 0, 0
	for i, r := range rows {
		if norm := r.X.SquaredNorm(); math.Abs(norm-1) > 1e-6 {
			t.Fatalf("row %d: squared norm %v", i, norm)
		}
		if n := r.X.Nonzeros(); n < 30 || n > 90 {
			t.Fatalf("row %d: %d words, expected 30 to 90", i, n)
		}
		for k, j := range r.X.Index {
			if r.X.Value[k] <= 0 || k > 0 && j <= r.X.Index[k-1] {
				t.Fatalf("row %d: word %d: value %v", i, j, r.X.Value[k])
			}
			count[j]++
		}
		words += r.X.Nonzeros()
		if r.Label == "+1" {
			plus++
		}
	}
	if mean := float64(words) / 5000; math.Abs(mean-60) > 1 {
		t.Errorf("found %v words a row, expected 60", mean)
	}
	if math.Abs(float64(plus)-2500) > 4*35 { // sd sqrt(5000/4) = 35
		t.Errorf("found %d rows of one class, expected 2500", plus)
	}
	// Slope of log frequency against log rank, over words in less than a tenth
	// of the documents, where presence is as good as counts.
	g, err := generators.New("text:d=5000,nnz=60")
	if err != nil {
		t.Fatal(err)
	}
	var n, sx, sy, sxx, sxy float64
	for lo := 100; 2*lo <= 5000; lo *= 2 {
		sum := 0.0
		for _, j := range g.(*text).column[lo : 2*lo] {
			sum += count[j]
		}
		x, y := math.Log(float64(lo)), math.Log(sum/float64(lo))
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	if slope := (n*sxy - sx*sy) / (n*sxx - sx*sx); math.Abs(slope+1) > 0.1 {
		t.Errorf("found slope %v, expected -1 (Zipf)", slope)
	}
}

// linearAccuracy trains a linear SVM (C = 1, without bias) by dual coordinate
// ascent (Hsieh et al. 2008) and returns its accuracy on test.
func linearAccuracy(train, test []Row, d int) float64 {
	w, a := make([]float64, d), make([]float64, len(train))
	sign := func(r Row) float64 {
		if r.Label == "+1" {
			return 1
		}
		return -1
	}
	for range 12 {
		for i, r := range train {
			y := sign(r)
			next := min(max(a[i]+(1-y*r.X.Dot(w))/r.X.SquaredNorm(), 0), 1)
			r.X.AddTo(w, y*(next-a[i]))
			a[i] = next
		}
	}
	right := 0
	for _, r := range test {
		if r.X.Dot(w)*sign(r) > 0 {
			right++
		}
	}
	return float64(right) / float64(len(test))
}

// The default documents are neither trivial nor hopeless for a linear model.
func TestTextIsLearnable(t *testing.T) {
	train, info := collect(t, "@text")
	test, _ := collect(t, "@text:n=4000,skip=20000")
	if got := linearAccuracy(train, test, info.Cols); got < 0.90 || got > 0.955 {
		t.Errorf("found accuracy %v, expected 0.90 to 0.955", got)
	}
}

// Spirals defeat a linear model but not the nearest neighbour.
func TestSpirals(t *testing.T) {
	train, info := collect(t, "@spirals")
	test, _ := collect(t, "@spirals:n=500,skip=2000")
	if got := linearAccuracy(train, test, info.Cols); got > 0.7 {
		t.Errorf("found linear accuracy %v, expected below 0.7", got)
	}
	right := 0
	for _, r := range test {
		best, label := math.Inf(1), ""
		for _, s := range train {
			dx, dy := float64(r.X.Value[0]-s.X.Value[0]), float64(r.X.Value[1]-s.X.Value[1])
			if q := dx*dx + dy*dy; q < best {
				best, label = q, s.Label
			}
		}
		if label == r.Label {
			right++
		}
	}
	if right < 475 {
		t.Errorf("found %d of 500 right by the nearest neighbour, expected at least 475", right)
	}
}

// x = y w + N(0, I): the mean of y x is w, within 4/sqrt(n) a coordinate, and
// w itself errs on Phi(-1) = 15.87 % of the rows.
func TestToy(t *testing.T) {
	for _, d := range []int{10, 20, 40} {
		rows, info := collect(t, fmt.Sprintf("@toy:d=%d,n=40000", d))
		mean, wrong, squares := make([]float64, d), 0, 0.0
		for _, r := range rows {
			y := float64(1)
			if r.Label == "-1" {
				y = -1
			}
			r.X.AddTo(mean, y/float64(len(rows)))
			squares += r.X.SquaredNorm()
			if y*r.X.Dot(info.Weights) < 0 {
				wrong++
			}
		}
		norm := 0.0
		for j, w := range info.Weights {
			norm += w * w
			if math.Abs(mean[j]-w) > 0.02 {
				t.Errorf("d=%d: coordinate %d: mean %v, expected %v", d, j, mean[j], w)
			}
		}
		if math.Abs(norm-1) > 1e-14 {
			t.Errorf("d=%d: |w|^2 = %v", d, norm)
		}
		if got := squares / 40000; math.Abs(got-float64(d+1)) > 0.1 {
			t.Errorf("d=%d: mean squared norm %v, expected %d", d, got, d+1)
		}
		if got := float64(wrong) / 40000; math.Abs(got-0.1587) > 0.008 {
			t.Errorf("d=%d: error of w %v, expected 0.1587", d, got)
		}
	}
}

func TestLinear(t *testing.T) {
	for _, c := range []struct {
		spec              string
		support           int
		density, residual float64
	}{
		{"@linear:n=20000", 20, 1, 0.1}, {"@linear:n=20000,noise=0,support=3", 3, 1, 0},
		{"@linear:n=20000,d=200,density=0.1,noise=0.5", 200, 0.1, 0.5},
	} {
		rows, info := collect(t, c.spec)
		support, stored, squares := 0, 0, 0.0
		for _, w := range info.Weights {
			if w != 0 {
				support++
			}
		}
		for _, r := range rows {
			miss := r.Number - r.X.Dot(info.Weights) - info.Bias
			squares += miss * miss
			stored += r.X.Nonzeros()
		}
		density := float64(stored) / float64(len(rows)*info.Cols)
		residual := math.Sqrt(squares / float64(len(rows)))
		if support != c.support || math.Abs(density-c.density) > 0.001 || math.Abs(residual-c.residual) > 0.03*c.residual+1e-15 {
			t.Errorf("%s: found support %d, density %v, residual %v", c.spec, support, density, residual)
		}
	}
}

// Each row is spread from its center: spread^2 a coordinate.
func TestBlobs(t *testing.T) {
	g, err := generators.New("blobs:d=5,classes=4,spread=0.3")
	if err != nil {
		t.Fatal(err)
	}
	b := g.(*blobs)
	var row Row
	squares, count := 0.0, map[string]int{}
	for i := range 20000 {
		b.Row(&row, i)
		count[row.Label]++
		class := strings.Index("1234", row.Label)
		for j, c := range b.center[class*5 : class*5+5] {
			miss := float64(row.X.Value[j]) - c
			squares += miss * miss
		}
	}
	if got := math.Sqrt(squares / 100000); math.Abs(got-0.3) > 0.003 {
		t.Errorf("found spread %v, expected 0.3", got)
	}
	for label, n := range count {
		if math.Abs(float64(n)-5000) > 4*62 { // sd sqrt(20000*3/16) = 61
			t.Errorf("found %d rows of class %s, expected 5000", n, label)
		}
	}
	if len(count) != 4 {
		t.Errorf("found classes %v", count)
	}
}

// TestDocuments: the table of texts has the words whose counts are in the rows, and no two words are spelled alike.
func TestDocuments(t *testing.T) {
	const spec = "@documents:n=40,d=3000,words=30,classes=3,skip=7"
	raw, err := io.ReadAll(Text(spec))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(raw), "\n"), "\n")
	rows, _, err := Stream(spec)
	if err != nil || lines[0] != "text\tlabel" || len(lines) != 41 {
		t.Fatal(err, len(lines), lines[0])
	}
	var words [2][]byte
	i := 0
	for row := range rows {
		i++
		text, label, _ := strings.Cut(lines[i], "\t")
		counts := map[string]float32{}
		for _, word := range strings.Fields(text) {
			counts[strings.Trim(word, ",.")]++
		}
		if label != row.Label || len(counts) != len(row.X.Index) {
			t.Fatalf("row %d: found label %q and %d words, expected %q and %d", i, label, len(counts), row.Label, len(row.X.Index))
		}
		total := float32(0)
		for _, v := range row.X.Value {
			total += v
		}
		if n := float32(len(strings.Fields(text))); total != n || n < 15 || n > 46 {
			t.Errorf("row %d: found %g words, expected %g, from 15 to 45", i, n, total)
		}
	}
	for rank, want := range []string{"ba", "be", "bi"} {
		if words[0] = appendWord(words[0][:0], rank); string(words[0]) != want {
			t.Errorf("rank %d: found %q, expected %q", rank, words[0], want)
		}
	}
	seen := map[string]bool{}
	for rank := range 20000 {
		words[1] = appendWord(words[1][:0], rank)
		if seen[string(words[1])] {
			t.Fatalf("rank %d: found %q again", rank, words[1])
		}
		seen[string(words[1])] = true
	}
	if Text("@text:n=3") != nil || Text("@documents:n=0") != nil || Text("@nix") != nil {
		t.Error("found texts of no documents")
	}
}
