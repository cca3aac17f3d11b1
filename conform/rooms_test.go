package conform_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The table of CONTRIBUTING.md names every package, and each imports only those
// above it.
func TestRooms(t *testing.T) {
	const module = "github.com/fenchel-ml/fenchel/"
	text, err := os.ReadFile("../CONTRIBUTING.md")
	if err != nil {
		t.Fatal(err)
	}
	var rooms []string
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]*`) \\|").FindAllStringSubmatch(string(text), -1) {
		for _, name := range regexp.MustCompile("`([a-z/]+)`").FindAllStringSubmatch(row[1], -1) {
			rooms = append(rooms, name[1])
		}
	}
	met := map[string]bool{}
	err = filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if _, err := os.Stat(filepath.Join(file, "go.mod")); err == nil && file != ".." || entry.Name() == "testdata" {
				return filepath.SkipDir // a module of its own
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		room := path.Dir(strings.TrimPrefix(filepath.ToSlash(file), "../"))
		at := slices.Index(rooms, room)
		if met[room] = true; at < 0 {
			t.Errorf("%s: found no row of package %s in CONTRIBUTING.md", file, room)
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range parsed.Imports {
			name, err := strconv.Unquote(i.Path.Value)
			if err != nil {
				return err
			}
			if name, ok := strings.CutPrefix(name, module); ok && !slices.Contains(rooms[:at], name) {
				t.Errorf("%s: imports %s, which is not above %s in CONTRIBUTING.md", file, name, room)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, room := range rooms {
		if !met[room] {
			t.Errorf("CONTRIBUTING.md has a row of %s, a package that is not here", room)
		}
	}
}
