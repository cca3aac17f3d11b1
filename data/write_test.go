package data_test

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/svmlight"
)

func TestWrite(t *testing.T) {
	s, err := readtest.ReadText("+1 1:0.1 3:-2.5e-30\nno 2:16777216\n+1 5:0\n", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"a.svm":     "+1 1:0.1 3:-2.5e-30 5:0\nno 2:1.6777216e+07\n+1\n",
		"a.csv":     "x1,x2,x3,x4,x5,target\n0.1,0,-2.5e-30,0,0,+1\n0,1.6777216e+07,0,0,0,no\n0,0,0,0,0,+1\n",
		"a.tsv.gz":  "",
		"a.csv.zst": "",
	} {
		path := filepath.Join(t.TempDir(), name)
		if err := data.Write(context.Background(), path, s, ""); err != nil {
			t.Fatal(err)
		}
		if got, _ := os.ReadFile(path); text != "" && string(got) != text {
			t.Errorf("%s: found %q, expected %q", name, got, text)
		}
		again, err := data.Read(context.Background(), []string{path}, data.Options{})
		if err != nil || again.Digest() != s.Digest() {
			t.Errorf("%s: %v, or other rows", name, err)
		}
	}
	for path, want := range map[string]string{
		"a.xls":    `a.xls: unknown extension ".xls": `,
		"a.svm.xz": "a.svm.xz: found the extension .xz, expected .gz or .zst to compress",
	} {
		if err := data.Write(context.Background(), path, s, ""); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("found %v, expected %s", err, want)
		}
	}
	s.Weight = []float64{1, 2, 3}
	if err := (svmlight.LIBSVM{}).Write(io.Discard, s); err == nil {
		t.Error("LIBSVM lost weights without a word")
	}
}

func TestWriteFile(t *testing.T) {
	folder := t.TempDir()
	path := readtest.Put(t, folder, "f", "old")
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	err := file.WriteFile(path, func(w io.Writer) error { io.WriteString(w, "half"); return broken })
	if text, _ := os.ReadFile(path); !errors.Is(err, broken) || string(text) != "old" {
		t.Errorf("found %q, %v", text, err)
	}
	err = file.WriteFile(path, func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err })
	info, _ := os.Stat(path)
	if text, _ := os.ReadFile(path); err != nil || string(text) != "new" || info.Mode().Perm() != 0o640 {
		t.Errorf("found %q, %v, %v", text, err, info.Mode())
	}
	if left, _ := os.ReadDir(folder); len(left) != 1 {
		t.Errorf("found %v, expected no temporary file", left)
	}
	long := filepath.Join(folder, strings.Repeat("ä", 127)) // 254 bytes, of 255
	if err := file.WriteFile(long, func(io.Writer) error { return nil }); err != nil {
		t.Errorf("a long name: %v", err)
	}
	if err := file.WriteFile(folder, nil); err == nil || err.Error() != folder+": found a directory, expected a file" {
		t.Errorf("found %v", err)
	}
}
