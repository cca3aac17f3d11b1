package fen_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// Caches of tables that have other offsets are not read as one.
func TestCachesOfOtherOffsets(t *testing.T) {
	dir := t.TempDir()
	var first *data.Schema
	for _, like := range []bool{false, true} {
		var paths []string
		for i, part := range [][][]float64{readtest.Times(4000)[:1000], readtest.Times(4000)[3000:]} {
			for _, row := range part {
				row[0] += float64(1000 * i)
			}
			opt := data.Options{}
			if like {
				opt.Schema = first
			}
			s := readtest.ReadNamed(t, "a.csv", readtest.AsCSV(part), opt)
			if i == 0 && !like {
				first = s.Schema
			}
			path := filepath.Join(dir, fmt.Sprintf("%v%d.fen", like, i))
			if err := data.Write(context.Background(), path, s, ""); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		s, err := data.Read(context.Background(), paths, data.Options{})
		if err == nil {
			s.Close()
		}
		blocks, failed := data.Blocks(context.Background(), paths, data.Options{})
		if failed == nil {
			blocks.Close()
		}
		if (err == nil) != like || (failed == nil) != like {
			t.Errorf("made alike %v: found %v and %v", like, err, failed)
		}
	}
}

// Where columns are to be read as they are, a cache gives back what it subtracted, and says of no offsets.
func TestCacheAsItIs(t *testing.T) {
	moved := readtest.ReadNamed(t, "a.csv", readtest.AsCSV(readtest.Times(300)), data.Options{})
	path := filepath.Join(t.TempDir(), "a.fen")
	if err := data.Write(context.Background(), path, moved, ""); err != nil {
		t.Fatal(err)
	}
	s := readtest.MustRead(t, data.Options{Unmoved: true}, path)
	want := readtest.ReadNamed(t, "a.csv", readtest.AsCSV(readtest.Times(300)), data.Options{Unmoved: true})
	if moved.Schema.Offsets() == nil || s.Schema.Offsets() != nil || s.Digest() != want.Digest() {
		t.Errorf("found the offsets %v and other rows", s.Schema.Offsets())
	}
}
