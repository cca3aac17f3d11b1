package svmlight_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/read/svmlight"
	"github.com/fenchel-ml/fenchel/matrix"
)

// The counts were found by
//
//	zcat FILE | awk '{n++; nnz+=NF-1; c[$1]; for(i=2;i<=NF;i++){split($i,p,":"); if(p[1]+0>d)d=p[1]+0; if(p[2]+0==0)z++}} END{print n,d,nnz-z,length(c)}'
func TestRealLIBSVM(t *testing.T) {
	for _, c := range []struct {
		name                  string
		n, d, nonzeros, class int
	}{
		{"adult/a9a.gz", 32561, 123, 451592, 2},
		{"web/w8a.gz", 49749, 300, 579586, 2},
		{"ijcnn1/ijcnn1.trn.bz2", 49990, 22, 649869, 2},
		{"imdb/imdb_tfidf.train.svm.gz", 25000, 35860, 3398489, 2},
		{"news20/news20.bz2", 15935, 62061, 1272569, 20},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := data.Read(context.Background(), []string{readtest.RealData(t, c.name)}, data.Options{})
			if err != nil {
				t.Fatal(err)
			}
			n, d := s.X.Dims()
			if nz := int(matrix.Nonzeros(s.X)); n != c.n || d != c.d || nz != c.nonzeros || len(s.Target.Label) != c.class {
				t.Errorf("found %d x %d, %d nonzeros, %d classes; expected %+v", n, d, nz, len(s.Target.Label), c)
			}
		})
	}
}

func TestLIBSVM(t *testing.T) {
	text := "+1 1:0.5 3:2 # note\n\n# whole line\r\n-1\t2:1e-1 \r\n1 qid:7 1:0 4:0\n1.0 2:.25#c\n-1"
	s, err := readtest.ReadText(text, data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := &data.Set{
		X: &matrix.CSR{Cols: 4, Start: []int64{0, 2, 3, 3, 4, 4}, Index: []uint32{0, 2, 1, 1}, Value: []float32{0.5, 2, 0.1, 0.25}},
		Target: data.Target{Label: []string{"+1", "-1"}, Code: []uint32{0, 1, 0, 0, 1},
			Number: []float64{1, -1, 1, 1, -1}},
	}
	if !reflect.DeepEqual(s, want.Vouch()) {
		t.Errorf("found %+v, expected %+v", s, want)
	}
	s, err = readtest.ReadText("a 0:1 2:1 5:3\nb 3:1 4:0\n", data.Options{ZeroBased: true, Columns: 2})
	if err != nil {
		t.Fatal(err)
	}
	if s.Cols() != 2 || matrix.Nonzeros(s.X) != 1 || s.Target.Number != nil || len(s.Warnings) != 1 ||
		s.Warnings[0].Error() != "3 values of 3 features (first: 2) are unknown to the model: ignored" {
		t.Errorf("found %+v", s)
	}
}

func TestLIBSVMErrors(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1 1:1\n\xe9t\xe9 1:1\n", `2:1: found "\xe9t\xe9", expected UTF-8 text`},
		{"1 1:1\n1 0:1\n", `2:3: found index 0, expected indices from 1 (read the file with 'zero-based' if its indices begin with 0)`},
		{"1 3:1 2:1", `1:7: found index 2 after 3, expected increasing indices`},
		{"1 3:1 3:1", `1:7: found index 3 after 3, expected increasing indices`},
		{"1 4294967296:1", `1:3: found index 4294967296, expected at most 4294967295`},
		{"1 99999999999999999999999:1", `1:3: found index 99999999999999999999999, expected at most 4294967295`},
		{"1 1:1 2:", `1:9: found nothing, expected a value after the colon`},
		{"1 1:nan", `1:5: found "nan", expected a finite number`},
		{"1 1:-inf", `1:5: found "-inf", expected a finite number`},
		{"1 1:1e39", `1:5: found "1e39", expected a number that 32 bits can hold (below 3.4e38)`},
		{"1 1:2x", `1:5: found "2x", expected a finite number`},
		{"1 1:0x1p3", `1:5: found "0x1p3", expected a finite number`},
		{"\n 1:1 2:1", `2:2: found "1:1", expected a label before the features`},
		{"nan 1:1", `1:1: found "nan", expected a finite number or a name as target`},
		{"1,2 1:1", `1:1: found "1,2", expected one label a row (several labels a row are not supported)`},
		{"1 1:1 hello", `1:7: found "hello", expected index:value`},
		{"1 1:1 -2:1", `1:7: found "-2:1", expected index:value`},
		{"1 qid:x 1:1", `1:3: found "qid:x", expected qid:N with a whole number N`},
		{"1 1:1:1", `1:5: found "1:1", expected a finite number`},
	} {
		_, err := readtest.ReadText(c.text, data.Options{Format: "libsvm"})
		if want := "standard input:" + c.want; err == nil || err.Error() != want {
			t.Errorf("%q:\nfound    %v\nexpected %s", c.text, err, want)
		}
	}
}

