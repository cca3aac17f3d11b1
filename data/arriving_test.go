package data_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// Rows are given before later ones come; together they are those of one set.
func TestArriving(t *testing.T) {
	s, err := readtest.ReadText("id,a,c,y\n1,0.5,u,0\n2,1.5,v,1\n3,2.5,u,1\n", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		opt    data.Options
		pieces []string
		rows   string // after each piece
	}{
		"table":            {data.Options{Schema: s.Schema}, []string{"id,a,c\n1,7,u\n", "2,8,v\n3,9", ",u\n", "\n4,10,v"}, "1 2 3 4"},
		"header alone":     {data.Options{Schema: s.Schema}, []string{"c,a,", "id\n", "v,7,1\nu,", "8,2\n"}, "0 0 1 2"},
		"no header":        {data.Options{Schema: s.Schema}, []string{"1,7,u\n", "2,8,v\n"}, "1 2"},
		"quotes":           {data.Options{Schema: s.Schema}, []string{"id,a,c\n1,7,\"u\n", "\"\n2,8,v\n"}, "0 2"},
		"LIBSVM":           {data.Options{Columns: 3}, []string{"1 1:2\n-", "1 2:1\n# no row\n", "1 3:1\n1 1:1\n"}, "1 2 4"},
		"graphs":           {data.Options{Columns: 8, Format: "graphs"}, []string{"\t7 7\t1-2\n\t", "5\n\t\t\n", "\t5 5\t1-1 2-2\n"}, "1 3 4"},
		"nothing names it": {data.Options{Columns: 2, Format: "csv"}, []string{"1,2\n", "3,4\n"}, "0 2"},
	} {
		t.Run(name, func(t *testing.T) {
			r, w := io.Pipe()
			opt := c.opt
			opt.Stdin = r
			sets := make(chan *data.Set)
			go func() {
				defer close(sets)
				for s, err := range data.Arriving(context.Background(), opt) {
					if err != nil {
						t.Error(err)
						return
					}
					sets <- s
				}
			}()
			rows, got := 0, []string{}
			take := func(s *data.Set) {
				rows += s.Rows()
				for _, row := range readtest.RowsOf(s.X) {
					got = append(got, fmt.Sprint(row))
				}
			}
			wants := strings.Fields(c.rows)
			for i, piece := range c.pieces {
				if io.WriteString(w, piece); i == len(c.pieces)-1 {
					w.Close()
				}
				for fmt.Sprint(rows) != wants[i] {
					select {
					case s, ok := <-sets:
						if !ok {
							t.Fatalf("found %d rows, expected %s", rows, wants[i])
						}
						take(s)
					case <-time.After(time.Minute):
						t.Fatalf("found %d rows after piece %d, expected %s", rows, i, wants[i])
					}
				}
			}
			for s := range sets {
				take(s)
			}
			whole, err := readtest.ReadText(strings.Join(c.pieces, ""), c.opt)
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, row := range readtest.RowsOf(whole.X) {
				want = append(want, fmt.Sprint(row))
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("found rows %v, expected %v", got, want)
			}
		})
	}
}

// What is wrong is found where it stands, behind the rows before.
func TestArrivingErrors(t *testing.T) {
	s, err := readtest.ReadText("a,c,y\n0.5,u,0\n1.5,v,1\n", data.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		opt    data.Options
		pieces []string
		rows   int
		want   string
	}{
		{data.Options{Schema: s.Schema}, []string{"a,c\n1,u\n", "2,v\n", "x,u\n"}, 2, `standard input:4:1: found "x", expected a finite number`},
		{data.Options{Columns: 2}, []string{"1 1:1\n", "1 1:x\n"}, 1, `standard input:2:5: found "x", expected a finite number`},
		{data.Options{Schema: s.Schema}, []string{""}, 0, "standard input: found nothing, expected rows"},
		{data.Options{Schema: s.Schema}, []string{"a,c\n"}, 0, "standard input: found no rows, expected at least one"},
		{data.Options{Schema: s.Schema}, []string{"a,b\n", "1,2\n"}, 0, `standard input: found no column "c", expected all columns the model was trained on`},
	} {
		r, w := io.Pipe()
		rows := 0
		c.opt.Stdin = r
		came := make(chan bool, 10)
		go func() {
			for i, piece := range c.pieces {
				if io.WriteString(w, piece); i < c.rows {
					<-came
				}
			}
			w.Close()
		}()
		var failed error
		for s, err := range data.Arriving(context.Background(), c.opt) {
			if err != nil {
				failed = err
				break
			}
			rows += s.Rows()
			came <- true
		}
		r.Close()
		if failed == nil || !strings.HasPrefix(failed.Error(), c.want) || rows != c.rows {
			t.Errorf("%q: found %d rows, %v, expected %d, %s", c.pieces, rows, failed, c.rows, c.want)
		}
	}
}
