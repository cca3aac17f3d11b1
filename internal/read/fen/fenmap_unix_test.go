//go:build unix

package fen_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// cutFile names the file that TestCutWhileMapped has a process of its own cut short.
const cutFile = "FENCHEL_TEST_CUT"

// A mapped file that is cut short is reported by its name, whichever goroutine reads it
// then, the set still open or closed by the panic.
func TestCutWhileMapped(t *testing.T) {
	if path := os.Getenv(cutFile); path != "" {
		readCut(t, path)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	path := filepath.Join(t.TempDir(), "x.fen")
	set, err := data.Read(t.Context(), []string{"@toy:n=20000"}, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, where := range []string{"caller", "worker", "stream", "array"} {
		if err := data.Write(t.Context(), path, set, ""); err != nil {
			t.Fatal(err)
		}
		if where == "array" {
			values := strings.Repeat("\x00\x00\x80\x3f", 1<<20)
			path = readtest.WriteTemp(t, "x.npy", readtest.NpyFile("{'descr': '<f4', 'fortran_order': False, 'shape': (1024, 1024), } ", values))
		}
		c := exec.Command(self, "-test.run=^TestCutWhileMapped$", "-test.timeout=60s")
		c.Env = append(os.Environ(), cutFile+"="+path, "FENCHEL_TEST_WHERE="+where)
		out, err := c.CombinedOutput()
		if err == nil || c.ProcessState.ExitCode() != 7 || string(out) != path+" was cut\n" {
			t.Errorf("%s: found %v and %q, expected the exit code 7 and the name of the file", where, err, out[:min(len(out), 300)])
		}
	}
}

// readCut reads rows of a file after it was cut short.
func readCut(t *testing.T, path string) {
	parallel.OnFault(func(name string) { fmt.Println(name, "was cut"); os.Exit(7) })
	defer parallel.Guard()()
	set, err := data.Read(t.Context(), []string{path}, data.Options{Unlabelled: true})
	if err != nil {
		t.Fatal(err)
	}
	if !readtest.IsMapped(set) {
		t.Fatal("the file is not mapped")
	}
	defer set.Close()
	stream, err := data.Blocks(t.Context(), []string{path}, data.Options{Blocking: data.Blocking{BlockRows: 16}})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	if err := os.Truncate(path, 8192); err != nil {
		t.Fatal(err)
	}
	sum := float32(0)
	read := func(i int) {
		for _, v := range set.X.Row(i).Value {
			sum += v
		}
	}
	switch where := os.Getenv("FENCHEL_TEST_WHERE"); where {
	case "stream":
		for x, err := range stream.All() {
			t.Log(strings.Count(fmt.Sprint(x.Row(0), err), " "))
		}
	case "worker":
		parallel.NewTeam(2, 2).Run(func(member int) {
			if member == 1 {
				read(set.Rows() - 1)
			}
		})
	default:
		read(set.Rows() - 1)
	}
}
