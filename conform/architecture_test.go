package conform_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestArchitecture checks that each room, and each declaration of a room, that
// docs/architecture.md names exists: `internal/solve/linear`, `solver.Run`, `model.Model.Score`.
func TestArchitecture(t *testing.T) {
	const page = "docs/architecture.md"
	text, err := os.ReadFile("../" + page)
	if err != nil {
		t.Fatal(err)
	}
	declared := declarations(t)
	span := regexp.MustCompile("`([^`]*)`")
	name := regexp.MustCompile(`^[a-z][a-z/]*(\.[A-Za-z0-9]+){0,2}$`)
	lines := strings.Split(string(text), "\n")
	for i, line := range lines {
		for _, found := range span.FindAllStringSubmatch(line, -1) {
			if name.MatchString(found[1]) && !declared[found[1]] {
				t.Errorf("%s:%d: names %s, which is not in the tree: say what has taken its place", page, i+1, found[1])
			}
		}
	}
	if len(lines) > 80 {
		t.Errorf("%s has %d lines, expected one page of at most 80", page, len(lines))
	}
}

// declarations are the rooms of the tree, and what is declared in them: functions, types,
// methods with their type, those of interfaces too.
func declarations(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	err := filepath.WalkDir("..", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		room := roomOf(file)
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		found[room] = true
		for _, d := range parsed.Decls {
			declare(found, room+".", d)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// declare notes what one declaration declares.
func declare(found map[string]bool, room string, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		name := d.Name.Name
		if d.Recv != nil {
			ast.Inspect(d.Recv.List[0].Type, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					name = id.Name + "." + name
					return false
				}
				_, index := n.(*ast.IndexExpr)
				_, star := n.(*ast.StarExpr)
				return (index || star) && name == d.Name.Name
			})
		}
		found[room+name] = true
	case *ast.GenDecl:
		for _, s := range d.Specs {
			s, ok := s.(*ast.TypeSpec)
			if !ok {
				continue
			}
			found[room+s.Name.Name] = true
			if of, ok := s.Type.(*ast.InterfaceType); ok {
				for _, m := range of.Methods.List {
					for _, name := range m.Names {
						found[room+s.Name.Name+"."+name.Name] = true
					}
				}
			}
		}
	}
}
