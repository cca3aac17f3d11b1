package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/training"
	"github.com/fenchel-ml/fenchel/data"
)

// TestFailedTestKeepsSummary checks that an evaluation that fails after
// training hides nothing of what came out. The command line refuses such test
// data before training, so they are put in behind its back.
func TestFailedTestKeepsSummary(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "m")
		tr := &training.Trainer{Out: path, JSON: asJSON, Quiet: true}
		var out bytes.Buffer
		cmd := training.NewTrain()
		cmd.SetContext(context.Background())
		cmd.SetOut(&out)
		var err error
		if tr.Set, err = tr.In.Read(cmd, []string{"@toy:n=20"}); err != nil {
			t.Fatal(err)
		}
		bare := *tr.Set
		bare.Target = data.Target{}
		tr.TestSet = &bare
		if err := tr.Fit(cmd, training.NewTracer(tr)); err != nil {
			t.Fatal(err)
		}
		err = tr.Finish(cmd, []string{"@toy:n=20"}, training.NewTracer(tr), time.Now())
		var e *exitcode.Error
		if !errors.As(err, &e) || e.Code != exitcode.Data || !strings.Contains(err.Error(), "no targets") {
			t.Errorf("json %t: error %v, want one of code %d about targets", asJSON, err, exitcode.Data)
		}
		for _, want := range []string{"status", "model", path} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("json %t: the summary has no %q:\n%s", asJSON, want, out.String())
			}
		}
	}
}

// TestSummaryNeedsNoRows ends a run on caches after the files were given back, as they
// are while the model is written: whatever touches a row then ends the program.
func TestSummaryNeedsNoRows(t *testing.T) {
	folder := t.TempDir()
	var sources []string
	for _, seed := range []string{"1", "2"} {
		path := filepath.Join(folder, seed+".fen")
		if code := run([]string{"convert", "@text:n=300,d=50,seed=" + seed, path}, nil, io.Discard, os.Stderr); code != exitcode.OK {
			t.Fatalf("convert: found the exit code %d", code)
		}
		sources = append(sources, path)
		for _, asJSON := range []bool{false, true} {
			tr := &training.Trainer{Out: filepath.Join(folder, "m"), JSON: asJSON, Quiet: true}
			tr.Spec.Bias = "none"
			var out bytes.Buffer
			cmd := training.NewTrain()
			cmd.SetContext(context.Background())
			cmd.SetOut(&out)
			if err := tr.Begin(cmd, sources); err != nil {
				t.Fatal(err)
			}
			if err := tr.Fit(cmd, training.NewTracer(tr)); err != nil {
				t.Fatal(err)
			}
			if err := tr.Set.Close(); err != nil {
				t.Fatal(err)
			}
			if err := tr.Finish(cmd, sources, training.NewTracer(tr), time.Now()); err != nil {
				t.Errorf("%d files, json %t: %v", len(sources), asJSON, err)
			}
			if !strings.Contains(out.String(), "nonzeros") {
				t.Errorf("%d files, json %t: the summary has no size of the data:\n%s", len(sources), asJSON, out.String())
			}
		}
	}
}

// TestThresholdsAreTold: scores that lie close together have as many digits as tell them apart.
func TestThresholdsAreTold(t *testing.T) {
	var out strings.Builder
	printThresholds(&out, &fenchel.Evaluation{Thresholds: []fenchel.ThresholdEvaluation{{Score: 0.5}, {Score: -1.00001}, {Score: -1.000011}, {Score: -1.000011}}})
	for _, want := range []string{" 0.5 ", " -1.00001 ", " -1.000011 "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("found\n%s, expected %q", out.String(), want)
		}
	}
}
