package conform_test

import (
	"encoding/json"
	"flag"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var long = flag.Bool("long", false, "run the commands of docs/extending.md, which build most packages anew")

// TestExtending lays the files and rows of docs/extending.md over the sources; with -long it
// runs the commands of the page, else what is laid must parse.
func TestExtending(t *testing.T) {
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(root, "docs/extending.md"))
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]string{}
	lay := func(name, text string) {
		if _, err := parser.ParseFile(token.NewFileSet(), name, text, 0); err != nil {
			t.Error(err)
		}
		at := filepath.Join(t.TempDir(), filepath.Base(name))
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		overlay[filepath.Join(root, name)] = at
	}
	var commands []string
	for _, block := range regexp.MustCompile("(?ms)^```(.*?)\n(.*?)^```$").FindAllStringSubmatch(string(page), -1) {
		switch words, text := strings.Fields(block[1]), block[2]; {
		case len(words) == 2 && words[0] == "go":
			if _, err := os.Stat(filepath.Join(root, words[1])); err == nil {
				t.Errorf("%s is there already", words[1])
			}
			lay(words[1], text)
		case len(words) == 4 && words[1] == "row":
			lay(words[2], withRow(t, filepath.Join(root, words[2]), words[3], text))
		case len(words) == 1 && words[0] == "sh":
			commands = append(commands, strings.TrimSpace(text))
		default:
			t.Errorf("found a block %q, expected one of a file, a row or a command", block[1])
		}
	}
	if len(overlay) != 10 || len(commands) != 5 {
		t.Fatalf("found %d files and rows and %d commands, expected 10 and 5", len(overlay), len(commands))
	}
	if !*long {
		t.Skip("the commands build most packages anew: -long runs them")
	}
	text, err := json.Marshal(map[string]any{"Replace": overlay})
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "overlay.json")
	if err := os.WriteFile(list, text, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, command := range commands {
		words := strings.Fields(strings.ReplaceAll(command, "'", "")) // go test ...
		run := exec.CommandContext(t.Context(), words[0], append([]string{words[1], "-v", "-overlay", list}, words[2:]...)...)
		run.Dir = root
		run.Env = append(os.Environ(), "GOPROXY=off")
		if out, err := run.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS") {
			t.Errorf("%s: %v\n%s", command, err, out)
		}
	}
}

// withRow returns a Go file with a row at the end of a table.
func withRow(t *testing.T, file, table, row string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, after, found := strings.Cut(string(text), "\nvar "+table+" = ")
	body, rest, ended := strings.Cut(after, "\n}\n")
	if !found || !ended {
		t.Fatalf("%s: found no table %s", file, table)
	}
	return before + "\nvar " + table + " = " + body + "\n" + row + "}\n" + rest
}
