package main

import (
	"bytes"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// readme is where the README is, and data where its $DATA is, if anywhere.
const (
	readme     = "../../README.md"
	dataFolder = "../../../shared/data"
)

// A consoleCommand is a line "$ ..." of a ```console block, with lines "> ..." that go on with it,
// and the output shown below it. "..." stands for anything within a line, and a line of
// nothing else for any lines.
type consoleCommand struct {
	text, shown string
	line        int
}

// named ends the line before a block that is a file: "Save this as `main.go`:".
var named = regexp.MustCompile("`([a-z]+\\.[a-z]+)`:$")

// readPage returns the commands of all console blocks of a page, in order, and the texts of the blocks
// that are files, by name.
func readPage(text string) (all []*consoleCommand, files map[string]string) {
	console, file, before := false, "", ""
	files = map[string]string{}
	for i, line := range strings.Split(text, "\n") {
		command, isCommand := strings.CutPrefix(line, "$ ")
		more, goesOn := strings.CutPrefix(line, "> ")
		switch {
		case line == "```":
			console, file = false, ""
		case strings.HasPrefix(line, "```"):
			console = line == "```console"
			if m := named.FindStringSubmatch(before); m != nil && !console {
				file = m[1]
			}
		case file != "":
			files[file] += line + "\n"
		case console && isCommand:
			all = append(all, &consoleCommand{text: command, line: i + 1})
		case console && goesOn:
			all[len(all)-1].text += "\n" + more
		case console && len(all) > 0:
			all[len(all)-1].shown += line + "\n"
		case line != "":
			before = line
		}
	}
	return all, files
}

// pages are those whose commands are run.
func pages(t *testing.T) []string {
	t.Helper()
	all := []string{readme}
	for _, pattern := range []string{"guide/*.md", "tutorials/*.md", "recipes.md", "certificates.md", "gallery.md", "faq.md", "serving.md", "seeing.md"} {
		found, err := filepath.Glob("../../docs/" + pattern)
		if err != nil || found == nil {
			t.Fatalf("docs/%s: found no page (%v)", pattern, err)
		}
		all = append(all, found...)
	}
	return all
}

// longPages are those of which the commands take long.
var longPages = []string{"gallery.md", "compare.md", "kernel.md"}

// TestREADME runs the README, the guide, the tutorials and the recipes: what a reader copies from a page
// works, and prints what it says. Without -long the pages that take long are left out.
func TestREADME(t *testing.T) {
	for _, page := range pages(t) {
		name := filepath.Base(page)
		if name == "go.md" || !*long && slices.Contains(longPages, name) { // which has no commands
			continue
		}
		t.Run(name, func(t *testing.T) { runPage(t, page) })
	}
}

// runPage runs the commands of a page, in a folder of their own that has the page's files.
func runPage(t *testing.T, page string) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	commands, files := readPage(string(text))
	if len(commands) == 0 {
		t.Fatal("found no ```console block with a line that begins with \"$ \"")
	}
	s := newShell(t, page)
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range commands {
		t.Run(c.text, func(t *testing.T) { s.run(t, c) })
	}
	if name := filepath.Base(page); name == "gallery.md" || name == "seeing.md" && hasData() {
		t.Run("made", func(t *testing.T) { compareMade(t, string(text), s.dir) })
	}
}

// redraw writes the pictures of the gallery and the reports, after changes of what is drawn.
var redraw = flag.Bool("redraw", false, "write docs/gallery and docs/reports, which are compared otherwise")

// mostReport is how large a report may be that is kept.
const mostReport = 300_000

// hasData reports whether the public sets are here.
func hasData() bool {
	_, err := os.Stat(dataFolder)
	return err == nil && !testing.Short()
}

