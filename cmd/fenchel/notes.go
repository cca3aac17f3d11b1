package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// What users say of a model, by flags of the verbs that make one.

const noteHelp = "keep NAME=TEXT in the model, for its users (may be repeated)"

// parseNotes reads NAME=TEXT of each flag.
func parseNotes(flags []string) (map[string]string, error) {
	if flags == nil {
		return nil, nil
	}
	notes := map[string]string{}
	for _, flag := range flags {
		name, text, ok := strings.Cut(flag, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--note %s: expected NAME=TEXT", spell(flag))
		}
		if _, twice := notes[name]; twice {
			return nil, fmt.Errorf("--note: found the name %q twice, expected each once", name)
		}
		notes[name] = text
	}
	return notes, nil
}

// printNotes prints a line for each note.
func printNotes(r report, notes map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(notes)) {
		r.line("note", "%s = %s", name, spell(notes[name]))
	}
}
