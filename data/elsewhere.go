package data

import (
	"bytes"
	"context"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// elsewhere lists files of other programs that people have tables in, by how they begin,
// with what makes one of them that can be read.
var elsewhere = []struct{ magic, name, way string }{
	{"PAR1", "Parquet", `python -c "import pandas; pandas.read_parquet('IN').to_csv('OUT.csv', index=False)"`},
	{"ARROW1", "Arrow", `python -c "import pandas; pandas.read_feather('IN').to_csv('OUT.csv', index=False)"`},
	{"FEA1", "Feather", `python -c "import pandas; pandas.read_feather('IN').to_csv('OUT.csv', index=False)"`},
	{"Obj\x01", "Avro", "a program that writes it as CSV"},
	{"ORC", "ORC", `python -c "import pandas; pandas.read_orc('IN').to_csv('OUT.csv', index=False)"`},
	{"\x89HDF\r\n\x1a\n", "HDF5", `python -c "import pandas; pandas.read_hdf('IN').to_csv('OUT.csv', index=False)"`},
	{"MATLAB 5.0", "MATLAB", `python -c "import numpy, scipy.io; numpy.savez('OUT.npz', **scipy.io.loadmat('IN'))"`},
	{"SQLite format 3\x00", "SQLite", `sqlite3 -csv -header IN 'select * from TABLE' > OUT.csv`},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "Excel", "Save As, CSV UTF-8, in Excel"},
	{"PK\x03\x04", "Excel", `Save As, CSV UTF-8, in Excel, or python -c "import pandas; pandas.read_excel('IN').to_csv('OUT.csv', index=False)"`},
	{"RDX", "R", `in R: write.csv(DATA, "OUT.csv", row.names=FALSE)`},
	{"X\n\x00\x00\x00", "R", `in R: write.csv(readRDS("IN"), "OUT.csv", row.names=FALSE)`},
	{"\xff\xfe", "UTF-16", "iconv -f UTF-16 -t UTF-8 IN > OUT.csv"},
	{"\xfe\xff", "UTF-16", "iconv -f UTF-16 -t UTF-8 IN > OUT.csv"},
	{"<stata_dta>", "Stata", `python -c "import pandas; pandas.read_stata('IN').to_csv('OUT.csv', index=False)"`},
	{"r\x02\x01", "Stata", `python -c "import pandas; pandas.read_stata('IN').to_csv('OUT.csv', index=False)"`},
	{"s\x02\x01", "Stata", `python -c "import pandas; pandas.read_stata('IN').to_csv('OUT.csv', index=False)"`},
	{"$FL2", "SPSS", `python -c "import pandas; pandas.read_spss('IN').to_csv('OUT.csv', index=False)"`},
	{"7z\xbc\xaf", "a 7z archive", "7z x IN"},
	{"Rar!", "a RAR archive", "unrar x IN"},
	{"PK\x03\x04", "a zip archive", "unzip IN"},
	{"\x80", "pickle", `python -c "import pandas; pandas.read_pickle('IN').to_csv('OUT.csv', index=False)" (only of files you trust)`},
}

// texts lists text of other programs, by how its first line begins.
var texts = []struct {
	begins    *regexp.Regexp
	name, way string
}{
	{regexp.MustCompile(`^\s*\[\s*\[`), "JSON of arrays", `python -c "import pandas; pandas.read_json('IN').to_csv('OUT.csv', index=False)"`},
	{regexp.MustCompile(`(?i)^\s*<(!doctype html|html|table)\b`), "HTML", `python -c "import pandas; pandas.read_html('IN')[0].to_csv('OUT.csv', index=False)"`},
	{regexp.MustCompile(`^\s*<\?xml\b`), "XML", `python -c "import pandas; pandas.read_xml('IN').to_csv('OUT.csv', index=False)"`},
}

// refuseElsewhere explains how to read a file of another program; nil if it is none that
// is known.
func refuseElsewhere(in *file.Input, head []byte) error {
	refuse := func(name, way string) error {
		return fault.In(in.Name, "found %s, which is not read, expected CSV or another of the formats %s; one way: %s", name, strings.Join(set.Registered.Names(), ", "), strings.ReplaceAll(way, "IN", in.Name))
	}
	for _, e := range elsewhere {
		switch {
		case !bytes.HasPrefix(head, []byte(e.magic)):
			continue
		case bytes.IndexFunc(head, isBinary) < 0: // a text that begins so
			continue
		case e.name == "Parquet" && slices.Contains(set.Registered.Names(), "parquet"):
			continue
		case e.magic == "\x80" && (len(head) < 2 || head[1] < 2 || head[1] > 5): // the version
			continue
		case e.magic == "PK\x03\x04" && (isWorkbook(head) != (e.name == "Excel") || isNPZ(head) || set.HasExtension(in.Name, ".npz")):
			continue
		}
		return refuse(e.name, e.way)
	}
	const magic = "ustar"
	if at := 257; len(head) > at && bytes.HasPrefix(head[at:], []byte(magic)) && bytes.IndexByte(head[:at], 0) >= 0 {
		return refuse("a tar archive", "tar -xf IN")
	}
	for _, e := range texts {
		if e.begins.Match(head) {
			return refuse(e.name, e.way)
		}
	}
	return nil
}

// isNPZ reports whether the first file of an archive is an array.
func isNPZ(head []byte) bool {
	if len(head) < 30 {
		return true // that is said by its format
	}
	name := head[30:min(len(head), 30+int(head[26])+int(head[27])<<8)]
	return bytes.HasSuffix(name, []byte(".npy"))
}

// isWorkbook reports whether the first file of an archive, whose name stands behind 30
// bytes, is one of those that Office begins with.
func isWorkbook(head []byte) bool {
	for _, name := range []string{"[Content_Types].xml", "_rels/", "docProps/", "xl/"} {
		if len(head) > 30 && bytes.HasPrefix(head[30:], []byte(name)) {
			return true
		}
	}
	return false
}

// isBinary reports whether a character is none of text.
func isBinary(r rune) bool { return r < '\t' || r == utf8.RuneError }

// FormatOf returns the name of the format in which a file would be read, "" if it cannot
// be.
func FormatOf(ctx context.Context, path string) string {
	in, err := new(file.System).Open(ctx, path)
	if err != nil {
		return ""
	}
	defer in.Close()
	name, _, err := detect(in, &Options{})
	if err != nil {
		return ""
	}
	return name
}

// Head returns how the file begins that is in path, or packed in it: at most the 64 KiB by
// which formats are told apart.
func Head(ctx context.Context, path string) ([]byte, error) {
	in, err := new(file.System).Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	head, err := in.R.Peek(file.HeadSize)
	if err == io.EOF {
		err = nil
	}
	return slices.Clone(head), err
}
