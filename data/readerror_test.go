package data_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
)

// TestReadErrorFields: what an error says of the place, its fields say too, whatever the
// format and however the rows are read.
func TestReadErrorFields(t *testing.T) {
	ctx := context.Background()
	for _, c := range []struct {
		text, name   string
		opt          data.Options
		line, column int
		err          string
	}{
		{"1,2\n3,x,4\n", "a.csv", data.Options{Format: "csv"}, 2, 1, "found 3 fields, expected 2"},
		{"1,2\n1e99,4\n", "a.csv", data.Options{Format: "csv"}, 2, 1, `found "1e99", expected`},
		{"a,a,y\n1,2,3\n", "a.csv", data.Options{Format: "csv", Header: "yes"}, 1, 0, `found two columns named "a"`},
		{"a,y\nu,1\n3,2\n", "a.csv", data.Options{Format: "csv", Numeric: []string{"a"}, Target: "y"}, 2, 1, `found "u" in column "a"`},
		{"1 1:2\n2 2:x\n", "a.svm", data.Options{}, 2, 5, `found "x"`},
		{"1 1:2\n2 0:1\n", "a.svm", data.Options{}, 2, 3, ""},
		{"@relation r\n@attribute a numeric\n", "a.arff", data.Options{}, 3, 1, "found the end of the file, expected @data"},
		{"\x93NUMPY\x01\x00\x10\x00{'descr': '<f4'}\n", "a.npy", data.Options{}, 0, 0, ""},
		{"a\n", "a.csv", data.Options{Format: "csv", Target: "nope"}, 0, 0, ""},
		{"", "a.csv", data.Options{}, 0, 0, "found nothing, expected rows"},
		{"PAR1\x00\x00", "a.parquet", data.Options{}, 0, 0, "found Parquet"},
		{"\x1f\x8b\x08\x00", "a.csv.gz", data.Options{}, 0, 0, "gzip data is truncated: "},
	} {
		for how, err := range map[string]error{
			"Read":   failure(data.ReadFrom(ctx, strings.NewReader(c.text), c.name, c.opt)),
			"Blocks": blocksOf(ctx, c.text, c.name, c.opt),
		} {
			if how == "Blocks" && (c.opt.Numeric != nil || c.opt.Target != "") {
				continue // it has other words for these
			}
			var r *data.ReadError
			if !errors.As(err, &r) {
				t.Errorf("%s of %q: found error %v, expected a ReadError", how, c.text, err)
				continue
			}
			if r.File != c.name || r.Line != c.line || r.Column != c.column || !strings.HasPrefix(r.Err.Error(), c.err) {
				t.Errorf("%s of %q: found %q in line %d, column %d: %v, expected %q in %d, %d: %s", how, c.text, r.File, r.Line, r.Column, r.Err, c.name, c.line, c.column, c.err)
			}
			if want := (fault.Place{File: r.File, Line: r.Line, Column: r.Column}).String() + ": " + r.Err.Error(); err.Error() != want {
				t.Errorf("%s of %q: found the text %q, expected %q", how, c.text, err, want)
			}
		}
	}
	path := filepath.Join(t.TempDir(), "none.csv")
	_, err := data.Read(ctx, []string{path}, data.Options{})
	var r *data.ReadError
	if !errors.As(err, &r) || r.File != path || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("found error %v, expected a ReadError of a file that does not exist", err)
	}
	_, err = data.ReadFrom(ctx, strings.NewReader("1 1:2\n"), "a.svm", data.Options{Source: data.Source{FS: oneFile("w", "1\n2\n")}, Weights: "w"})
	if !errors.As(err, &r) || r.File != "w" {
		t.Errorf("found error %v, expected a ReadError of the weights", err)
	}
}

func blocksOf(ctx context.Context, text, name string, opt data.Options) error {
	opt.Stdin, opt.StdinName = strings.NewReader(text), name
	s, err := data.Blocks(ctx, []string{"-"}, opt)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, err := range s.All() {
		if err != nil {
			return err
		}
	}
	return nil
}
