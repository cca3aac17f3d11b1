package conform_test

import (
	"cmp"
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
		room := roomOf(file)
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
			name, ok := strings.CutPrefix(name+"/", module)
			if name = cmp.Or(strings.TrimSuffix(name, "/"), front); ok && !slices.Contains(rooms[:at], name) {
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

// front is the package at the root of the module.
const front = "fenchel"

// roomOf is the folder of a file of the tree.
func roomOf(file string) string {
	room := path.Dir(strings.TrimPrefix(filepath.ToSlash(file), "../"))
	if room == "." {
		return front
	}
	return room
}

// The front door reaches no package that most programs do without.
func TestDoorIsNarrow(t *testing.T) {
	const module = "github.com/fenchel-ml/fenchel"
	seen, rooms := map[string]bool{}, []string{"."}
	for len(rooms) > 0 {
		room := rooms[0]
		if rooms = rooms[1:]; seen[room] {
			continue
		}
		seen[room] = true
		files, err := filepath.Glob(filepath.Join("..", room, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: found %d files (%v)", room, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
			if err != nil {
				t.Fatal(err)
			}
			for _, i := range parsed.Imports {
				if name, ok := strings.CutPrefix(strings.Trim(i.Path.Value, `"`), module+"/"); ok {
					rooms = append(rooms, name)
				}
			}
		}
	}
	for _, far := range []string{"pca", "sparsify", "tune", "onnx", "conform", "internal/experiment", "internal/engine", "internal/theory", "internal/figure", "internal/solve/path", "internal/solve/leaveout"} {
		if _, err := os.Stat(filepath.Join("..", far)); err != nil || seen[far] {
			t.Errorf("%s: reached %t, expected a package that package fenchel does not reach (%v)", far, seen[far], err)
		}
	}
	if !seen["internal/pose"] || !seen["internal/solve/dual"] {
		t.Error("found neither internal/pose nor internal/solve/dual below the front door: this test reads no imports")
	}
}

// Outside their packages no loss and no penalty is told by its type: what a solver needs to
// know of it, it declares, or a new one with the same shape would be treated as another.
func TestNoTypeOfLoss(t *testing.T) {
	files := func(pattern string) (texts map[string]string) {
		texts = map[string]string{}
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(name, "_test.go") {
				texts[name] = string(text)
			}
		}
		return texts
	}
	var types []string
	for _, room := range []string{"loss", "penalty"} {
		for _, text := range files("../" + room + "/*.go") {
			for _, name := range regexp.MustCompile(`(?m)^type (\w+) struct`).FindAllStringSubmatch(text, -1) {
				types = append(types, room+`\.`+name[1])
			}
		}
	}
	told := regexp.MustCompile(`(\.\(|case |[!=]= ?\(?)(` + strings.Join(types, "|") + `)\b.*`)
	for _, pattern := range []string{"../*/*.go", "../*/*/*.go", "../*/*/*/*.go"} {
		for name, text := range files(pattern) {
			if room := filepath.Base(filepath.Dir(name)); room == "loss" || room == "penalty" {
				continue
			}
			if found := told.FindString(text); found != "" {
				t.Errorf("%s: found %q, expected a capability: see loss/capability.go", name, found)
			}
		}
	}
}
