package conform_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/experiment"
	_ "github.com/fenchel-ml/fenchel/internal/experiment/gradient"
	_ "github.com/fenchel-ml/fenchel/internal/experiment/programming"
	_ "github.com/fenchel-ml/fenchel/internal/experiment/thesis"
)

// TestChecklist checks that each test that docs/checklist.md names exists, as a function of a test file of
// that package, and that each of the 137 systems has one.
func TestChecklist(t *testing.T) {
	const page = "docs/checklist.md"
	text, err := os.ReadFile("../" + page)
	if err != nil {
		t.Fatal(err)
	}
	name := regexp.MustCompile("`([a-z/]+)\\.(Test[A-Za-z0-9]+)`")
	experiments := regexp.MustCompile(`\b(pgs|qp|sg|thesis)-[a-z0-9.-]*[a-z0-9]`)
	row := regexp.MustCompile(`^\| ([A-Z])[0-9]+b? \|`)
	systems := map[string]int{}
	for i, line := range strings.Split(string(text), "\n") {
		tests := name.FindAllStringSubmatch(line, -1)
		if in := row.FindStringSubmatch(line); in != nil {
			if systems[in[1]]++; len(tests) == 0 {
				t.Errorf("%s:%d: names no test: %s", page, i+1, line)
			}
		}
		for _, run := range experiments.FindAllString(line, -1) {
			if _, err := experiment.New(run); err != nil {
				t.Errorf("%s:%d: %v", page, i+1, err)
			}
		}
		for _, found := range tests {
			if !hasTest(t, found[1], found[2]) {
				t.Errorf("%s:%d: names %s of %s, which is not there", page, i+1, found[2], found[1])
			}
		}
	}
	if expected := map[string]int{"L": 34, "K": 24, "F": 9, "T": 19, "S": 13, "X": 9, "P": 29}; !maps.Equal(systems, expected) {
		t.Errorf("%s has the systems %v, expected %v", page, systems, expected)
	}
}

// hasTest reports whether a test file of the package has the function.
func hasTest(t *testing.T, folder, test string) bool {
	t.Helper()
	if folder == front {
		folder = "."
	}
	files, err := filepath.Glob("../" + folder + "/*_test.go")
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
