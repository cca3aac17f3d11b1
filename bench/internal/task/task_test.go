package task

import (
	"bytes"
	"encoding/binary"
	"path/filepath"
	"slices"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
)

func TestSigns(t *testing.T) {
	for _, c := range []struct {
		labels []string
		class  string
		want   []float64
	}{
		{[]string{"2", "1", "2"}, "", []float64{1, -1, 1}},
		{[]string{"-1", "+1"}, "", []float64{-1, 1}},
		{[]string{"3", "1", "2", "1"}, "1", []float64{-1, 1, -1, 1}},
	} {
		got, err := signs(data.Labels(c.labels), c.class)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%v, class %q: %v, %v; want %v", c.labels, c.class, got, err, c.want)
		}
	}
	for _, class := range []string{"", "9"} {
		if got, err := signs(data.Labels([]string{"3", "1", "2"}), class); err == nil {
			t.Errorf("three labels, class %q: %v, want an error", class, got)
		}
	}
}

// TestWriteTask reads the binary task back, as liblinear.c and sklearn.py do:
// zeros are left out, an empty row stays.
func TestWriteTask(t *testing.T) {
	x := &matrix.Dense{Rows: 3, Cols: 2, Value: []float32{0, 5, 0, 0, 7, 8}}
	var file bytes.Buffer
	if err := WriteTask(&file, x, []float64{1, -1, 1}); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Magic [8]byte
		Size  [3]int64
		Start [4]int64
		Y     [3]float64
		Index [3]uint32
		Value [3]float32
	}
	want := got
	copy(want.Magic[:], taskMagic)
	want.Size, want.Start, want.Y = [3]int64{3, 2, 3}, [4]int64{0, 1, 1, 3}, [3]float64{1, -1, 1}
	want.Index, want.Value = [3]uint32{1, 0, 1}, [3]float32{5, 7, 8}
	if err := binary.Read(&file, binary.LittleEndian, &got); err != nil || got != want || file.Len() != 0 {
		t.Errorf("%+v, %v, %d bytes left; want %+v", got, err, file.Len(), want)
	}
}

// TestReferences: only what is better is taken over, and it survives the file.
func TestReferences(t *testing.T) {
	path := filepath.Join(t.TempDir(), "references.json")
	r, err := OpenReferences(path)
	if err != nil {
		t.Fatal(err)
	}
	key := ReferenceKey("sha256:00", "hinge", "1/n")
	r.Improve(key, 2, 1, "a")
	r.Improve(key, 3, 1.5, "b")
	r.Improve(key, 1.9, 0, "c")
	if err := r.Save(); err != nil {
		t.Fatal(err)
	}
	if r, err = OpenReferences(path); err != nil {
		t.Fatal(err)
	}
	if got, want := r.Find(key), (Reference{1.9, 1.5, "c"}); got != want {
		t.Errorf("reference %+v, want %+v", got, want)
	}
}
