// Command asm writes the amd64 kernels of package vec with avo. One run writes
// one group of kernels:
//
//	go run . -group dense -out ../../dense_amd64.s -stubs ../../dense_amd64.go -pkg vec
//
// .ci/generate runs all groups and compares them with what is checked in.
// What each kernel computes, and in which order, is written in package vec.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/build"
)

var groups = map[string]func(){
	"dense":  dense,
	"sparse": sparse,
	"exp":    exponentials,
	"gemm":   gemm,
	"pair":   pairs,
	"ramp":   ramps,
	"rows":   rows,
	"tile":   tiles,
}

func main() {
	group := flag.String("group", "", "which kernels to write")
	flag.Parse()
	write, ok := groups[*group]
	if !ok {
		fmt.Fprintf(os.Stderr, "asm: unknown group %q\n", *group)
		os.Exit(1)
	}
	build.ConstraintExpr("!purego")
	write()
	build.Generate()
}
