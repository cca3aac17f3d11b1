package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sample = `race,kind,set,loss,lambda,kernel,contender,seconds,accuracy
solve,trace,a9a,hinge,1/n,,fenchel,0.01,0.1
solve,trace,a9a,hinge,1/n,,fenchel,0.02,1e-6
solve,sweep,a9a,hinge,1/n,,liblinear -s 3,0.03,0.001
solve,sweep,a9a,hinge,1/n,,liblinear -s 3,0.01,0
solve,timed,a9a,hinge,1/n,,liblinear -s 3,0.03,0.001
read,text,a9a,,,,fenchel,0.03,
solve,sweep,w8a,logistic,1/(100n),,liblinear -s 0,0.03,0.001
kernel,trace,a9a,hinge,1/n,rbf:gamma=0.05,fenchel,2,0.001
kernel,sweep,a9a,hinge,1/n,rbf:gamma=0.05,libsvm,40,0.001
kernel,sweep,rows=4070,hinge,1/n,rbf:gamma=0.05,libsvm,1,0.001
`

// TestRun: one file for each loss and lambda, with a legend for each curve.
func TestRun(t *testing.T) {
	dir := t.TempDir()
	results := filepath.Join(dir, "results.csv")
	if err := os.WriteFile(results, []byte(sample), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(results, dir); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]string{
		"hinge-c1.svg":      {"a9a, hinge, lambda = 1/n", "fenchel", "liblinear -s 3"},
		"logistic-c100.svg": {"w8a, logistic, lambda = 1/(100n)", "liblinear -s 0"},
		"kernel.svg":        {"a9a, rbf:gamma=0.05, lambda = 1/n", "libsvm"},
	} {
		drawn, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if !bytes.Contains(drawn, []byte(text)) {
				t.Errorf("%s: no %q", name, text)
			}
		}
	}
	again := t.TempDir()
	if err := run(results, again); err != nil {
		t.Fatal(err)
	}
	first, _ := os.ReadFile(filepath.Join(dir, "hinge-c1.svg"))
	second, _ := os.ReadFile(filepath.Join(again, "hinge-c1.svg"))
	if !bytes.Equal(first, second) {
		t.Error("the same results were drawn differently")
	}
}

// TestBadResults: what is not a table of results is refused with its line.
func TestBadResults(t *testing.T) {
	for text, want := range map[string]string{
		"race,kind\n": "no column",
		strings.Replace(sample, "0.01,0.1", "soon,0.1", 1): "line 2",
	} {
		results := filepath.Join(t.TempDir(), "results.csv")
		if err := os.WriteFile(results, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := run(results, t.TempDir()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}
