package main

import (
	"bytes"
	"encoding/csv"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/training"
	"github.com/fenchel-ml/fenchel/model"
)

// trained runs train and returns the model, as bytes too.
func trained(t *testing.T, args ...string) ([]byte, *model.Model) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m")
	var stderr bytes.Buffer
	if code := run(append([]string{"train", "-q", "-o", path}, args...), nil, io.Discard, &stderr); code != exitcode.OK && code != exitcode.Limit && code != exitcode.Failed {
		t.Fatalf("%v: exit code %d\n%s", args, code, stderr.String())
	}
	written, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return written, m
}

// TestTrace: it has a line for each epoch of each class, by every solver, in order, with bounds
// where they were certified, at the end at least; and the model is the same without it.
func TestTrace(t *testing.T) {
	for _, args := range []string{
		"@toy:n=300 --loss logistic --solver sdca", "@toy:n=300 --loss logistic --solver newton", "@toy:n=300 --loss logistic --penalty l1 --solver cd",
		"@toy:n=300 --loss logistic --penalty elastic-net --solver sdca", "@toy:n=300 --solver pegasos", "@toy:n=300 --gap 1e-6", "@toy:n=300 --slack 0.1 --solver simba",
		"@spirals:n=300 --kernel rbf --gamma 10 --solver smo", "@spirals:n=300 --kernel rbf --gamma 10 --solver working", "@spirals:n=300 --kernel rbf --gamma 10 --nu 0.2",
		"@spirals:n=300 --kernel rbf --gamma 10 --solver sdca --bias none", "@spirals:n=300 --kernel rbf --gamma 10 --solver pegasos --bias none",
		"@blobs:n=300,classes=4,spread=3", "@blobs:n=300,classes=4,spread=3 --scheme one-against-one", "@blobs:n=300,classes=4,spread=3 --kernel rbf --threads 2",
	} {
		words := append(strings.Fields(args), "--epochs", "40", "--test", "@toy:n=20")
		if !strings.HasPrefix(args, "@toy") {
			words = words[:len(words)-2]
		}
		path := filepath.Join(t.TempDir(), "trace.csv")
		plain, m := trained(t, words...)
		traced, _ := trained(t, append(words, "--trace", path)...)
		if !bytes.Equal(plain, traced) {
			t.Errorf("%s: another model with --trace", args)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		lines, err := csv.NewReader(f).ReadAll()
		if f.Close(); err != nil {
			t.Fatal(err)
		}
		checkTrace(t, args, m, lines[0], lines[1:])
	}
}

func checkTrace(t *testing.T, args string, m *model.Model, head []string, lines [][]string) {
	gap := slices.Index(head, "gap")
	for c, o := range m.Outputs {
		name, made := "", map[int]bool{}
		switch {
		case len(m.Outputs) == 1:
		case m.Statement.Scheme == model.OneAgainstOne:
			i, j := model.Pair(c, len(m.Classes))
			name = m.Classes[i] + " against " + m.Classes[j]
		default:
			name = m.Classes[c]
		}
		last, bounds := 0, 0
		for _, line := range lines {
			if line[0] != name {
				continue
			}
			epoch, _ := strconv.Atoi(line[1])
			if epoch < last {
				t.Errorf("%s, class %q: epoch %d after %d", args, name, epoch, last)
			}
			if last, made[epoch] = epoch, true; line[gap] != "" {
				bounds++
			}
		}
		for epoch := 1; epoch <= o.Certificate.Epochs; epoch++ {
			if !made[epoch] {
				t.Errorf("%s, class %q: no line for epoch %d of %d", args, name, epoch, o.Certificate.Epochs)
				break
			}
		}
		if bounds == 0 {
			t.Errorf("%s, class %q: no bounds in %d lines", args, name, len(lines))
		}
	}
}

// TestTracePage: the page of the format names the columns in their order.
func TestTracePage(t *testing.T) {
	text, err := os.ReadFile("../../docs/formats/trace.md")
	if err != nil {
		t.Fatal(err)
	}
	tr := training.NewTracer(&training.Trainer{Spec: fenchel.Spec{Kernel: "rbf"}})
	var named []string
	for _, m := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(string(text), -1) {
		named = append(named, m[1])
	}
	if head := tr.Head(); !slices.Equal(named, head) {
		t.Errorf("found the columns %v on the page, expected %v", named, head)
	}
}
