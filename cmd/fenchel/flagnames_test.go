package main

import (
	"cmp"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/spf13/pflag"
)

// The packages below this program know no flags: their messages name parameters, as 'header=no', and every
// name is that of a flag, by which printing.Message spells it.
func TestMessagesNameParameters(t *testing.T) {
	flags := map[string]bool{}
	for _, verb := range newRoot(nil).Commands() {
		verb.Flags().VisitAll(func(f *pflag.Flag) { flags[f.Name] = true })
	}
	flag, named := regexp.MustCompile("[\"` (]--[a-z]{2}"), regexp.MustCompile(`'([a-z][a-z-]*)(=[^' ]+)?'`)
	shown := map[string]bool{"cmd": true, "docs": true, "python": true, "bench": true, "attack": true, "tools": true, "experiment": true, "readtest": true} // show command lines or files
	var found int
	err := filepath.WalkDir("../..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() && (shown[entry.Name()] || entry.Name() == "testdata") {
			return cmp.Or(err, filepath.SkipDir)
		}
		if entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") || entry.Name() == "vowpalwabbit.go" { // writes a line of another program
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var s scanner.Scanner
		s.Init(token.NewFileSet().AddFile(file, -1, len(text)), text, nil, 0)
		for {
			_, tok, literal := s.Scan()
			if tok == token.EOF {
				return nil
			}
			if tok != token.STRING {
				continue
			}
			if flag.MatchString(literal) {
				t.Errorf("%s: names a flag in %s, expected 'name' or 'name=value'", file, literal)
			}
			if strings.Contains(literal, "'descr'") || strings.Contains(literal, "default-src") { // headers: of an NPY file, of a page
				continue
			}
			for _, m := range named.FindAllStringSubmatch(literal, -1) {
				if found++; !flags[m[1]] {
					t.Errorf("%s: names %s in %s, expected the name of a flag", file, m[0], literal)
				}
			}
		}
	})
	if err != nil || found < 40 {
		t.Errorf("found %d names of parameters (%v), expected many", found, err)
	}
	for text, want := range map[string]string{
		"of rows (if it is one: 'header=no'; see 'target') or the model's 'e='": "of rows (if it is one: --header no; see --target) or the model's 'e='",
		"'dates=dmy' or 'dates=mdy'": "--dates dmy or --dates mdy",
		"'c': no such file":          "'c': no such file", // of the user
		"column \"'target'\", value \"'header=no'\", and it's 'odd'": "column \"'target'\", value \"'header=no'\", and it's 'odd'", // quoted as Go does
	} {
		if got := printing.Message(text); got != want {
			t.Errorf("%s: found %s, expected %s", text, got, want)
		}
	}
}
