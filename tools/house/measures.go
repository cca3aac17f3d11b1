package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
)

// longFunctions lists functions of more than longFunction lines.
func (t *tree) longFunctions() (list []string) {
	t.functions(func(s source, f *ast.FuncDecl) {
		if first, lines := t.span(f); lines > longFunction && !generator(folderOf(s.path)) && !ast.IsGenerated(s.file) {
			list = append(list, fmt.Sprintf("%s:%d %s: %d lines", s.path, first, nameOf(f), lines))
		}
	})
	return list
}

// largeFolders returns the most files of a folder, and lists folders of more than largeFolder.
func (t *tree) largeFolders() (most int, list []string) {
	count := map[string]int{}
	for _, s := range t.sources {
		count[folderOf(s.path)]++
	}
	for folder, n := range count {
		most = max(most, n)
		if n > largeFolder {
			list = append(list, fmt.Sprintf("%s: %d files", folder, n))
		}
	}
	slices.Sort(list)
	return most, list
}

// largeObjects returns the most fields of a type, and lists those of more than largeObject.
func (t *tree) largeObjects() (most int, list []string) {
	for _, s := range t.sources {
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if object, ok := spec.Type.(*ast.StructType); ok {
				fields := 0
				for _, f := range object.Fields.List {
					fields += max(1, len(f.Names))
				}
				if most = max(most, fields); fields > largeObject {
					list = append(list, fmt.Sprintf("%s %s: %d fields", s.path, spec.Name.Name, fields))
				}
			}
			return true
		})
	}
	return most, list
}

// public counts the packages of the root module that other modules may import, and their exported
// names but for methods and fields.
func (t *tree) public() (packages, names int, list []string) {
	found := map[string]map[string]bool{}
	for _, s := range t.sources {
		folder := "/" + folderOf(s.path) + "/"
		if !t.inRoot(s.path) || s.file.Name.Name == "main" || strings.Contains(folder, "/internal/") || strings.HasPrefix(folder, "/cmd/") {
			continue
		}
		if found[folder] == nil {
			found[folder] = map[string]bool{}
		}
		for _, name := range topLevel(s.file) {
			if ast.IsExported(name) {
				found[folder][name] = true
			}
		}
	}
	for folder, exported := range found {
		names += len(exported)
		list = append(list, fmt.Sprintf("%s: %d", strings.Trim(folder, "/"), len(exported)))
	}
	slices.Sort(list)
	return len(found), names, list
}

// topLevel are the names that a file declares, but for methods.
func topLevel(file *ast.File) (names []string) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch x := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, x.Name.Name)
				case *ast.ValueSpec:
					for _, name := range x.Names {
						names = append(names, name.Name)
					}
				}
			}
		}
	}
	return names
}

// reached counts the lines of this module that a program has which imports the root package.
func (t *tree) reached(root string) (lines int, err error) {
	cmd := exec.Command("go", "list", "-deps", "-f", "{{if .Module}}{{if .Module.Main}}{{range .GoFiles}}{{$.Dir}}/{{.}}\n{{end}}{{end}}{{end}}", ".")
	cmd.Dir, cmd.Env = root, append(os.Environ(), platform...)
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("go list: %w", err)
	}
	for _, file := range strings.Fields(string(out)) {
		text, err := os.ReadFile(file)
		if err != nil {
			return 0, err
		}
		lines += bytes.Count(text, []byte("\n"))
	}
	return lines, nil
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
// deadcode; the examiners of package conform, with package draw, and package ablation are there for tests.
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
			if f.Generated || strings.HasPrefix(file, "conform/") || strings.HasPrefix(file, "internal/ablation/") || strings.HasPrefix(file, "internal/draw/") || isOfTests(path.Base(path.Dir(file))) {
				continue
			}
			list = append(list, fmt.Sprintf("%s:%d %s: %d lines", file, f.Position.Line, f.Name, lines))
			sum += lines
		}
	}
	return list, sum, nil
}
