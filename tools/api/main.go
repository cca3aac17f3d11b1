// Command api lists what the public packages of the module export, one line for each name, field and
// method, as Go's own api directory does: what programs may rely on. .ci/api compares it with api/v1.txt.
package main

import (
	"flag"
	"fmt"
	"go/types"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

func main() {
	root := flag.String("root", ".", "folder of the module")
	flag.Parse()
	lines, err := surface(*root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "api:", err)
		os.Exit(1)
	}
	fmt.Print(strings.Join(lines, "\n"), "\n")
}

// surface returns the sorted lines of all public packages.
func surface(root string) ([]string, error) {
	all, err := packages.Load(&packages.Config{Mode: packages.NeedName | packages.NeedTypes | packages.NeedImports | packages.NeedDeps | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule, Dir: root}, "./...")
	if err != nil {
		return nil, err
	}
	var lines []string
	for _, p := range all {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		path := p.PkgPath + "/"
		if strings.Contains(path, "/internal/") || strings.Contains(path, "/cmd/") {
			continue
		}
		name := strings.TrimPrefix(p.PkgPath, p.Module.Path)
		list := listing{prefix: "pkg fenchel" + name + ", ", module: p.Module.Path, of: p.Types}
		for _, n := range p.Types.Scope().Names() {
			if o := p.Types.Scope().Lookup(n); o.Exported() {
				list.object(o)
			}
		}
		lines = append(lines, list.lines...)
	}
	slices.Sort(lines)
	return lines, nil
}

// listing holds the lines of a package.
type listing struct {
	prefix, module string
	of             *types.Package
	lines          []string
}

func (l *listing) add(format string, args ...any) {
	l.lines = append(l.lines, l.prefix+fmt.Sprintf(format, args...))
}

// qualify names packages by their paths in the module, the package listed not at all.
func (l *listing) qualify(p *types.Package) string {
	if p == l.of {
		return ""
	}
	return strings.TrimPrefix(p.Path(), l.module+"/")
}

// object lists a name, and the fields and methods of a type.
func (l *listing) object(o types.Object) {
	t, named := o.(*types.TypeName)
	if !named {
		text := types.ObjectString(o, l.qualify)
		if c, ok := o.(*types.Const); ok {
			text = strings.SplitN(text, " = ", 2)[0] + " = " + c.Val().ExactString()
		}
		l.add("%s", text)
		return
	}
	of := ""
	if t.IsAlias() {
		of = " = " + types.TypeString(types.Unalias(t.Type()), l.qualify)
	}
	switch under := t.Type().Underlying().(type) {
	case *types.Struct:
		l.add("type %s struct%s", t.Name(), of)
		for f := range under.Fields() {
			if f.Exported() {
				embedded := ""
				if f.Embedded() {
					embedded = "embedded "
				}
				l.add("type %s struct, %s%s %s", t.Name(), embedded, f.Name(), types.TypeString(f.Type(), l.qualify))
			}
		}
	case *types.Interface:
		l.add("type %s interface%s", t.Name(), of)
		for m := range under.Methods() {
			l.add("type %s interface, %s%s", t.Name(), m.Name(), strings.TrimPrefix(types.TypeString(m.Type(), l.qualify), "func"))
		}
		return
	default:
		l.add("type %s %s%s", t.Name(), types.TypeString(under, l.qualify), of)
	}
	methods := types.NewMethodSet(types.NewPointer(t.Type()))
	for m := range methods.Methods() {
		if m.Obj().Exported() && len(m.Index()) == 1 { // promoted ones are those of the embedded type
			l.add("method (%s) %s%s", t.Name(), m.Obj().Name(), strings.TrimPrefix(types.TypeString(m.Type(), l.qualify), "func"))
		}
	}
}
