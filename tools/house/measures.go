package main

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// longFunctions lists functions of more than longFunction lines.
func (t *tree) longFunctions() (list []string) {
	t.functions(func(s source, f *ast.FuncDecl) {
		if first, lines := t.span(f); lines > longFunction && !generator(folderOf(s.path)) {
			list = append(list, fmt.Sprintf("%s:%d %s: %d lines", s.path, first, nameOf(f), lines))
		}
	})
	return list
}

// largeFolders lists folders of more than largeFolder files.
func (t *tree) largeFolders() (list []string) {
	count := map[string]int{}
	for _, s := range t.sources {
		count[folderOf(s.path)]++
	}
	for folder, n := range count {
		if n > largeFolder {
			list = append(list, fmt.Sprintf("%s: %d files", folder, n))
		}
	}
	slices.Sort(list)
	return list
}

// constants lists the numbers in the linear solvers that have names.
func (t *tree) constants() (list []string) {
	for _, s := range t.sources {
		if !inLinear(s.path) {
			continue
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			d, ok := n.(*ast.GenDecl)
			if !ok || d.Tok != token.CONST {
				return true
			}
			for _, spec := range d.Specs {
				v := spec.(*ast.ValueSpec)
				for i, name := range v.Names {
					if i < len(v.Values) && hasNumber(v.Values[i]) {
						list = append(list, s.path+" "+name.Name)
					}
				}
			}
			return true
		})
	}
	return list
}

// hasNumber reports whether an expression has a numeric literal in it, but for what
// counts names (iota).
func hasNumber(e ast.Expr) (found bool) {
	iota := false
	ast.Inspect(e, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.BasicLit:
			found = found || x.Kind == token.INT || x.Kind == token.FLOAT
		case *ast.Ident:
			iota = iota || x.Name == "iota"
		}
		return true
	})
	return found && !iota
}

// assertions lists type assertions, and cases of type switches, that name one loss or
// one penalty.
func (t *tree) assertions() (list []string) {
	concrete := t.concreteTypes("loss", "penalty")
	for _, s := range t.sources {
		report := func(e ast.Expr) {
			if star, ok := e.(*ast.StarExpr); ok {
				e = star.X
			}
			sel, ok := e.(*ast.SelectorExpr)
			if !ok {
				return
			}
			if room, ok := sel.X.(*ast.Ident); ok && concrete[room.Name+"."+sel.Sel.Name] {
				list = append(list, fmt.Sprintf("%s:%d %s.%s", s.path, t.set.Position(e.Pos()).Line, room.Name, sel.Sel.Name))
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			switch x := n.(type) {
			case *ast.TypeAssertExpr:
				report(x.Type)
			case *ast.TypeSwitchStmt:
				for _, clause := range x.Body.List {
					for _, e := range clause.(*ast.CaseClause).List {
						report(e)
					}
				}
			}
			return true
		})
	}
	return list
}

// concreteTypes are the types of some rooms that are no interfaces.
func (t *tree) concreteTypes(rooms ...string) map[string]bool {
	found := map[string]bool{}
	for _, s := range t.sources {
		if room := folderOf(s.path); slices.Contains(rooms, room) {
			ast.Inspect(s.file, func(n ast.Node) bool {
				if spec, ok := n.(*ast.TypeSpec); ok {
					if _, is := spec.Type.(*ast.InterfaceType); !is {
						found[room+"."+spec.Name.Name] = true
					}
				}
				return true
			})
		}
	}
	return found
}

// unreached lists functions that no program reaches, with their lines, by the tool
// deadcode; the examiners of package conform and package ablation are there for tests.
func (t *tree) unreached(root string) (list []string, sum int, err error) {
	cmd := exec.Command("go", "tool", "-modfile=tools/go.mod", "deadcode", "-json", "./...")
	cmd.Dir = root
	out, err := cmd.Output()
	if err != nil {
		return nil, 0, fmt.Errorf("deadcode: %w", err)
	}
	var packages []struct {
		Funcs []struct {
			Name     string
			Position struct {
				File string
				Line int
			}
			Generated bool
		}
	}
	if err := json.Unmarshal(out, &packages); err != nil {
		return nil, 0, fmt.Errorf("deadcode: %w", err)
	}
	lengths := map[string]int{}
	t.functions(func(s source, f *ast.FuncDecl) {
		_, lines := t.span(f)
		lengths[fmt.Sprintf("%s:%d", s.path, t.set.Position(f.Name.Pos()).Line)] = lines
	})
	for _, p := range packages {
		for _, f := range p.Funcs {
			file := path.Clean(strings.ReplaceAll(f.Position.File, "\\", "/"))
			lines := lengths[fmt.Sprintf("%s:%d", file, f.Position.Line)]
			if f.Generated || strings.HasPrefix(file, "conform/") || strings.HasPrefix(file, "internal/ablation/") || isOfTests(path.Base(path.Dir(file))) {
				continue
			}
			list = append(list, fmt.Sprintf("%s:%d %s: %d lines", file, f.Position.Line, f.Name, lines))
			sum += lines
		}
	}
	return list, sum, nil
}
