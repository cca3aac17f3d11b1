package main

import (
	"cmp"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// needs are what the tests of the Python package import; they skip what needs more.
const needs = "import numpy, pytest"

var long = flag.Bool("long", false, "run all tests of the Python package, not every tenth, and the suites of scikit-learn")

// TestPython runs every tenth test of the Python package with this program, all with -long:
// "python -m pytest" in the folder python. FENCHEL_PYTHON names the interpreter. The test is
// skipped where it has no numpy or pytest.
func TestPython(t *testing.T) {
	if testing.Short() {
		t.Skip("the tests of the Python package take a minute")
	}
	python := python()
	if out, err := exec.Command(python, "-c", needs).CombinedOutput(); err != nil {
		t.Skipf("%s cannot %s: the Python package is not tested (FENCHEL_PYTHON names another Python): %v\n%s", python, needs, err, last(out))
	}
	program, err := exec.LookPath("fenchel") // that of the scripts: this test binary under another name
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(python, "-m", "pytest", "-p", "no:cacheprovider", "-q")
	cmd.Dir = filepath.Join("..", "..", "python")
	cmd.Env = append(os.Environ(), "FENCHEL_BINARY="+program, "PYTHONDONTWRITEBYTECODE=1", "MPLBACKEND=Agg")
	if *long {
		cmd.Env = append(cmd.Env, "FENCHEL_LONG=1")
	} else {
		cmd.Env = append(cmd.Env, "FENCHEL_TEST_SAMPLE=10")
	}
	out, err := cmd.CombinedOutput()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatal(err)
	}
	if err != nil {
		t.Fatalf("%s -m pytest: %v\n%s", python, err, out)
	}
	t.Logf("%s", last(out))
}

// python is the interpreter for tests.
func python() string { return cmp.Or(os.Getenv("FENCHEL_PYTHON"), "python3") }

// last is the last line of what a program printed.
func last(out []byte) []byte {
	lines := regexp.MustCompile(`[^\n]+`).FindAll(out, -1)
	if len(lines) == 0 {
		return nil
	}
	return lines[len(lines)-1]
}
