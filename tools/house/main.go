// Command house measures how large the repository is and how its rooms are kept:
//
//	.ci/measure            # prints the measures, and what is over its limit
//	.ci/measure --check    # fails where a limit is passed
//
// Lines are those of files, comments and empty lines included. The root module is what users depend
// on: without the races, the attacks, the tools and the generator of the assembly.
package main

import (
	"flag"
	"fmt"
	"os"
	"path"
	"strings"
)

// The limits, and behind each its goal. A limit is lowered when its measure falls, and raised
// only by a commit that adds a capability and says so.
const (
	mostGo         = 168_430 // lines of Go without tests, of all modules
	mostRoot       = 151_999 // the same of the root module; 102,000
	mostReached    = 90_017  // lines that a program has which imports the root package; 66,000
	mostAssembly   = 9_425   // lines; 12,500
	mostPublic     = 17      // packages that other modules may import, serve and data/parquet among them; 15
	mostExported   = 450     // their exported names, but for methods and fields; 340
	mostBackwards  = 15      // percent of the arrows between files that run back, in the worst room; 15
	mostFields     = 24      // of the largest object; 24
	mostFiles      = 22      // of a folder besides tests; 22
	mostConstants  = 98      // named numbers in the linear solvers; 89 before networks and the solver covariance
	mostLong       = 0       // functions of more than longFunction lines, outside the generator and what is generated; none
	mostAssertions = 0       // type assertions on one loss or penalty, outside of their packages; none
	mostUnreached  = 76      // lines of functions that no program reaches; 200

	longFunction = 50
	largeFolder  = 22
	largeObject  = 24
)

// linear are the folders of the linear solvers.
var linear = []string{"internal/solve/linear", "internal/solve/dual", "internal/solve/newton", "internal/solve/column", "internal/solve/stochastic", "internal/solve/hessian", "internal/solve/parts"}

// generator reports whether a folder is the generator of the assembly.
func generator(folder string) bool { return strings.HasSuffix(folder, "internal/asm") }

// A measure is a number, its limit, and what it is made of.
type measure struct {
	name  string
	value int
	limit int
	list  []string
}

func main() {
	root := flag.String("root", ".", "folder of the repository")
	check := flag.Bool("check", false, "fail where a limit is passed")
	flag.Parse()
	measures, err := measureAll(*root)
	if err != nil {
		fmt.Fprintln(os.Stderr, "house:", err)
		os.Exit(1)
	}
	over := 0
	for _, m := range measures {
		verdict := fmt.Sprintf(" (at most %d)", m.limit)
		if m.value > m.limit {
			verdict += " OVER"
			over++
		}
		fmt.Printf("%7d  %s%s\n", m.value, m.name, verdict)
		for _, line := range m.list {
			fmt.Printf("           %s\n", line)
		}
	}
	if *check && over > 0 {
		fmt.Fprintf(os.Stderr, "house: %d limits are passed\n", over)
		os.Exit(1)
	}
}

// measureAll measures the repository.
func measureAll(root string) ([]measure, error) {
	t, err := readTree(root)
	if err != nil {
		return nil, err
	}
	unreached, lines, err := t.unreached(root)
	if err != nil {
		return nil, err
	}
	reached, err := t.reached(root)
	if err != nil {
		return nil, err
	}
	all, err := rooms(root)
	if err != nil {
		return nil, err
	}
	back, tangled := backwards(all)
	files, large := t.largeFolders()
	fields, objects := t.largeObjects()
	packages, names, public := t.public()
	long, constants, assertions := t.longFunctions(), t.constants(), t.assertions()
	return []measure{
		{"lines of Go without tests, of all modules", t.lines(func(string) bool { return true }), mostGo, nil},
		{"lines of Go without tests, of the root module", t.lines(t.inRoot), mostRoot, nil},
		{"lines of Go that the root package reaches", reached, mostReached, nil},
		{"lines of assembly", t.assembly, mostAssembly, nil},
		{"public packages", packages, mostPublic, public},
		{"exported names of public packages, but for methods and fields", names, mostExported, nil},
		{fmt.Sprintf("percent of the arrows between files that run back, in the worst room of %d files or more", leastFiles), back, mostBackwards, tangled},
		{"fields of the largest object", fields, mostFields, objects},
		{"files of the largest folder besides tests", files, mostFiles, large},
		{"named numbers in the linear solvers", len(constants), mostConstants, nil},
		{fmt.Sprintf("functions of more than %d lines", longFunction), len(long), mostLong, long},
		{"type assertions on one loss or penalty outside of their packages", len(assertions), mostAssertions, assertions},
		{"lines of functions that no program reaches", lines, mostUnreached, unreached},
	}, nil
}

// folderOf is the folder of a file, with slashes.
func folderOf(file string) string { return path.Dir(file) }
