//go:build unix

package dataset_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/dataset/internal/datasettest"
)

// Of many files few are open at a time, whatever the format, and they are read as a few.
func TestManyFiles(t *testing.T) {
	const files = 150
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Skip(err)
	}
	few := limit
	few.Cur = mostFewFiles
	defer func(most int) { *dataset.MostOpen = most }(*dataset.MostOpen)
	for path, opt := range streamFiles(t, 100) {
		if strings.HasPrefix(path, "@") {
			continue
		}
		*dataset.MostOpen = 64
		want, err := dataset.Read(t.Context(), slices.Repeat([]string{path}, 3), opt)
		rows, _, failed := datasettest.Streamed(t, slices.Repeat([]string{path}, 3), opt)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		*dataset.MostOpen = 2
		got, err := dataset.Read(t.Context(), slices.Repeat([]string{path}, 3), opt)
		if err != nil || got.Digest() != want.Digest() || !reflect.DeepEqual(got.Target, want.Target) || !reflect.DeepEqual(got.Schema, want.Schema) {
			t.Errorf("%s: found other rows, %v", path, err)
		}
		if again, _, err := datasettest.Streamed(t, slices.Repeat([]string{path}, 3), opt); !reflect.DeepEqual(again, rows) || fmt.Sprint(err) != fmt.Sprint(failed) {
			t.Errorf("%s: the stream has other rows, %v, %v", path, err, failed)
		}
		*dataset.MostOpen = 64
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
			t.Skip(err)
		}
		many, err := dataset.Read(t.Context(), slices.Repeat([]string{path}, files), opt)
		syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
		if err != nil || many.Rows() != files*want.Rows()/3 {
			t.Errorf("%s: found %v of %d files", path, err, files)
		}
	}
}

// mostFewFiles are those of a test and a few more.
const mostFewFiles = 100

// A column of numbers that the last of many files has a word in is read twice.
func TestManyFilesTwice(t *testing.T) {
	folder := t.TempDir()
	paths := slices.Repeat([]string{datasettest.Put(t, folder, "a.csv", "\na,b,y\n1,2,3\n4,5,6\n")}, 5)
	paths = append(paths, datasettest.Put(t, folder, "b.csv", "a,b,y\n1,word,3\n"))
	want, err := dataset.Read(t.Context(), paths, dataset.Options{Chunk: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer func(most int) { *dataset.MostOpen = most }(*dataset.MostOpen)
	*dataset.MostOpen = 1
	got, err := dataset.Read(t.Context(), paths, dataset.Options{Chunk: 8})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("found %+v, %v, expected %+v", got, err, want)
	}
}
