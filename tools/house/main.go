// Command house measures how large the repository is and how its rooms are kept:
//
//	.ci/measure            # prints the measures, and what is over its limit
//	.ci/measure --check    # fails where a limit is passed
//
// Lines are those of files, comments and empty lines included. The core is
// everything but the races (bench), the experiments and the generator of the
// assembly.
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
	mostGo         = 133_120 // lines of Go without tests; 66,000
	mostAssembly   = 14_280  // lines; 11,000
	mostConstants  = 90      // named numbers in the linear solvers; 90
	mostLong       = 0       // functions of more than longFunction lines, outside the generator; none
	mostLarge      = 7       // folders of more than largeFolder Go files besides tests; none
	mostAssertions = 0       // type assertions on one loss or penalty, outside of their packages; none
	mostUnreached  = 960     // lines of functions that no program reaches; none

	longFunction = 50
	largeFolder  = 20
)

// linear are the folders of the linear solvers.
var linear = []string{"solver/linear", "solver/dual", "solver/newton", "solver/column", "solver/stochastic", "solver/internal"}

// generator reports whether a folder is the generator of the assembly.
func generator(folder string) bool { return strings.HasSuffix(folder, "internal/asm") }

// outside reports whether a folder is not of the core.
func outside(folder string) bool {
	first, _, _ := strings.Cut(folder, "/")
	return first == "bench" || first == "experiment" || first == "tools" || generator(folder)
}

// A measure is a number, its limit, and what it is made of.
type measure struct {
	name  string
	value int
	limit int // less than 0: none
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
		verdict := ""
		if m.limit >= 0 {
			verdict = fmt.Sprintf(" (at most %d)", m.limit)
		}
		if m.limit >= 0 && m.value > m.limit {
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
	long, large, constants, assertions := t.longFunctions(), t.largeFolders(), t.constants(), t.assertions()
	return []measure{
		{"lines of Go without tests", t.lines(func(string) bool { return true }), mostGo, nil},
		{"lines of Go of the core without tests", t.lines(func(folder string) bool { return !outside(folder) }), -1, nil},
		{"lines of assembly", t.assembly, mostAssembly, nil},
		{"named numbers in the linear solvers", len(constants), mostConstants, nil},
		{fmt.Sprintf("functions of more than %d lines", longFunction), len(long), mostLong, long},
		{fmt.Sprintf("folders of more than %d Go files besides tests", largeFolder), len(large), mostLarge, large},
		{"type assertions on one loss or penalty outside of their packages", len(assertions), mostAssertions, assertions},
		{"lines of functions that no program reaches", lines, mostUnreached, unreached},
	}, nil
}

// folderOf is the folder of a file, with slashes.
func folderOf(file string) string { return path.Dir(file) }
