package data_test

import (
	"context"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// Files of other programs are named, with a way out, whatever their extension.
func TestElsewhere(t *testing.T) {
	for head, want := range map[string]string{
		"PAR1\x15\x00":           "found Parquet, which is not read",
		"\x80\x04\x95\x00pandas": "found pickle, which is not read",
		"PK\x03\x04\x14\x00\x06\x00" + strings.Repeat("\x00", 22) + "[Content_Types].xml": "found Excel, which is not read",
		"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":                                                "found Excel, which is not read",
		"ARROW1\x00\x00":                                                                  "found Arrow, which is not read",
		"\x89HDF\r\n\x1a\n":                                                               "found HDF5, which is not read",
		"\xff\xfea\x00,\x00":                                                              "found UTF-16, which is not read",
		"SQLite format 3\x00":                                                             "found SQLite, which is not read",
		"RDX3\nX\n\x00\x00":                                                               "found R, which is not read",
	} {
		path := readtest.Put(t, t.TempDir(), "x.csv", head)
		_, err := data.Read(context.Background(), []string{path}, data.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), path+": "+want) || !strings.Contains(err.Error(), "one way: ") || strings.Contains(err.Error(), "'IN'") {
			t.Errorf("%q: found %v, expected %s", head, err, want)
		}
	}
	for text, want := range map[string]string{"RDXabc,1\n": "", "ORCA,2\n": "", "1,2\n": "csv", "Obj,1\n2,3\n": "csv", "ORCHID,1\nrose,2\n": "csv"} {
		path := readtest.Put(t, t.TempDir(), "x.csv", text)
		if got := data.FormatOf(context.Background(), path); got != want && want != "" {
			t.Errorf("%q: found %q, expected %q", text, got, want)
		}
	}
}
