package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// code are blocks of code, which have no prose and no links.
var code = regexp.MustCompile("(?s)```.*?```")

// link is one of Markdown.
var link = regexp.MustCompile(`\]\(([^)#]*)(#[^)]*)?\)`)

// TestLinks: every link of a page to a file leads somewhere.
func TestLinks(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "testdata" || strings.HasPrefix(entry.Name(), ".") && path != "../.."):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".md"):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(string(text), ""), -1) {
			if m[1] == "" || strings.Contains(m[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), m[1])); err != nil {
				t.Errorf("%s: the link to %s leads nowhere", path, m[1])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestShortREADME: the README has at most 150 lines, and no sentence of more than 30 words.
func TestShortREADME(t *testing.T) {
	text, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	if lines := bytes.Count(text, []byte("\n")); lines > 150 {
		t.Errorf("found %d lines, expected at most 150", lines)
	}
	prose := code.ReplaceAllString(string(text), ".")
	for _, block := range regexp.MustCompile(`\n\n|\n[*|#]`).Split(prose, -1) {
		for _, sentence := range regexp.MustCompile(`[.:;!?](\s|$)|\*\*`).Split(block, -1) {
			if words := strings.Fields(sentence); len(words) > 30 && !strings.Contains(sentence, "|") {
				t.Errorf("found a sentence of %d words: %s", len(words), sentence)
			}
		}
	}
}

// TestDictionary: the page of other tools' flags names flags that there are, and names all of
// them that train and predict have.
func TestDictionary(t *testing.T) {
	text, err := os.ReadFile("../../docs/dictionary.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string][]string{} // flags, with the verbs that have them
	for _, c := range newRoot([]string{"help"}).Commands() {
		flags := func(f *pflag.Flag) { known[f.Name] = append(known[f.Name], c.Name()) }
		c.Flags().VisitAll(flags)
	}
	flag := regexp.MustCompile(`--([A-Za-z][A-Za-z0-9-]*)`)
	for i, line := range strings.Split(string(text), "\n") {
		cells := strings.Split(line, "|")
		if len(cells) < 4 {
			continue
		}
		for _, m := range flag.FindAllStringSubmatch(cells[2], -1) {
			if known[m[1]] == nil {
				t.Errorf("docs/dictionary.md:%d: no verb has the flag --%s", i+1, m[1])
			}
		}
	}
	for name, verbs := range known {
		if !slices.Contains(verbs, "engine") && !slices.Contains(verbs, "worker") && !strings.Contains(string(text), "--"+name) {
			t.Errorf("docs/dictionary.md: --%s of %v is not there", name, verbs)
		}
	}
}

// TestVersions: the version is the same wherever it is written.
func TestVersions(t *testing.T) {
	found := map[string]string{}
	for name, pattern := range map[string]string{
		"python/fenchel/__init__.py": `(?m)^__version__ = "([0-9.]+)"$`, "CITATION.cff": `(?m)^version: ([0-9.]+)$`, "CHANGELOG.md": `(?m)^## ([0-9.]+) `,
	} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		m := regexp.MustCompile(pattern).FindSubmatch(text)
		if m == nil {
			t.Fatalf("%s: found no version", name)
		}
		found[strings.TrimSuffix(string(m[1]), ".0")] = name
	}
	if len(found) != 1 {
		t.Errorf("found %v, expected one version", found)
	}
}

// TestNothingToFetch: no page says that something can be fetched, as long as nothing is published.
func TestNothingToFetch(t *testing.T) {
	fetch := regexp.MustCompile(`pip install "?fenchel(\[|"|\s|` + "`" + `|$)|github\.com/fenchel-ml/fenchel(/\S*)?@|go get github\.com/fenchel-ml|docker (pull|run) fenchel-ml`)
	pages, err := filepath.Glob("../../docs/*.md")
	for _, pattern := range []string{"*.md", "docs/*/*.md", "python/*.md", "python/fenchel/*.py"} {
		more, wrong := filepath.Glob("../../" + pattern)
		pages, err = append(pages, more...), errors.Join(err, wrong)
	}
	if err != nil || len(pages) < 50 {
		t.Fatal(len(pages), err)
	}
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if found := fetch.Find(text); found != nil {
			t.Errorf("%s: found %q, expected what a checkout or a file of a release gives", page, found)
		}
	}
}
