package model

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Notes are what users say of a model: nothing depends on them. They stand in a part of
// the file of their own, so that no name is taken.
const (
	maxNotes    = 100      // of a model
	maxNoteName = 100      // bytes
	maxNoteText = 64 << 10 // bytes of all names and values
)

// CheckNotes refuses notes that are too many or too long, and names that do not fit on a
// line. Values may have several lines.
func CheckNotes(notes map[string]string) error {
	if n := len(notes); n > maxNotes {
		return fmt.Errorf("found %d notes, expected at most %d", n, maxNotes)
	}
	size := 0
	for _, name := range slices.Sorted(maps.Keys(notes)) {
		value := notes[name]
		switch {
		case name == "" || len(name) > maxNoteName || name != strings.TrimSpace(name) || strings.Contains(name, "=") ||
			strings.ContainsFunc(name, unicode.IsControl) || !utf8.ValidString(name):
			return fmt.Errorf("note %.120q: expected a name of 1 to %d bytes in UTF-8 without \"=\", control characters, and spaces around it", name, maxNoteName)
		case !utf8.ValidString(value):
			return fmt.Errorf("note %q: found bytes that are no UTF-8, expected text", name)
		}
		size += len(name) + len(value)
	}
	if size > maxNoteText {
		return fmt.Errorf("found notes of %d bytes together, expected at most %d", size, maxNoteText)
	}
	return nil
}

// readNotes reads the notes that are there, after a look at their length: JSON takes at
// most six bytes for one.
func readNotes(metadata map[string]string, notes *map[string]string) error {
	if n := len(metadata["notes"]); n > 8*maxNoteText {
		return fmt.Errorf("notes: found %d bytes, expected at most %d", n, 8*maxNoteText)
	}
	if err := readParts(metadata, map[string]any{"notes": notes}); err != nil {
		return err
	}
	return CheckNotes(*notes)
}
