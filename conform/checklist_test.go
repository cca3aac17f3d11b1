package conform_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestChecklist checks that each test that docs/checklist.md names exists, as a function of a test file of
// that room, and that each of the systems has one but for networks.
func TestChecklist(t *testing.T) {
	const page = "docs/checklist.md"
	text, err := os.ReadFile("../" + page)
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`([a-z/]+)\\.(Test[A-Za-z0-9]+)`")
	systems := 0
	for i, line := range strings.Split(string(text), "\n") {
		tests := name.FindAllStringSubmatch(line, -1)
		if strings.HasPrefix(line, "| L") {
			if systems++; len(tests) == 0 && !strings.Contains(line, "not offered") {
				t.Errorf("%s:%d: names no test: %s", page, i+1, line)
			}
		}
		for _, found := range tests {
			if !hasTest(t, found[1], found[2]) {
				t.Errorf("%s:%d: names %s of %s, which is not there", page, i+1, found[2], found[1])
			}
		}
	}
	if systems != 34 {
		t.Errorf("%s has %d systems, expected 34", page, systems)
	}
}

// hasTest reports whether a test file of the room has the function.
func hasTest(t *testing.T, room, test string) bool {
	t.Helper()
	files, err := filepath.Glob("../" + room + "/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), "\nfunc "+test+"(t *testing.T) {") {
			return true
		}
	}
	return false
}
