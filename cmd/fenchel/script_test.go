package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain makes this test binary answer to the name fenchel in the scripts:
// what they run is main itself.
func TestMain(m *testing.M) {
	if folder, err := filepath.Abs("../../docs/formats"); err == nil && os.Getenv(schemaFolder) == "" {
		os.Setenv(schemaFolder, folder)
	}
	testscript.Main(m, map[string]func(){"fenchel": judged, "stubborn": stubborn, "halfway": halfway})
}

// TestScript runs testdata/script/*.txtar, one per verb and per family of bad
// input. Beside the usual commands of testscript there are
//
//	exits CODE fenchel ARGS...   the exit code must be CODE
//	refused CODE ARGS... :: TEXT runs fenchel: the exit code must be CODE,
//	                             standard output empty, and standard error
//	                             the one line "fenchel: TEXT"
//	same FILE FILE...            all have the same bytes
//	flip FILE OFFSET             changes a bit; OFFSET < 0 counts from the end
//	replace FILE OLD NEW         replaces text once by text of the same length
//	head FILE BYTES NEW          the first bytes of a file
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		ContinueOnError:     true,
		Setup: func(env *testscript.Env) error {
			env.Setenv(schemaFolder, os.Getenv(schemaFolder))
			if runtime.NumCPU() == 1 { // scripts ask for two threads
				env.Setenv("GOMAXPROCS", "2")
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits, "refused": refused, "same": same, "flip": flip, "replace": replace, "head": head,
		},
	})
}

// exitCode runs a command and returns its exit code.
func exitCode(ts *testscript.TestScript, command string, args ...string) int {
	err := ts.Exec(command, args...)
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.ExitCode()
	}
	ts.Check(err)
	return 0
}

func exits(ts *testscript.TestScript, _ bool, args []string) {
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitCode(ts, args[1], args[2:]...); got != want {
		ts.Fatalf("exit code: found %d, expected %d", got, want)
	}
}

func refused(ts *testscript.TestScript, _ bool, args []string) {
	words := []string{}
	if at := slices.Index(args, "::"); at >= 0 {
		args, words = args[:at], args[at+1:]
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	if got := exitCode(ts, "fenchel", args[1:]...); got != want {
		ts.Fatalf("exit code: found %d, expected %d", got, want)
	}
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("standard output: found %q, expected nothing", out)
	}
	got, text := ts.ReadFile("stderr"), "fenchel: "+strings.Join(words, " ")
	start, open := strings.CutSuffix(text, "...") // a list of what is registered
	if want := text + "\n"; got != want && !(open && strings.HasPrefix(got, start) && strings.Count(got, "\n") == 1) {
		ts.Fatalf("standard error: found\n%s\nexpected\n%s", got, want)
	}
}

func same(ts *testscript.TestScript, _ bool, args []string) {
	first := ts.ReadFile(args[0])
	for _, name := range args[1:] {
		if ts.ReadFile(name) != first {
			ts.Fatalf("%s and %s differ", args[0], name)
		}
	}
}

func edit(ts *testscript.TestScript, name string, change func([]byte) []byte) {
	ts.Check(os.WriteFile(ts.MkAbs(name), change([]byte(ts.ReadFile(name))), 0o600))
}

func flip(ts *testscript.TestScript, _ bool, args []string) {
	offset, err := strconv.Atoi(args[1])
	ts.Check(err)
	edit(ts, args[0], func(data []byte) []byte {
		data[(offset+len(data))%len(data)] ^= 1
		return data
	})
}

func replace(ts *testscript.TestScript, _ bool, args []string) {
	if len(args[1]) != len(args[2]) {
		ts.Fatalf("%q and %q differ in length", args[1], args[2])
	}
	edit(ts, args[0], func(data []byte) []byte {
		if bytes.Count(data, []byte(args[1])) == 0 {
			ts.Fatalf("%s has no %q", args[0], args[1])
		}
		return bytes.Replace(data, []byte(args[1]), []byte(args[2]), 1)
	})
}

func head(ts *testscript.TestScript, _ bool, args []string) {
	n, err := strconv.Atoi(args[1])
	ts.Check(err)
	data := ts.ReadFile(args[0])
	if n > len(data) {
		ts.Fatalf("%s has %d bytes", args[0], len(data))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[2]), []byte(data[:n]), 0o600))
}

// TestJSONContract checks that every field that scripts may rely on is there.
func TestJSONContract(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		args   []string
		fields string
	}{
		{[]string{"train", "@toy:n=50,d=3", "--test", "@toy:n=50,d=3,skip=50", "-o", "m"},
			"status primal dual gap gap_absolute lambda C n d nonzeros solver loss penalty bias epochs seconds.read seconds.train seconds.certify seconds.total model test.error test.accuracy test.rows"},
		{[]string{"train", "@linear:n=50,d=3", "--task", "regression", "--test", "@linear:n=50,d=3,skip=50"}, "status test.rmse test.mae test.r2 model"},
		{[]string{"train", "@toy:n=50,d=3", "--kernel", "rbf", "-o", "k"}, "status gap kernel kernel_evaluations kernel_evaluations_computed kernel_evaluations_prefetched inner_products support support_bounded kkt_violation leave_one_out_bound leave_one_out_by"},
		{[]string{"info", "k"}, "problem.kernel support outputs"},
		{[]string{"verify", "k", "@toy:n=50,d=3"}, "valid found.gap"},
		{[]string{"verify", "m", "@toy:n=50,d=3"}, "valid problems claimed.primal claimed.dual claimed.gap found.primal found.dual found.gap rebuilt_dual digest"},
		{[]string{"evaluate", "m", "@toy:n=50,d=3"}, "rows accuracy error error_within auc classes confusion.true confusion.predicted confusion.count"},
		{[]string{"advise", "@toy:n=50,d=3"}, "n d nonzeros max_squared_norm mean_squared_norm condition lambda C solver advice.method advice.gradients advice.passes advice.why advice.ulbrich advice.lecture"},
		{[]string{"advise", "--n", "50"}, "n accuracy advice.method advice.solvers advice.rules"},
		{[]string{"info", "m"}, "problem.loss problem.lambda data.rows data.digest classes status primal dual gap outputs has_dual program_version"},
	} {
		cmd := exec.Command("fenchel", append(c.args, "--json")...)
		cmd.Dir = dir
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", c.args, err)
		}
		for field := range strings.FieldsSeq(c.fields) {
			if err := hasField(out, field); err != nil {
				t.Errorf("%s: %v", strings.Join(c.args, " "), err)
			}
		}
	}
}

func hasField(object []byte, path string) error {
	name, rest, deeper := strings.Cut(path, ".")
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil {
		return err
	}
	value, ok := fields[name]
	if !ok {
		return fmt.Errorf("found no field %q in %s", name, object)
	}
	if deeper {
		return hasField(value, rest)
	}
	return nil
}
