package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// readme is where the README is, and data where its $DATA is, if anywhere.
const (
	readme = "../../README.md"
	data   = "../../../shared/data"
)

// A consoleCommand is a line "$ ..." of a ```console block, with the output
// shown below it. "..." stands for anything within a line, and a line of
// nothing else for any lines.
type consoleCommand struct {
	text, shown string
	line        int
}

// consoleCommands reads the commands of all console blocks, in order.
func consoleCommands(text string) []*consoleCommand {
	var all []*consoleCommand
	inside := false
	for i, line := range strings.Split(text, "\n") {
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case !inside:
		case isCommand:
			all = append(all, &consoleCommand{text: command, line: i + 1})
		case len(all) > 0:
			all[len(all)-1].shown += line + "\n"
		}
	}
	return all
}

// TestREADME runs the README and the guide: what a reader copies from a page works, and prints
// what it says.
func TestREADME(t *testing.T) {
	pages, err := filepath.Glob("../../docs/guide/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, readme) {
		if filepath.Base(page) != "go.md" { // which has no commands
			t.Run(filepath.Base(page), func(t *testing.T) { runPage(t, page) })
		}
	}
}

// runPage runs the commands of a page, in a folder of their own.
func runPage(t *testing.T, page string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	commands := consoleCommands(string(text))
	if len(commands) == 0 {
		t.Fatal("found no ```console block with a line that begins with \"$ \"")
	}
	dir := t.TempDir()
	folder, err := filepath.Abs(data)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range commands {
		t.Run(c.text, func(t *testing.T) { c.run(t, page, dir, folder) })
	}
}

func (c *consoleCommand) run(t *testing.T, page, dir, data string) {
	switch {
	case strings.HasPrefix(c.text, "go test"):
		t.Skip("this is a part of it")
	case strings.Contains(c.text, "$DATA") && testing.Short():
		t.Skip("real data are left out of short runs")
	case strings.Contains(c.text, "$DATA"):
		if _, err := os.Stat(data); err != nil {
			t.Skip("the public data sets are not here: ", err)
		}
	}
	cmd := exec.Command("sh", "-c", strings.ReplaceAll(c.text, "go run ./cmd/fenchel", "fenchel"))
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(os.Environ(), "DATA="+data), &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s:%d: %v\n%s", page, c.line, err, stderr.String())
	}
	if !shows(c.shown, stdout.String()) {
		t.Errorf("%s:%d: found\n%s\nexpected\n%s", page, c.line, stdout.String(), c.shown)
	}
}

// shows reports whether an output is the one shown, but for blanks that end
// lines.
func shows(shown, output string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(shown) {
		if line = strings.TrimRight(line, " \n"); line == "..." {
			pattern.WriteString(`(?:.*\n)*`)
			continue
		}
		pattern.WriteString(strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, `.*`) + `\n`)
	}
	var trimmed strings.Builder
	for line := range strings.Lines(output) {
		trimmed.WriteString(strings.TrimRight(line, " \n") + "\n")
	}
	return regexp.MustCompile(`^` + pattern.String() + `$`).MatchString(trimmed.String())
}

func TestShows(t *testing.T) {
	for _, c := range []struct {
		shown, output string
		want          bool
	}{
		{"a\n", "a  \n", true},
		{"a\n", "b\n", false},
		{"a\n", "a\nb\n", false},
		{"", "a\n", false},
		{"...\n", "", true},
		{"a\n...\nz\n", "a\nb\nc\nz\n", true},
		{"a\n...\nz\n", "a\nz\n", true},
		{"x 0.1... of (2)\n", "x 0.123 of (2)\n", true},
		{"x 0.1... of 2\n", "x 0.2 of 2\n", false},
	} {
		if got := shows(c.shown, c.output); got != c.want {
			t.Errorf("%q shows %q: found %v, expected %v", c.shown, c.output, got, c.want)
		}
	}
}
