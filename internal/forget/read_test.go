package forget

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/model"
)

func TestNumbers(t *testing.T) {
	if got, err := Numbers(strings.NewReader(" 3\n\n1\r\n2"), "f"); err != nil || fmt.Sprint(got) != "[0 1 2]" {
		t.Errorf("found %v, %v", got, err)
	}
	for text, want := range map[string]string{
		"": "f: found no numbers of rows, expected one a line", "1\n\nx": `f:3: found "x", expected the number of a row, from 1`,
		"-1": `found "-1"`, "1 2": `found "1 2"`, "7\n1\n7": "found the row 7 twice", "99999999999999999999": "expected the number of a row",
		strings.Repeat("1", 1<<17): "too long",
	} {
		if _, err := Numbers(strings.NewReader(text), "f"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: found %v, expected %s", text, err, want)
		}
	}
}

// Whatever lines a row has, the rows that are left are those of the file without it.
func TestRead(t *testing.T) {
	for name, c := range map[string]struct{ text, left string }{
		"comments":     {"# a\n1 1:1\n#b\n-1 2:1\n\n1 3:1 # c\n-1 1:2\n", "1 1:1\n1 3:1\n-1 1:2\n"},
		"no end":       {"1 1:1\n-1 2:1\n1 3:1\n-1 1:2", "1 1:1\n1 3:1\n-1 1:2"},
		"labels":       {"1 1:1\nx 2:1\n2 3:1\n2 1:2\n", "1 1:1\n2 3:1\n2 1:2\n"},
		"quotes":       {"a;y\n\"1\n\";u\n\"b\"\"\n;\n\"; \"v\"\n3;w\n4;u\n", "a;y\n\"1\n\";u\n3;w\n4;u\n"},
		"inches":       {"a,y\n5\",u\n6\",v\n7\",u\n8\",w\n", "a,y\n5\",u\n7\",u\n8\",w\n"},
		"no names":     {"1,2,u\n3,4,v\n5,6,u\n7,8,u\n", "1,2,u\n5,6,u\n7,8,u\n"},
		"objects":      {"{\"a\":1,\"y\":\"u\"}\n{\"a\":\"q\",\"y\":\"v\"}\n{\"a\":3,\"y\":\"u\"}\n{\"a\":4,\"y\":\"w\"}\n", "{\"a\":1,\"y\":\"u\"}\n{\"a\":3,\"y\":\"u\"}\n{\"a\":4,\"y\":\"w\"}\n"},
		"a text alone": {"a,y\n1,u\nz,v\n3,u\n4,w\n", "a,y\n1,u\n3,u\n4,w\n"},
	} {
		path := readtest.Put(t, t.TempDir(), "x", c.text)
		all := readtest.MustRead(t, data.Options{}, path)
		m := &model.Model{Data: model.Data{Digest: all.Digest()}, Schema: all.Schema}
		r, err := Read(t.Context(), path, []int{1}, "f", data.Options{}, m)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := readtest.MustRead(t, data.Options{}, readtest.Put(t, t.TempDir(), "x", c.left))
		if got := r.Left; got.Digest() != want.Digest() || fmt.Sprint(got.Schema) != fmt.Sprint(want.Schema) || fmt.Sprint(r.Kept) != "[0 2 3]" {
			t.Errorf("%s: found %d rows, %v, expected %d, %v", name, got.Rows(), got.Schema, want.Rows(), want.Schema)
		}
	}
}

// Lines that are no rows, and rows that are no lines, are refused where they cannot be told.
func TestReadRefused(t *testing.T) {
	for _, text := range []string{
		"[{\"a\":1,\"y\":\"u\"},\n {\"a\":2,\"y\":\"v\"}, {\"a\":3,\"y\":\"u\"}]\n",
		"@relation r\n@attribute x numeric\n@attribute y {0,1}\n@data\n1,0\n2,1\n3,0\n",
	} {
		path := readtest.Put(t, t.TempDir(), "x", text)
		all := readtest.MustRead(t, data.Options{}, path)
		m := &model.Model{Data: model.Data{Digest: all.Digest()}}
		if _, err := Read(t.Context(), path, []int{1}, "f", data.Options{}, m); err == nil || !strings.Contains(err.Error(), "expected a row in each") {
			t.Errorf("%q: found %v", text, err)
		}
	}
	path := readtest.Put(t, t.TempDir(), "x", "1 1:1\n-1 2:1\n")
	double := &model.Model{Data: model.Data{Precision: "double"}}
	if _, err := Read(t.Context(), path, []int{1}, "f", data.Options{}, double); err == nil || !strings.Contains(err.Error(), "double precision") {
		t.Errorf("a model of rows of double precision: found %v", err)
	}
}

// What is proved of single predictions is asked for again, where it was before; training begins at the dual variables of the rows left.
func TestSpecProved(t *testing.T) {
	for _, proved := range []bool{false, true} {
		path := readtest.Put(t, t.TempDir(), "x", "1 1:1\n-1 2:1\n1 3:1\n-1 1:2\n")
		all := readtest.MustRead(t, data.Options{}, path)
		trained, err := fenchel.Train(t.Context(), all, fenchel.Spec{Loss: "logistic", Record: fenchel.Record{Proved: proved}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read(t.Context(), path, []int{1}, "f", data.Options{}, trained.Model)
		if err != nil {
			t.Fatal(err)
		}
		spec, _, err := Spec(trained.Model, r)
		if err != nil || spec.Proved != proved {
			t.Errorf("found proved %t, %v, expected %t", spec.Proved, err, proved)
		}
		if dual := trained.Model.Outputs[0].Dual; dual == nil || !slices.Equal(spec.From.Outputs[0].Dual, []float64{dual[0], dual[2], dual[3]}) {
			t.Errorf("found the dual variables %g to begin with, expected those of %g without the second", spec.From.Outputs[0].Dual, dual)
		}
	}
}
