package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// platform is what is measured, wherever it is measured.
var platform = []string{"GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0"}

// A room is the files of a package, and how often each names what another declares.
type room struct {
	folder string
	files  []string
	uses   [][]int // names of file [j] in file [i]: of the package and methods
}

// rooms are those of the root module, by folder.
func rooms(root string) (all []room, err error) {
	config := &packages.Config{Mode: packages.LoadSyntax, Dir: root, Env: append(os.Environ(), platform...)}
	loaded, err := packages.Load(config, "./...")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.Abs(root); err != nil {
		return nil, err
	}
	for _, p := range loaded {
		if len(p.Errors) > 0 {
			return nil, p.Errors[0]
		}
		folder, err := filepath.Rel(root, p.Dir)
		if err != nil {
			return nil, err
		}
		all = append(all, newRoom(filepath.ToSlash(folder), p))
	}
	return all, nil
}

// newRoom counts who names whom.
func newRoom(folder string, p *packages.Package) room {
	r := room{folder: folder, files: slices.Clone(p.CompiledGoFiles)}
	slices.Sort(r.files)
	at := func(n interface{ Pos() token.Pos }) int {
		return slices.Index(r.files, p.Fset.Position(n.Pos()).Filename)
	}
	r.uses = make([][]int, len(r.files))
	for i := range r.uses {
		r.uses[i] = make([]int, len(r.files))
	}
	for _, file := range p.Syntax {
		i := at(file)
		ast.Inspect(file, func(n ast.Node) bool {
			if name, ok := n.(*ast.Ident); ok {
				if object := p.TypesInfo.Uses[name]; object != nil && object.Pkg() == p.Types && named(p.Types, object) {
					r.uses[i][at(object)]++
				}
			}
			return true
		})
	}
	return r
}

// named reports whether an object is a name of the package, or a method.
func named(p *types.Package, object types.Object) bool {
	f, isFunc := object.(*types.Func)
	return object.Parent() == p.Scope() || isFunc && f.Signature().Recv() != nil
}

// arrows returns how many files name another, and how many of these arrows run back in the order of
// files that order finds.
func (r room) arrows() (back, all int) {
	position := make([]int, len(r.files))
	for at, i := range r.order() {
		position[i] = at
	}
	for i, uses := range r.uses {
		for j, n := range uses {
			if i != j && n > 0 {
				all++
				if position[i] > position[j] {
					back++
				}
			}
		}
	}
	return back, all
}

// order puts files before those that they name, as far as they do not name each other, by the rule of
// Eades, Lin and Smyth (1993): a file that names none of the others goes last, one that none names
// first, else one that names many others and is named by few; between equals the number of names decides.
func (r room) order() (order []int) {
	var first, last []int
	left := make([]int, len(r.files))
	for i := range left {
		left[i] = i
	}
	for len(left) > 0 {
		best, atEnd := 0, false
		var most [2]int
		for k, i := range left {
			out, in := r.degrees(i, left)
			if out[0] == 0 || in[0] == 0 {
				best, atEnd = k, out[0] == 0
				break
			}
			if lead := [2]int{out[0] - in[0], out[1] - in[1]}; k == 0 || slices.Compare(lead[:], most[:]) > 0 {
				best, most = k, lead
			}
		}
		if atEnd {
			last = append(last, left[best])
		} else {
			first = append(first, left[best])
		}
		left = slices.Delete(left, best, best+1)
	}
	slices.Reverse(last)
	return append(first, last...)
}

// degrees returns how many of some files a file names, and how often, and how many name it.
func (r room) degrees(i int, among []int) (out, in [2]int) {
	for _, j := range among {
		if j != i {
			out, in = [2]int{out[0] + min(1, r.uses[i][j]), out[1] + r.uses[i][j]}, [2]int{in[0] + min(1, r.uses[j][i]), in[1] + r.uses[j][i]}
		}
	}
	return out, in
}

// leastFiles is how many files a room has of which the arrows are compared: of fewer, one arrow is a
// large share.
const leastFiles = 10

// backwards lists the share of the arrows that run back in each larger room, in percent, the worst first.
func backwards(all []room) (worst int, list []string) {
	type share struct {
		room
		back, all int
	}
	var shares []share
	for _, r := range all {
		if back, of := r.arrows(); len(r.files) >= leastFiles && back > 0 {
			shares = append(shares, share{r, back, of})
		}
	}
	percent := func(s share) int { return (100*s.back + s.all - 1) / s.all }
	slices.SortStableFunc(shares, func(a, b share) int { return percent(b) - percent(a) })
	for _, s := range shares {
		worst = max(worst, percent(s))
		list = append(list, fmt.Sprintf("%s: %d of %d, %d %%", s.folder, s.back, s.all, percent(s)))
	}
	return worst, list
}
