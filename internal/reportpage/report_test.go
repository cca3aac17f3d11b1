package reportpage

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
)

// rows makes a table: of the columns signal and group the target depends on signal alone, and errs more often in group b.
func rows(seed uint64, n int) string {
	r := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	b.WriteString("signal,noise,group<i>,id,y\n")
	for i := range n {
		x, g := r.NormFloat64(), "a"
		noise := 0.1
		if i%4 == 0 {
			g, noise = "b", 2
		}
		y := "no"
		if x+noise*r.NormFloat64() > 0 {
			y = "yes"
		}
		fmt.Fprintf(&b, "%.4f,%.4f,%s,row%d,%s\n", x, r.NormFloat64(), g, i, y)
	}
	return b.String()
}

func read(t *testing.T, text string, opt data.Options) *data.Set {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.csv")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := fenchel.Read(context.Background(), []string{path}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func train(t *testing.T, s *data.Set, spec fenchel.Spec) *model.Model {
	t.Helper()
	r, err := fenchel.Train(context.Background(), s, spec)
	if err != nil {
		t.Fatal(err)
	}
	return r.Model
}

// table finds a table whose caption begins with a text.
func (p *Page) table(t *testing.T, caption string) *Table {
	t.Helper()
	for _, s := range p.Sections {
		for _, of := range s.Tables {
			if strings.HasPrefix(of.Caption, caption) {
				return of
			}
		}
	}
	t.Fatalf("found no table %q", caption)
	return nil
}

func (p *Page) text(title string) string {
	for _, s := range p.Sections {
		if s.Title == title {
			return strings.Join(s.Text, "\n")
		}
	}
	return ""
}

