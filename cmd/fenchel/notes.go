package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/model"
)

// What users say of a model, by flags of the verbs that make one.

// leastSearch is the bytes that are
// left for it.
const (
	leastSearch = 4 << 10
)

// checkNotes refuses notes beside which that of the search has no place, before any work.
func (t *tuner) checkNotes() error {
	notes := map[string]string{searchNote: strings.Repeat(" ", leastSearch)}
	if _, taken := t.trainer.spec.Notes[searchNote]; taken {
		return fmt.Errorf("--note %s: expected another name, as this one is of the search", searchNote)
	}
	maps.Copy(notes, t.trainer.spec.Notes)
	if err := model.CheckNotes(notes); err != nil {
		return fmt.Errorf("--note, with %d bytes for that of the search: %w", leastSearch, err)
	}
	return nil
}

// notesWith adds the search to the notes of the user, with as many candidates as fit.
func (t *tuner) notesWith(own map[string]string) (map[string]string, error) {
	notes := map[string]string{}
	maps.Copy(notes, own)
	for most := 300; ; most /= 2 {
		note, err := t.note(most)
		if err != nil {
			return nil, err
		}
		notes[searchNote] = note
		if err := model.CheckNotes(notes); err == nil || most == 0 {
			return notes, err
		}
	}
}

// note is the search for the model: without times, so that the same data and seed make the
// same file. Of more candidates than most the best are told.
func (t *tuner) note(most int) (string, error) {
	order := make([]int, len(t.found.Candidates))
	for k := range order {
		order[k] = k
	}
	if len(order) > most {
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(t.rank(a), t.rank(b)) })
		order = order[:most]
	}
	all := []map[string]any{}
	for _, k := range order {
		all = append(all, candidate(&t.found.Candidates[k], false))
	}
	text, err := json.Marshal(map[string]any{"candidates": all, "of": len(t.found.Candidates), "best": candidate(&t.found.Candidates[t.found.Best], false),
		"score": t.found.Score.Name, "rule": t.found.Rule, "folds": t.splits(), "seed": t.spec.Folds.Seed})
	return string(text), err
}
