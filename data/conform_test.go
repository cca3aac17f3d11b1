package data_test

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/conform"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// samples has a file of every format, by its text or its path, or none where
// the format can write one; and files that break it, with the place that the
// error must tell.
var samples = map[string]struct {
	file   string
	broken map[string]string
}{
	"libsvm": {"+1 1:1 3:-2.5\n-1 2:0.1 # no\n+1 1:16777216 4:0\n-1\n", map[string]string{
		"1 1:1\n1 1:x\n": "2:", "1 1:1\n\n1 2:1 2:1\n": "3:", "1 0:1\n": "1:"}},
	"csv": {"a,b,y\n1,-2.5,no\n0.1,3e-5,yes\n7,,no\n", map[string]string{"a,y\n1,2\n1\n": "3:", "a,y\n1,2\n1e99,2\n": "3:"}},
	"tsv": {"a\tb\ty\n1\t-2.5\t3\n0.1\t3e-5\t4.5\n", map[string]string{"a\ty\n1\t2\n1\n": "3:"}},
	"arff": {"@relation r\n@attribute a numeric\n@attribute y {no,yes}\n@data\n1,no\n-2.5,yes\n", map[string]string{
		"@relation r\n@attribute a numeric\n@attribute y {no,yes}\n@data\n1,no\n1\n": "6:",
		"@relation r\n@attribute a numeric\n@attribute y {no,yes}\n@data\n1,maybe\n": "5:",
		"@relation r\n@attribute a what\n@attribute y {no,yes}\n@data\n1,maybe\n":    "2:"}},
	"vw": {"1 2 'r1|f a:2 b |g c:0.5\n-1 |f b:-1.5\n1 |g c\n", map[string]string{"1 |f a:2\n1 f a\n": "2:1", "1 |f a:2\n2 |f b:x\n": "2:8", "1 |f a\n|f a\n": "2:1"}},
	"mtx": {"%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 2\n3 2 -1.5\n3 3 1\n", map[string]string{
		"%%MatrixMarket matrix coordinate real general\n3 3 1\n1 4 2\n": "3:1", "%%MatrixMarket matrix array real general\n2 1\n1\nx\n": "4:1", "%%MatrixMarket matrix array real hermitian\n": "1:"}},
	"json":    {"{\"a\":1,\"b\":-2.5,\"y\":\"no\"}\n{\"y\":\"yes\",\"a\":\"0.1\"}\n", map[string]string{"{\"a\":1,\"y\":2}\n{\"a\":[1],\"y\":2}\n": "2:6:", "[{\"a\":1,\"y\":2},\n{\"a\":1,\"y\":2": "2:"}},
	"tokens":  {"ok\tGET 200 7\nbad\t7 7\n+1\t\n", map[string]string{"a\tb\nb c\n": "2:", "\tc\na\tb\n": "2:", "a\tb\n\tb\n": "2:"}},
	"graphs":  {"+1\tC C O\t1-2 2-3\n-1\tC\t\n-1\t\t\n+1\t7 N\n", map[string]string{"a\tC C\t1-2\nb\tC C\t1-3\n": "2:", "a\tC C\t1-2 x\n": "1:", "a\tC C\t0-1\n": "1:", "a\t\t1-1\n": "1:"}},
	"strings": {"en\tthe cat\nfr\tété\n1\t\n", map[string]string{"en\tcat\nfr chat\n": "2:", "en\tc\x00t\n": "1:"}},
	"idx":     {"\x00\x00\x08\x02\x00\x00\x00\x02\x00\x00\x00\x03\x00\x01\x02\xff\x80\x00", nil},
	"npy":     {"../internal/read/array/testdata/numpy_f8.npy", nil},
	"npz":     {"", nil},
	"fen":     {"", nil},
}

func TestFormatsConform(t *testing.T) {
	from, err := data.Read(context.Background(), []string{"-"}, data.Options{Source: data.Source{Stdin: strings.NewReader(samples["csv"].file)}})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range data.Formats() {
		t.Run(e.Name, func(t *testing.T) {
			f, err := e.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			sample, ok := samples[e.Name]
			if !ok {
				t.Fatalf("found no sample of the format, expected one in the table")
			}
			file := []byte(sample.file)
			switch {
			case strings.HasPrefix(sample.file, "../internal/read/array/testdata/"):
				if file, err = os.ReadFile(sample.file); err != nil {
					t.Fatal(err)
				}
			case sample.file == "":
				var written bytes.Buffer
				if err := f.(set.Writer).Write(&written, from); err != nil {
					t.Fatal(err)
				}
				file = written.Bytes()
			}
			if err := conform.Format(f, file, sample.broken); err != nil {
				t.Error(err)
			}
		})
	}
}