// More distinct numbers than MaxLabels are no classes; a name among them is
// refused where it stands.
func TestManyTargets(t *testing.T) {
	var text bytes.Buffer
	for i := range set.MaxLabels + 10 {
		text.WriteString(string(set.AppendFloat32(nil, float32(i))) + " 1:1\n")
	}
	for _, size := range []int{0, 1000} {
		s, err := readtest.ReadText(text.String(), data.Options{Blocking: data.Blocking{Chunk: size}})
		if err != nil {
			t.Fatal(err)
		}
		if s.Target.Label != nil || s.Target.Code != nil || len(s.Target.Number) != set.MaxLabels+10 || s.Target.Number[70] != 70 {
			t.Errorf("found labels or too few numbers")
		}
		_, err = readtest.ReadText(text.String()+"cat 1:1\n", data.Options{Blocking: data.Blocking{Chunk: size}})
		if err == nil || err.Error() != `standard input:65547:1: found "cat", expected a number as target, after more than 65536 distinct numbers` {
			t.Errorf("found %v", err)
		}
	}
}

func BenchmarkLIBSVM(b *testing.B) {
	packed := readtest.RealData(b, "imdb/imdb_tfidf.train.svm.gz")
	in, err := new(file.System).Open(context.Background(), packed)
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	text, err := io.ReadAll(in.R)
	if err != nil {
		b.Fatal(err)
	}
	plain := filepath.Join(b.TempDir(), "imdb.svm")
	if err := os.WriteFile(plain, text, 0o600); err != nil {
		b.Fatal(err)
	}
	for kind, path := range map[string]string{"plain": plain, "gzip": packed} {
		b.Run("file="+kind, func(b *testing.B) {
			b.SetBytes(int64(len(text))) // of text, packed or not
			b.ReportAllocs()
			for b.Loop() {
				if _, err := data.Read(context.Background(), []string{path}, data.Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Rows of a precomputed matrix begin with 0:number, and may lack zeros at the
// end; without numbers they are read like any others.
func TestLIBSVMPrecomputed(t *testing.T) {
	for _, c := range []struct {
		text    string
		columns int
		zero    bool
		cols    int
	}{
		{"1 0:1 1:2 2:1\n-1 0:2 1:1 2:3\n", 0, true, 3},
		{"# a note\n1 0:1 1:2\n-1 0:2\n", 0, true, 3}, // K_12 = K_22 = 0
		{"1 0:17 1:2\n", 5, true, 5},                  // to be compared with 4 rows
		{"1 0:9 1:2\n", 0, true, 10},                  // row 9 of a larger matrix
		{"1 0:1 1:2 2:1 3:4\n", 2, true, 4},           // too wide: for the kernel to say
		{"1 1:2 2:1\n-1 1:1 2:3\n", 0, false, 2},
		{"1 1:2 2:1\n-1 1:1 2:3\n", 5, false, 2},
		{"1\n-1 1:1\n", 0, false, 1},
	} {
		s, err := readtest.ReadText(c.text, data.Options{Precomputed: true, Columns: c.columns, Format: "libsvm"})
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if s.ZeroBased != c.zero || s.Cols() != c.cols || len(s.Warnings) > 0 {
			t.Errorf("%q, columns %d: found zero-based %v, %d columns, warnings %v, expected %v, %d and none", c.text, c.columns, s.ZeroBased, s.Cols(), s.Warnings, c.zero, c.cols)
		}
	}
	if _, err := readtest.ReadText("1 0:1 1:2\n", data.Options{}); err == nil {
		t.Errorf("found no error for an index 0 that nothing announces")
	}
}

// What is read with indices from 0 is written so.
func TestLIBSVMZeroBasedWrite(t *testing.T) {
	const text = "1 0:1 1:2 3:1\n-1 0:2 1:1\n"
	s, err := readtest.ReadText(text, data.Options{ZeroBased: true})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (svmlight.LIBSVM{}).Write(&out, s); err != nil || out.String() != text {
		t.Errorf("found %q (error %v), expected %q", out.String(), err, text)
	}
	s.X.(*matrix.CSR).Cols = 6 // a last column of zeros survives
	out.Reset()
	if err := (svmlight.LIBSVM{}).Write(&out, s); err != nil || !strings.HasPrefix(out.String(), "1 0:1 1:2 3:1 5:0\n") {
		t.Errorf("found %q (error %v), expected the last column named", out.String(), err)
	}
}
