package pca

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/model"
)

// Parts of the rows may have other offsets than each other: means are of the numbers.
func TestMergePCAOffsets(t *testing.T) {
	var parts []*model.PCA
	for part := range 2 {
		var b strings.Builder
		b.WriteString("t,x\n")
		for i := range 100 {
			fmt.Fprintf(&b, "%.2f,%d\n", 1.7e9+float64(1000*part)+float64(i)/10, i*i%7)
		}
		path := filepath.Join(t.TempDir(), "a.csv")
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		set, err := data.Read(context.Background(), []string{path}, data.Options{Unlabelled: true})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Fit(context.Background(), set, Spec{K: 1, Scale: "none", Center: "yes"})
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, r.Model)
	}
	if parts[0].Schema.Offsets()[0] == parts[1].Schema.Offsets()[0] {
		t.Fatal("the parts have the same offset, expected two")
	}
	m, err := Merge(parts)
	if err != nil {
		t.Fatal(err)
	}
	within := .01 * (100*100 - 1) / 12 // of each part
	if want, got := within+500*500, float64(m.Proof.Total); math.Abs(got-want) > 1e-3*want {
		t.Errorf("variance %g, expected %g and a bit", got, want)
	}
	if fill := m.Schema.Columns[0].Fill; fill != m.Mean[0] {
		t.Errorf("%.9g stands for a missing number, expected the mean %.9g", fill, m.Mean[0])
	}
	if mean := m.Mean[0] + m.Schema.Offsets()[0]; math.Abs(mean-(1.7e9+500+4.95)) > 1e-3 {
		t.Errorf("mean %.3f", mean)
	}
}
