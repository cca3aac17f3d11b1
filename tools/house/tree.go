package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A source is a Go file that is no test.
type source struct {
	path  string // below the root, with slashes
	lines int
	file  *ast.File
}

// tree is what is in the repository.
type tree struct {
	set      *token.FileSet
	sources  []source
	assembly int      // lines
	modules  []string // folders of modules below the root, with a slash at the end
}

// readTree parses all Go files but tests, packages of tests and what lies in testdata.
func readTree(root string) (*tree, error) {
	t := &tree{set: token.NewFileSet()}
	err := filepath.WalkDir(root, func(full string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() {
			if name == "testdata" || isOfTests(name) || strings.HasPrefix(name, ".") && full != root {
				return filepath.SkipDir
			}
			return nil
		}
		if name == "go.mod" && filepath.Dir(full) != filepath.Clean(root) {
			below, err := filepath.Rel(root, filepath.Dir(full))
			t.modules = append(t.modules, filepath.ToSlash(below)+"/")
			return err
		}
		if isGo := strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"); !isGo && !strings.HasSuffix(name, ".s") {
			return nil
		}
		return t.read(root, full)
	})
	return t, err
}

// isOfTests reports whether a folder, such as pcatest, has what several tests share: by its
// name, as net/http/httptest.
func isOfTests(folder string) bool { return strings.HasSuffix(folder, "test") }

// read takes in one file.
func (t *tree) read(root, full string) error {
	text, err := os.ReadFile(full)
	if err != nil {
		return err
	}
	lines := bytes.Count(text, []byte("\n"))
	if strings.HasSuffix(full, ".s") {
		t.assembly += lines
		return nil
	}
	below, err := filepath.Rel(root, full)
	if err != nil {
		return err
	}
	file, err := parser.ParseFile(t.set, filepath.ToSlash(below), text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	t.sources = append(t.sources, source{filepath.ToSlash(below), lines, file})
	return nil
}

// inRoot reports whether a file is of the module that users depend on.
func (t *tree) inRoot(file string) bool {
	return !slices.ContainsFunc(t.modules, func(folder string) bool { return strings.HasPrefix(file, folder) })
}

// lines counts those of some files.
func (t *tree) lines(of func(file string) bool) (sum int) {
	for _, s := range t.sources {
		if of(s.path) {
			sum += s.lines
		}
	}
	return sum
}

// span is the first line of a node and how many it has.
func (t *tree) span(n ast.Node) (first, lines int) {
	first = t.set.Position(n.Pos()).Line
	return first, t.set.Position(n.End()).Line - first + 1
}

// functions calls do for every function.
func (t *tree) functions(do func(s source, f *ast.FuncDecl)) {
	for _, s := range t.sources {
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				do(s, f)
			}
		}
	}
}

// nameOf is the name of a function, a method's with its receiver's type.
func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	for {
		switch x := of.(type) {
		case *ast.StarExpr:
			of = x.X
			continue
		case *ast.IndexExpr:
			of = x.X
			continue
		case *ast.Ident:
			return x.Name + "." + f.Name.Name
		}
		return f.Name.Name
	}
}

// inLinear reports whether a file belongs to the linear solvers.
func inLinear(file string) bool {
	return slices.ContainsFunc(linear, func(folder string) bool { return strings.HasPrefix(file, folder+"/") })
}
