package cluster

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel/data"
)

// near is a cluster in this process.
type near struct{ places []*Place }

func (n near) Ask(_ context.Context, q *Request) ([]*Answer, error) {
	var all []*Answer
	for _, p := range n.places {
		a, err := p.Answer(q)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	return all, nil
}

// scatter deals the rows of a set to places.
func scatter(t testing.TB, set *data.Set, places int) near {
	var c near
	for k := range places {
		var rows []int
		for i := range set.Rows() {
			if (i*7919+i/5)%places == k {
				rows = append(rows, i)
			}
		}
		part, err := set.Subset(rows)
		if err != nil {
			t.Fatal(err)
		}
		c.places = append(c.places, NewPlace(part, k, 1))
	}
	return c
}

func TestTrainTry(t *testing.T) {
	for _, f := range []string{"/work/shared/data/adult/a9a.gz", "/work/shared/data/imdb/imdb_tfidf.train.svm.gz"} {
		set, err := data.Read(context.Background(), []string{f}, data.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range []string{"logistic", "squared-hinge", "hinge"} {
			for _, p := range []int{4, 16} {
				for _, bias := range []string{"none", "free"} {
					begun := time.Now()
					r, err := Train(context.Background(), scatter(t, set, p), Spec{Loss: l, Penalty: "l2", Bias: bias, Gap: 1e-3, Rounds: 300})
					if err != nil {
						t.Fatal(err)
					}
					fmt.Println(f[18:30], l, p, bias, r.Draft.Statement.Solver, r.Status, r.Rounds, r.Jobs, r.Output[0].Certificate.Relative(), r.Output[0].Certificate.Primal, time.Since(begun).Round(time.Millisecond))
				}
			}
		}
	}
}
