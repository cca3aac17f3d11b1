package main

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/dataset"
)

// TestFailedTestKeepsSummary checks that an evaluation that fails after
// training hides nothing of what came out. The command line refuses such test
// data before training, so they are put in behind its back.
func TestFailedTestKeepsSummary(t *testing.T) {
	for _, asJSON := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "m")
		tr := &trainer{out: path, json: asJSON, quiet: true}
		var out bytes.Buffer
		cmd := newTrain()
		cmd.SetContext(context.Background())
		cmd.SetOut(&out)
		var err error
		if tr.set, err = tr.in.read(cmd, []string{"@toy:n=20"}); err != nil {
			t.Fatal(err)
		}
		bare := *tr.set
		bare.Target = dataset.Target{}
		tr.testSet = &bare
		if err := tr.fit(cmd, newTracer(tr)); err != nil {
			t.Fatal(err)
		}
		err = tr.finish(cmd, []string{"@toy:n=20"}, newTracer(tr), time.Now())
		var e *exit
		if !errors.As(err, &e) || e.code != exitData || !strings.Contains(err.Error(), "no targets") {
			t.Errorf("json %t: error %v, want one of code %d about targets", asJSON, err, exitData)
		}
		for _, want := range []string{"status", "model", path} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("json %t: the summary has no %q:\n%s", asJSON, want, out.String())
			}
		}
	}
}
