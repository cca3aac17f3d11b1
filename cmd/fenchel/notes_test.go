package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/training"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/tune"
)

// The note of a search fits into the model, whatever its length and that of the user's notes;
// it has the best candidates.
func TestSearchNoteFits(t *testing.T) {
	tn := training.Tuner{Found: &tune.Result{}}
	for k := range 400 {
		c := tune.Trial{Mean: float64(k) / 400}
		c.Settings = []tune.Setting{{Key: "kernel", Value: fmt.Sprintf("rbf:gamma=%d", k)}, {Key: "loss", Value: strings.Repeat("x", 200)}}
		tn.Found.Candidates = append(tn.Found.Candidates, c)
	}
	tn.Found.Best = 399
	for _, size := range []int{0, 30 << 10, 60 << 10} {
		own := map[string]string{"mine": strings.Repeat("y", size-min(size, 10))}
		tn.Trainer.Spec.Notes = own
		if err := tn.CheckNotes(); err != nil {
			t.Fatalf("%d bytes: %s", size, err)
		}
		notes, err := tn.NotesWith(own)
		if err != nil {
			t.Fatalf("%d bytes: %s", size, err)
		}
		if err := model.CheckNotes(notes); err != nil || notes["mine"] != own["mine"] {
			t.Errorf("%d bytes: %v", size, err)
		}
		var told struct {
			Candidates []struct{ Score float64 }
			Of         int
		}
		if err := json.Unmarshal([]byte(notes["tune"]), &told); err != nil {
			t.Fatal(err)
		}
		if told.Of != 400 || len(told.Candidates) < 4 || told.Candidates[0].Score != 399./400 {
			t.Errorf("%d bytes: %d candidates of %d are told, the first with %v", size, len(told.Candidates), told.Of, told.Candidates[:1])
		}
	}
	tn.Trainer.Spec.Notes = map[string]string{"mine": strings.Repeat("y", 62<<10)}
	if err := tn.CheckNotes(); err == nil {
		t.Error("notes that leave no place were taken")
	}
}
