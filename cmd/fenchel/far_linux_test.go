//go:build !race

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A few bytes of sparse text can name feature 4294967294. No verb takes memory for the features
// before it that are not there.
func TestFarFeature(t *testing.T) {
	rows := strings.Repeat("1 4294967294:1\n-1 1:1\n1 2:1\n-1 3:1\n", 3)
	far, ranges := filepath.Join(t.TempDir(), "far.svm"), filepath.Join(t.TempDir(), "ranges")
	for path, text := range map[string]string{far: rows, ranges: "x\n-1 1\n1 0 1\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, line := range []string{"train", "train --kernel rbf --scale max", "tune --kernel rbf --folds 2", "tune --folds 0", "path", "pca -k 1", "pca -k 1 --stream",
		"advise", "scale -o s", "scale -o s --standardise", "scale -o s --restore " + ranges} {
		verb, flags, _ := strings.Cut(line, " ")
		command := exec.Command("fenchel", append([]string{verb, far}, strings.Fields(flags)...)...)
		out, _ := command.CombinedOutput()
		if code := command.ProcessState.ExitCode(); code != 2 || !strings.Contains(string(out), "expected features to be numbered without such gaps") {
			t.Errorf("%s: found exit code %d and %s", line, code, out)
		}
		if used := command.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; used > 50<<10 {
			t.Errorf("%s: found %d kB of memory in use, expected at most 50 MB", line, used)
		}
	}
}
