package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const experimentSample = `row,column,curve,x_axis,x,y_axis,y
k=1,Gaussian,MSG,iterations (log),1,suboptimality (log),0.5
k=1,Gaussian,MSG,iterations (log),10,suboptimality (log),0.01
k=1,Gaussian,SAA,iterations (log),10,suboptimality (log),0
k=1,orthogonal,MSG,iterations (log),10,suboptimality (log),-1e-17
k=4,orthogonal,MSG,iterations,0,k',5
k=4,orthogonal,MSG,iterations,20,k',7
`

// TestExperiment: one SVG and one PNG with all tiles, the same each time.
func TestExperiment(t *testing.T) {
	var drawn [2][]byte
	for i := range drawn {
		dir := t.TempDir()
		results := filepath.Join(dir, "thesis.csv")
		if err := os.WriteFile(results, []byte(experimentSample), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := run(results, dir); err != nil {
			t.Fatal(err)
		}
		drawn[i], _ = os.ReadFile(filepath.Join(dir, "thesis.svg"))
		png, _ := os.ReadFile(filepath.Join(dir, "thesis.png"))
		if !bytes.HasPrefix(png, []byte("\x89PNG")) {
			t.Error("thesis.png is not an image")
		}
	}
	for _, text := range []string{"k=1, Gaussian", "k=4, orthogonal", "suboptimality", "MSG", "SAA"} {
		if !bytes.Contains(drawn[0], []byte(text)) {
			t.Errorf("no %q", text)
		}
	}
	if !bytes.Equal(drawn[0], drawn[1]) {
		t.Error("the same points were drawn differently")
	}
}

// TestBadExperiment: what is not a number is refused with its line.
func TestBadExperiment(t *testing.T) {
	for text, want := range map[string]string{
		strings.Replace(experimentSample, "0.01", "soon", 1):       "line 3",
		experimentSample[:strings.Index(experimentSample, "\n")+1]: "no points",
	} {
		results := filepath.Join(t.TempDir(), "thesis.csv")
		if err := os.WriteFile(results, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := run(results, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
