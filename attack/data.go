package attack

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// attackData writes the rows in a format drawn at random, and offers damaged
// copies of the file.
func (t *trial) attackData() {
	var extensions []string
	for _, e := range data.Formats() {
		f, err := e.New(nil)
		if err != nil {
			continue
		}
		if w, ok := f.(set.Writer); ok {
			extensions = append(extensions, w.Extensions()...)
		}
	}
	dir, err := os.MkdirTemp("", "attack")
	if err != nil {
		t.fail("files", "", "%s", err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "rows"+extensions[t.draw.IntN(len(extensions))])
	if data.Write(context.Background(), path, t.problem.Set, "") != nil {
		return // not every format takes every row
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.fail("files", "", "%s", err)
		return
	}
	for range damages {
		damaged := t.draw.damage(data)
		if err := os.WriteFile(path, damaged, 0o600); err != nil {
			t.fail("files", "", "%s", err)
			return
		}
		t.guarded("a damaged file "+filepath.Ext(path), len(damaged), func() { t.read(path) })
	}
}

// read reads rows as the program does.
func (t *trial) read(path string) {
	set, err := data.Read(context.Background(), []string{path}, data.Options{Threads: 1})
	kind := strings.TrimPrefix(filepath.Ext(path), ".")
	if err != nil {
		t.tally.Damaged["files refused, "+kind]++
		return
	}
	defer set.Close()
	t.tally.Damaged["files read, "+kind]++
	if i, j, ok := matrix.Finite(set.X); !ok {
		t.fail("data", "", "row %d, column %d of a damaged %s file: found a value that is not finite", i+1, j+1, kind)
	}
	if n := set.Rows(); set.Target.Code != nil && len(set.Target.Code) != n || set.Target.Number != nil && len(set.Target.Number) != n {
		t.fail("data", "", "found targets for %d and %d of %d rows", len(set.Target.Code), len(set.Target.Number), n)
	}
}
