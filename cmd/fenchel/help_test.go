package main

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/usage"
)

// allCommands calls visit with the root and everything below it.
func allCommands(visit func(*cobra.Command)) {
	var walk func(*cobra.Command)
	walk = func(c *cobra.Command) {
		visit(c)
		for _, below := range c.Commands() {
			walk(below)
		}
	}
	walk(newRoot(nil))
}

// helpOf is what "fenchel ... --help" prints of a command.
func helpOf(t *testing.T, c *cobra.Command) string {
	t.Helper()
	var out bytes.Buffer
	root := newRoot(nil)
	root.SetOut(&out)
	root.SetArgs(append(strings.Fields(c.CommandPath())[1:], "--help"))
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestHelpFits checks that the help of every command has lines of at most 80 columns,
// and that it has all flags. Scripts for shells that the package cobra explains are its.
func TestHelpFits(t *testing.T) {
	allCommands(func(c *cobra.Command) {
		if c.HasParent() && c.Parent().Name() == "completion" || c.Name() == "completion" {
			return
		}
		text := helpOf(t, c)
		for line := range strings.Lines(text) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > usage.HelpWidth {
				t.Errorf("%s --help: found a line of %d columns, expected at most %d: %s", c.CommandPath(), n, usage.HelpWidth, line)
			}
		}
		for _, group := range usage.Grouped(c) {
			for _, f := range group.Flags {
				if !strings.Contains(text, " --"+f.Name) {
					t.Errorf("%s --help: found no --%s", c.CommandPath(), f.Name)
				}
			}
		}
	})
}

// TestFlagsHaveGroups checks that each flag of each command stands in one group.
func TestFlagsHaveGroups(t *testing.T) {
	allCommands(func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		c.InitDefaultVersionFlag()
		for _, group := range usage.Grouped(c) {
			for _, f := range group.Flags {
				if group.Title == "Other flags" {
					t.Errorf("%s --%s: found it in no group of flagGroups, expected one of them", c.CommandPath(), f.Name)
				}
			}
		}
	})
	count := map[string]int{}
	for _, g := range printing.FlagGroups {
		for _, name := range g.Flags {
			if count[name]++; count[name] > 1 {
				t.Errorf("flagGroups: found %q twice, expected it once", name)
			}
		}
	}
}

// manFolder is where TestManPages leaves the pages, for a release.
var manFolder = flag.String("man", "", "write man pages to this folder")

// TestManPages makes a man page of every command, in a test so that what makes them is no part
// of the program. Formulas stand as they are, and all flags are there.
func TestManPages(t *testing.T) {
	folder := *manFolder
	if folder == "" {
		folder = t.TempDir()
	}
	root := newRoot(nil)
	root.DisableAutoGenTag = true // the day of the build
	if err := doc.GenManTree(root, &doc.GenManHeader{Section: "1", Source: "Fenchel", Manual: "Fenchel"}, folder); err != nil {
		t.Fatal(err)
	}
	for _, c := range root.Commands() {
		if !c.IsAvailableCommand() || c.Name() == "completion" {
			continue
		}
		page, err := os.ReadFile(filepath.Join(folder, "fenchel-"+c.Name()+".1"))
		if err != nil {
			t.Error(err)
			continue
		}
		text := strings.ReplaceAll(string(page), `\-`, "-")
		for _, group := range usage.Grouped(c) {
			for _, f := range group.Flags {
				if !strings.Contains(text, "--"+f.Name) {
					t.Errorf("fenchel-%s.1: found no --%s", c.Name(), f.Name)
				}
			}
		}
	}
}
