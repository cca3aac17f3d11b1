//go:build unix

package data_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
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
	defer func(most int) { *data.MostOpen = most }(*data.MostOpen)
	for path, opt := range streamFiles(t, 100) {
		if strings.HasPrefix(path, "@") {
			continue
		}
		*data.MostOpen = 64
		want, err := data.Read(t.Context(), slices.Repeat([]string{path}, 3), opt)
		rows, _, failed := readtest.Streamed(t, slices.Repeat([]string{path}, 3), opt)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		*data.MostOpen = 2
		got, err := data.Read(t.Context(), slices.Repeat([]string{path}, 3), opt)
		if err != nil || got.Digest() != want.Digest() || !reflect.DeepEqual(got.Target, want.Target) || !reflect.DeepEqual(got.Schema, want.Schema) {
			t.Errorf("%s: found other rows, %v", path, err)
		}
		if again, _, err := readtest.Streamed(t, slices.Repeat([]string{path}, 3), opt); !reflect.DeepEqual(again, rows) || fmt.Sprint(err) != fmt.Sprint(failed) {
			t.Errorf("%s: the stream has other rows, %v, %v", path, err, failed)
		}
		*data.MostOpen = 64
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
			t.Skip(err)
		}
		many, err := data.Read(t.Context(), slices.Repeat([]string{path}, files), opt)
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
	paths := slices.Repeat([]string{readtest.Put(t, folder, "a.csv", "\na,b,y\n1,2,3\n4,5,6\n")}, 5)
	paths = append(paths, readtest.Put(t, folder, "b.csv", "a,b,y\n1,word,3\n"))
	want, err := data.Read(t.Context(), paths, data.Options{Blocking: data.Blocking{Chunk: 8}})
	if err != nil {
		t.Fatal(err)
	}
	defer func(most int) { *data.MostOpen = most }(*data.MostOpen)
	*data.MostOpen = 1
	got, err := data.Read(t.Context(), paths, data.Options{Blocking: data.Blocking{Chunk: 8}})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("found %+v, %v, expected %+v", got, err, want)
	}
}
