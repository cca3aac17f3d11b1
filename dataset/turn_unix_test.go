//go:build unix

package dataset

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"syscall"
	"testing"
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
	defer func(most int) { mostOpen = most }(mostOpen)
	for path, opt := range streamFiles(t, 100) {
		if strings.HasPrefix(path, "@") {
			continue
		}
		mostOpen = 64
		want, err := Read(t.Context(), slices.Repeat([]string{path}, 3), opt)
		rows, _, failed := streamed(t, slices.Repeat([]string{path}, 3), opt)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		mostOpen = 2
		got, err := Read(t.Context(), slices.Repeat([]string{path}, 3), opt)
		if err != nil || got.Digest() != want.Digest() || !reflect.DeepEqual(got.Target, want.Target) || !reflect.DeepEqual(got.Schema, want.Schema) {
			t.Errorf("%s: found other rows, %v", path, err)
		}
		if again, _, err := streamed(t, slices.Repeat([]string{path}, 3), opt); !reflect.DeepEqual(again, rows) || fmt.Sprint(err) != fmt.Sprint(failed) {
			t.Errorf("%s: the stream has other rows, %v, %v", path, err, failed)
		}
		mostOpen = 64
		if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
			t.Skip(err)
		}
		many, err := Read(t.Context(), slices.Repeat([]string{path}, files), opt)
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
	paths := slices.Repeat([]string{put(t, folder, "a.csv", "\na,b,y\n1,2,3\n4,5,6\n")}, 5)
	paths = append(paths, put(t, folder, "b.csv", "a,b,y\n1,word,3\n"))
	want, err := Read(t.Context(), paths, Options{Chunk: 8})
	if err != nil {
		t.Fatal(err)
	}
	defer func(most int) { mostOpen = most }(mostOpen)
	mostOpen = 1
	got, err := Read(t.Context(), paths, Options{Chunk: 8})
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("found %+v, %v, expected %+v", got, err, want)
	}
}
