package engine

import (
	"context"
	"encoding/json"
	"math"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/tune"
)

// The scores of the engine are those of tune.Run, on folds that are dealt out and on the
// same folds given.
func TestTune(t *testing.T) {
	c := newCaller(t)
	set, q := generated(t, c, "@blobs:n=120,classes=3,spread=3")
	axes, err := tune.ParseAxes("C=0.01,1")
	if err != nil {
		t.Fatal(err)
	}
	spec := tune.Spec{Train: fenchel.Spec{Loss: "softmax", Scaling: "none", Seed: 3}, Axes: axes, Folds: tune.Folds{K: 3, Seed: 3}, Score: "logloss"}
	want, err := tune.Run(t.Context(), set, spec)
	if err != nil {
		t.Fatal(err)
	}
	folds, err := spec.Folds.Deal(set, set.Target.Code, set.Target.Label)
	if err != nil {
		t.Fatal(err)
	}
	var all []uint32
	var counts []int
	for _, f := range folds {
		for _, part := range [][]int{f.Learn, f.Judge} {
			counts = append(counts, len(part))
			for _, i := range part {
				all = append(all, uint32(i))
			}
		}
	}
	fields := map[string]any{"data": q, "spec": map[string]any{"loss": "softmax", "scaling": "none", "seed": 3}, "search": "C=0.01,1", "score": "logloss", "folds": 3}
	given := map[string]any{"rows": write(c, all), "counts": counts}
	for _, split := range []any{nil, given} {
		fields["given"] = split
		got := tuneOf(t, c, fields)
		if got.Best != want.Best || len(got.Candidates) != 2 {
			t.Fatalf("found the best of %d candidates at %d, expected 2 and %d", len(got.Candidates), got.Best, want.Best)
		}
		for k, m := range got.Candidates {
			for f, x := range m.Scores {
				if x != want.Candidates[k].Scores[f] {
					t.Errorf("candidate %d, fold %d: found the score %v, expected %v", k, f, x, want.Candidates[k].Scores[f])
				}
			}
		}
	}
	for _, bad := range [][]int{{}, {1}, {40, -1}, {math.MaxInt32, 1}, {0, 5}} {
		fields["given"] = map[string]any{"rows": given["rows"], "counts": bad}
		if f := c.refused("tune", fields); f.Kind != "parameter" {
			t.Errorf("counts %v: found %+v, expected kind parameter", bad, f)
		}
	}
}

type tunedAnswer struct {
	Best       int `json:"best"`
	Candidates []struct {
		Scores []float64 `json:"scores"`
	} `json:"candidates"`
}

// tuneOf runs the request by itself, as answers of other verbs have no such fields.
func tuneOf(t *testing.T, c *caller, fields map[string]any) (answer tunedAnswer) {
	t.Helper()
	text, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	mapped, err := NewMemory(c.file).open(c.size)
	if err != nil {
		t.Fatal(err)
	}
	defer mapped.close()
	r := &request{server: &server{}, ctx: context.Background(), text: text, mapped: mapped}
	got, err := with((*request).tune)(r)
	if err != nil {
		t.Fatal(err)
	}
	if text, err = json.Marshal(got); err == nil {
		err = json.Unmarshal(text, &answer)
	}
	if err != nil {
		t.Fatal(err)
	}
	return answer
}
