package data_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// TestTallyOfBytes: of compressed files the bytes are counted as they are stored, each once, also
// where files are opened again.
func TestTallyOfBytes(t *testing.T) {
	defer func(most int) { *data.MostOpen = most }(*data.MostOpen)
	text := strings.Repeat("1 1:0.25 7:3\n-1 2:0.5\n", 50000)
	csv := "a,b,y\n" + strings.Repeat("1.5,x,0\n2,z,1\n", 50000)
	for _, kind := range []string{"plain", "gzip", "zstd"} {
		for _, content := range []string{text, csv} {
			for _, *data.MostOpen = range []int{64, 1} {
				folder, total := t.TempDir(), int64(0)
				var paths []string
				for _, name := range []string{"a", "b", "c"} {
					packed := []byte(content)
					if kind != "plain" {
						packed = readtest.Pack(t, kind, packed)
					}
					total += int64(len(packed))
					paths = append(paths, readtest.Put(t, folder, name, string(packed)))
				}
				var tally file.Tally
				if _, err := data.Read(context.Background(), paths, data.Options{Source: data.Source{Tally: &tally}}); err != nil {
					t.Fatal(err)
				}
				if done, of := tally.Bytes(); done != total || of != total {
					t.Errorf("%s, %d open: found %d of %d, expected %d of as many", kind, *data.MostOpen, done, of, total)
				}
			}
		}
	}
	var tally file.Tally
	if _, err := data.Read(context.Background(), []string{"-"}, data.Options{Source: data.Source{Tally: &tally, Stdin: strings.NewReader(text)}}); err != nil {
		t.Fatal(err)
	}
	if done, of := tally.Bytes(); done != int64(len(text)) || of != 0 {
		t.Errorf("standard input: found %d of %d, expected %d of an unknown number", done, of, len(text))
	}
}