func cell(t *testing.T, text string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, " %"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// TestClasses: what a report says of two classes is what the rows say.
func TestClasses(t *testing.T) {
	opt := data.Options{Ignore: []string{"id"}, ID: "id"}
	learned := read(t, rows(1, 400), opt)
	m := train(t, learned, fenchel.Spec{Loss: "logistic"})
	opt.Schema = learned.Schema
	opt.Ignore = nil
	test := read(t, rows(2, 300), opt)
	worse := train(t, read(t, rows(3, 400), data.Options{Ignore: []string{"id", "signal"}}), fenchel.Spec{Loss: "logistic"})
	other := read(t, rows(2, 300), data.Options{Schema: worse.Schema})
	page, err := Of(context.Background(), Asked{Model: m, Name: "<b>m", Learned: learned, Test: test, Other: worse, OtherName: "w", OtherRows: other, Slice: "group<i>", Contents: true, Command: "fenchel report",
		Trace: []figure.Curve{{Name: "gap", X: []float64{1, 2}, Y: []float64{1, .1}}}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := fenchel.Evaluate(context.Background(), m, test, fenchel.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := page.text("The result"); !strings.Contains(text, "Of 300 rows that are not those it was trained on the model tells "+percent(*e.Accuracy)+" right") || !strings.Contains(text, percent(1-e.Interval[1])) || !strings.Contains(text, `always to say`) {
		t.Errorf("found %s", text)
	}
	if text := page.text("What is proved"); !strings.Contains(text, digits(fenchel.Summarise(m).Dual)) || !strings.Contains(text, "was computed again from the model and its rows") {
		t.Errorf("found %s", text)
	}
	if text := page.text("Beside w"); !strings.Contains(text, "fewer than one of twenty samples") {
		t.Errorf("found %s", text)
	}
	area, roc := 0.0, page.table(t, "ROC").Rows
	recall, falls := 0.0, 0.0
	for _, row := range roc {
		y, x := cell(t, row[1]), cell(t, row[2])
		area += (x - falls) * (y + recall) / 2
		recall, falls = y, x
	}
	if math.Abs(area-*e.AUC) > 1e-4 || recall != 1 || falls != 1 {
		t.Errorf("found the area %g, expected %g", area, *e.AUC)
	}
	imp := page.table(t, "Permutation importance").Rows
	if imp[0][0] != "signal" || cell(t, imp[0][1]) < 0.2 || math.Abs(cell(t, imp[1][1])) > 0.03 {
		t.Errorf("found the importance %v", imp)
	}
	slice := page.table(t, "share of errors by group<i>").Rows
	if slice[0][0] != "a" || slice[0][1] != "225" || cell(t, slice[0][2]) > 0.1 || slice[1][0] != "b" || cell(t, slice[1][2]) < 0.2 {
		t.Errorf("found the slices %v", slice)
	}
	if weighted := (225*cell(t, slice[0][2]) + 75*cell(t, slice[1][2])) / 300; math.Abs(weighted-*e.Error) > 1e-5 {
		t.Errorf("found slices that make %g, expected %g", weighted, *e.Error)
	}
	worst := page.table(t, "Rows that are predicted worst").Rows
	if len(worst) != mostWorst || !strings.HasPrefix(worst[0][0], "row") || !strings.Contains(worst[0][4], "signal") || math.Abs(cell(t, worst[0][3])) < math.Abs(cell(t, worst[9][3])) {
		t.Errorf("found %v", worst)
	}
	bins, total := page.table(t, "Reliability: the share of rows by predicted probability").Rows, 0.0
	for _, row := range bins {
		total += cell(t, row[1])
	}
	if total != 300 {
		t.Errorf("found bins of %g rows", total)
	}
	weights := page.table(t, "Largest weights").Rows
	original, bias := m.Original(0)
	if weights[0][0] != "signal" || weights[0][1] != digits(original[0]) || weights[len(weights)-1][1] != digits(bias) {
		t.Errorf("found %v", weights)
	}
	check(t, page)
}

// check looks for what must not be in a page, and for pictures without numbers.
func check(t *testing.T, page *Page) {
	t.Helper()
	var out bytes.Buffer
	if err := page.WriteHTML(&out); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"<script", "<b>m", "group<i>", "http://", "NaN", "ZgotmplZ"} {
		if text := strings.ReplaceAll(out.String(), "http://www.w3.org/2000/svg", ""); strings.Contains(text, bad) {
			t.Errorf("found %q in the page: ...%s", bad, text[max(0, strings.Index(text, bad)-80):][:160])
		}
	}
	pictures := 0
	for _, s := range page.Sections {
		for _, table := range s.Tables {
			if slices.ContainsFunc(table.Rows, func(row []string) bool { return len(row) != len(table.Heads) }) || len(table.Rows) == 0 && table.picture != nil {
				t.Errorf("%s: found rows of other lengths than %v, or none", table.Caption, table.Heads)
			}
			svg, err := table.SVG()
			if err != nil {
				t.Fatal(err)
			}
			if svg == "" {
				continue
			}
			pictures++
			d := xml.NewDecoder(strings.NewReader(string(svg)))
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Errorf("%s: %v", table.Caption, err)
					break
				}
			}
		}
	}
	if pictures == 0 {
		t.Error("found no picture")
	}
}

// TestLearned: rows that the model learned from are said to be these, and others are told apart from them.
func TestLearned(t *testing.T) {
	learned := read(t, rows(1, 200), data.Options{Ignore: []string{"id"}})
	m := train(t, learned, fenchel.Spec{})
	page, err := Of(context.Background(), Asked{Model: m, Name: "m", Learned: learned})
	if err != nil {
		t.Fatal(err)
	}
	if text := page.text("The result"); !strings.Contains(text, "that it has learned from") || !strings.Contains(text, "Of new rows nothing is known yet") {
		t.Errorf("found %s", text)
	}
	page, err = Of(context.Background(), Asked{Model: m, Name: "m", Learned: read(t, rows(5, 200), data.Options{Schema: learned.Schema})})
	if err != nil {
		t.Fatal(err)
	}
	if text := page.text("The result") + page.text("What is proved"); strings.Contains(text, "learned from") || !strings.Contains(text, "not those that the model was trained on") {
		t.Errorf("found %s", text)
	}
	double := *m
	double.Data.Precision = "double"
	if page, err = Of(context.Background(), Asked{Model: &double, Name: "m", Learned: read(t, rows(5, 200), data.Options{Schema: learned.Schema})}); err != nil {
		t.Fatal(err)
	}
	if text := page.text("What is proved"); !strings.Contains(text, "not computed again: the model was trained on rows of double precision") {
		t.Errorf("a model of rows of double precision: found %s", text)
	}
	forged := *m
	forged.Outputs = slices.Clone(m.Outputs)
	forged.Outputs[0].Certificate.Dual = forged.Outputs[0].Certificate.Primal
	if page, err = Of(context.Background(), Asked{Model: &forged, Name: "m", Learned: learned}); err != nil {
		t.Fatal(err)
	}
	if text := page.text("What is proved"); !strings.Contains(text, "FALSE") {
		t.Errorf("a forged claim: found %s", text)
	}
}

// TestKinds: models of numbers, of many classes, kernel machines and sparse rows have reports.
func TestKinds(t *testing.T) {
	for source, spec := range map[string]fenchel.Spec{
		"@linear:n=200,d=3": {}, "@blobs:n=200,classes=4": {Loss: "softmax"}, "@spirals:n=150": {Kernel: "rbf:gamma=10"}, "@text:n=200,d=500": {Loss: "logistic"}, "@blobs:n=100,classes=3": {Loss: "hinge"},
	} {
		s, err := fenchel.Read(context.Background(), []string{source}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		page, err := Of(context.Background(), Asked{Model: train(t, s, spec), Name: source, Learned: s})
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		check(t, page)
	}
	s, err := fenchel.Read(context.Background(), []string{"@linear:n=200,d=3"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := train(t, s, fenchel.Spec{})
	page, err := Of(context.Background(), Asked{Model: m, Name: "m", Learned: s})
	if err != nil {
		t.Fatal(err)
	}
	quantiles := page.table(t, "Quantiles").Rows
	if median := cell(t, quantiles[3][1]); math.Abs(median) > 0.05 || cell(t, quantiles[0][1]) >= median {
		t.Errorf("found %v", quantiles)
	}
	if _, err := Of(context.Background(), Asked{Model: m, Name: "m", Learned: s, Slice: "nix"}); err == nil || !strings.Contains(err.Error(), "'slice=nix'") {
		t.Errorf("found %v", err)
	}
}

// TestDealt: only the features of the group change, to those of the other row.
func TestDealt(t *testing.T) {
	s := read(t, "a,b,c,y\n1,2,3,1\n4,0,6,2\n7,8,9,3\n", data.Options{})
	out := dealt(s.X, group{"b", 1, 2}, []int{1, 2, 0})
	for i, want := range [][]float64{{1, 0, 3}, {4, 8, 6}, {7, 2, 9}} {
		got := make([]float64, 3)
		out.Row(i).AddTo(got, 1)
		if !slices.Equal(got, want) {
			t.Errorf("row %d: found %g, expected %g", i, got, want)
		}
	}
}

// TestComponents: a report of components has their spectrum and what is proved.
func TestComponents(t *testing.T) {
	s, err := fenchel.Read(context.Background(), []string{"@low-rank:n=200,d=20"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := pca.Fit(context.Background(), s, pca.Spec{K: 3})
	if err != nil {
		t.Fatal(err)
	}
	page, err := OfComponents(context.Background(), r.Model, "c", s, nil, "fenchel report", 0)
	if err != nil {
		t.Fatal(err)
	}
	check(t, page)
	if rows := page.table(t, "Share of the variance").Rows; len(rows) != 3 || rows[0][1] != digits(r.Model.Eigenvalue[0]) {
		t.Errorf("found %v", rows)
	}
	if text := page.text("What is proved"); !strings.Contains(text, digits(float64(r.Model.Proof.Upper))) {
		t.Errorf("found %s", text)
	}
}
