package dual

import (
	"bytes"
	"encoding/gob"
	"math"
	"slices"
	"testing"
)

// Numbers arrive as they were sent, bit for bit, in fewer bytes where most are 0; bytes that are cut or changed are an error.
func TestNumbers(t *testing.T) {
	sparse := make(Numbers, 100)
	sparse[3], sparse[99], sparse[7] = 1.5, math.Copysign(0, -1), math.Inf(1)
	for _, c := range []struct {
		n    Numbers
		size int
	}{{nil, 5}, {Numbers{}, 5}, {Numbers{0}, 5}, {Numbers{math.NaN(), -1, 1e-310}, 29}, {Numbers{0, 0, 1}, 17}, {Numbers{0, 2, 1}, 29}, {sparse, 41}} {
		raw, err := c.n.GobEncode()
		if err != nil || len(raw) != c.size {
			t.Errorf("%v: found %d bytes, error %v, expected %d bytes", c.n, len(raw), err, c.size)
		}
		var b bytes.Buffer
		var back struct{ N Numbers }
		if err := gob.NewEncoder(&b).Encode(struct{ N Numbers }{c.n}); err != nil {
			t.Fatal(err)
		}
		if err := gob.NewDecoder(&b).Decode(&back); err != nil || !slices.EqualFunc(back.N, c.n, func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }) {
			t.Errorf("%v: found %v, error %v", c.n, back.N, err)
		}
	}
	raw, _ := sparse.GobEncode()
	beyond := slices.Clone(raw)
	beyond[5] = 100
	for _, bad := range [][]byte{nil, raw[:4], raw[:len(raw)-1], beyond, {2, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 1}} {
		if err := new(Numbers).GobDecode(bad); err == nil {
			t.Errorf("%v: found no error", bad)
		}
	}
}
