package onnx

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// python returns a Python with ONNX Runtime: that of FENCHEL_PYTHON, or python3.
func python(t *testing.T) string {
	t.Helper()
	path := os.Getenv("FENCHEL_PYTHON")
	if path == "" {
		path = "python3"
	}
	if out, err := exec.Command(path, "-c", "import numpy, onnxruntime").CombinedOutput(); err != nil {
		t.Skipf("found no Python with onnxruntime (%v), expected one as FENCHEL_PYTHON or python3: %.200s", err, out)
	}
	return path
}

// ONNX Runtime says of 500 rows of every kind of model (10,000 with -long) what the model says.
func TestRuntime(t *testing.T) {
	path := python(t)
	rows := 500
	if *long {
		rows = 10000
	}
	all, folder := examples(t, rows), t.TempDir()
	for i, e := range all {
		in := filepath.Join(folder, fmt.Sprintf("%02d", i))
		put(t, filepath.Join(in, "model.onnx"), written(t, e))
		if e.wide != nil {
			put(t, filepath.Join(in, "x.wide"), raw(e.wide))
			continue
		}
		if e.table == "" {
			put(t, filepath.Join(in, "x.f32"), raw(dense(e.rows.X)))
			continue
		}
		table, err := os.ReadFile(e.table)
		if err != nil {
			t.Fatal(err)
		}
		put(t, filepath.Join(in, "table.csv"), table)
	}
	out, err := exec.Command(path, filepath.Join("testdata", "run.py"), folder).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s", out)
	for i, e := range all {
		t.Run(e.name, func(t *testing.T) {
			numbers, labels := outputsIn(t, filepath.Join(folder, fmt.Sprintf("%02d", i)))
			compare(t, e, numbers, labels)
		})
	}
}

// put writes a file, and its folder.
func put(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// outputsIn reads what the script has written.
func outputsIn(t *testing.T, folder string) (numbers map[string][]float64, labels []string) {
	t.Helper()
	numbers = map[string][]float64{}
	files, err := filepath.Glob(filepath.Join(folder, "*.f64"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var list []float64
		for ; len(content) > 0; content = content[8:] {
			list = append(list, math.Float64frombits(binary.LittleEndian.Uint64(content)))
		}
		numbers[strings.TrimSuffix(filepath.Base(file), ".f64")] = list
	}
	if content, err := os.ReadFile(filepath.Join(folder, "labels.json")); err == nil {
		var found []any // texts or whole numbers
		if err := json.Unmarshal(content, &found); err != nil {
			t.Fatal(err)
		}
		for _, label := range found {
			labels = append(labels, fmt.Sprint(label))
		}
	}
	return numbers, labels
}
