package training

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
)

// What users say of a model, by flags of the verbs that make one.

// leastSearch is the bytes that are
// left for it.
const (
	leastSearch = 4 << 10
)

// CheckNotes refuses notes of the user that leave too few bytes for the note of the search, or have its
// name. It is called before any data are read.
func (t *Tuner) CheckNotes() error {
	notes := map[string]string{report.SearchNote: strings.Repeat(" ", leastSearch)}
	if _, taken := t.Trainer.Spec.Notes[report.SearchNote]; taken {
		return fmt.Errorf("--note %s: expected another name, as this one is of the search", report.SearchNote)
	}
	maps.Copy(notes, t.Trainer.Spec.Notes)
	if err := model.CheckNotes(notes); err != nil {
		return fmt.Errorf("--note, with %d bytes for that of the search: %w", leastSearch, err)
	}
	return nil
}

// NotesWith adds the search to the notes of the user, with as many candidates as fit.
func (t *Tuner) NotesWith(own map[string]string) (map[string]string, error) {
	notes := map[string]string{}
	maps.Copy(notes, own)
	for most := 300; ; most /= 2 {
		note, err := t.note(most)
		if err != nil {
			return nil, err
		}
		notes[report.SearchNote] = note
		if err := model.CheckNotes(notes); err == nil || most == 0 {
			return notes, err
		}
	}
}

// note is the search for the model: without times, so that the same data and seed make the
// same file. Of more candidates than most the best are told.
func (t *Tuner) note(most int) (string, error) {
	all := []result.Candidate{}
	for _, k := range t.ranked(most, most) {
		all = append(all, candidate(&t.Found.Candidates[k], false))
	}
	text, err := json.Marshal(map[string]any{"candidates": all, "of": len(t.Found.Candidates), "best": candidate(&t.Found.Candidates[t.Found.Best], false),
		"score": t.Found.Score.Name, "rule": t.Found.Rule, "folds": t.splits(), "seed": t.spec.Folds.Seed})
	return string(text), err
}