// compareMade compares all pictures of the gallery, or all reports, with those that the commands of a page made.
func compareMade(t *testing.T, text, dir string) {
	shown := regexp.MustCompile(`\(((?:gallery|reports)/([a-z-]+\.(?:svg|html)))\)`).FindAllStringSubmatch(text, -1)
	folder, _, _ := strings.Cut(shown[0][1], "/")
	if kept, err := filepath.Glob("../../docs/" + folder + "/*"); err != nil || len(kept) != len(shown) && !*redraw {
		t.Errorf("found %d files in docs/%s, expected the %d of the page (%v)", len(kept), folder, len(shown), err)
	}
	for _, m := range shown {
		drawn, err := os.ReadFile(filepath.Join(dir, m[2]))
		if err != nil {
			t.Error(err)
			continue
		}
		if len(drawn) > mostReport {
			t.Errorf("%s: found %d bytes, expected at most %d", m[2], len(drawn), mostReport)
		}
		path := filepath.Join("../../docs", m[1])
		if *redraw {
			if err := os.WriteFile(path, drawn, 0o644); err != nil {
				t.Error(err)
			}
			continue
		}
		kept, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(kept, drawn) {
			t.Errorf("%s is not what its command draws (-redraw writes it): %v", path, err)
		}
	}
}

// A shell runs the commands of a page.
type shell struct {
	page, dir, address string
	env                []string
}

// newShell makes a folder in which Go programs find this module, and an address for a service.
func newShell(t *testing.T, page string) *shell {
	t.Helper()
	s := &shell{page: page, dir: t.TempDir()}
	folder, err := filepath.Abs(dataFolder)
	if err != nil {
		t.Fatal(err)
	}
	module, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	s.address = listener.Addr().String()
	listener.Close()
	work := filepath.Join(t.TempDir(), "go.work")
	version := strings.Fields(strings.TrimPrefix(runtime.Version(), "go"))[0] // as "go mod init" writes it
	program, err := exec.LookPath("fenchel")                                  // this test binary under another name
	if err != nil {
		t.Fatal(err)
	}
	s.env = append(os.Environ(), "DATA="+folder, "GOWORK="+work, "FENCHEL_BINARY="+program, "PYTHONPATH="+filepath.Join(module, "python"), "PYTHONDONTWRITEBYTECODE=1")
	if err := os.WriteFile(work, fmt.Appendf(nil, "go %s\nuse %q\nuse %q\n", version, module, s.dir), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// skips are beginnings of commands that are not run, and why.
var skips = []struct{ prefix, why string }{
	{"go test", "this is a part of it"},
	{"go work init", "the test has a workspace of its own"},
	{"CGO_ENABLED=0 go install", "this needs a network, and the program is here"},
	{"pip install", "this needs a network, and the package is here"},
}

// skip leaves out what cannot be run here.
func (s *shell) skip(t *testing.T, c *consoleCommand) {
	t.Helper()
	for _, skip := range skips {
		if strings.HasPrefix(c.text, skip.prefix) {
			t.Skip(skip.why)
		}
	}
	switch {
	case strings.Contains(c.text, "$DATA") && testing.Short():
		t.Skip("real data are left out of short runs")
	case strings.Contains(c.text, "$DATA"):
		if _, err := os.Stat(dataFolder); err != nil {
			t.Skip("the public data sets are not here: ", err)
		}
	case strings.HasPrefix(c.text, "python3 "):
		program, err := os.ReadFile(filepath.Join(s.dir, strings.Fields(c.text)[1]))
		if err != nil {
			t.Fatal(err)
		}
		imports := strings.Join(regexp.MustCompile(`(?m)^(import|from) .*$`).FindAllString(string(program), -1), "\n")
		check := exec.Command(python(), "-c", imports)
		check.Env = s.env
		if out, err := check.CombinedOutput(); err != nil {
			t.Skipf("%s lacks a package (FENCHEL_PYTHON names another Python): %s", python(), last(out))
		}
	case strings.HasPrefix(c.text, "curl "):
		if _, err := exec.LookPath("curl"); err != nil {
			t.Skip("curl is not here: ", err)
		}
	}
}

// run runs a command, and compares what it prints with what the page shows.
func (s *shell) run(t *testing.T, c *consoleCommand) {
	s.skip(t, c)
	command := strings.NewReplacer("go run ./cmd/fenchel", "fenchel", "localhost:8080", s.address).Replace(c.text)
	if rest, ok := strings.CutPrefix(command, "python3 "); ok {
		command = "'" + python() + "' " + rest
	}
	cmd := exec.Command("sh", "-c", command)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.dir, s.env, &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s:%d: %v\n%s", s.page, c.line, err, stderr.String())
	}
	if !shows(c.shown, stdout.String()) {
		t.Errorf("%s:%d: found\n%s\nexpected\n%s", s.page, c.line, stdout.String(), c.shown)
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
