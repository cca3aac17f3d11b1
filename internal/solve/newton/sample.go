package newton

import (
	"math/rand/v2"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/problem"
)

// classes returns how many rows of each class there are, the negative one first, and
// belong into a sample: as many of both classes if there are two, because what a rare
// one has to say is in few rows.
func classes(p *problem.Linear, rows int) (count, quota []int) {
	count = []int{len(p.Y)}
	if _, ok := p.Loss.(loss.Margin); ok {
		positive := 0
		for _, y := range p.Y {
			positive += class(y)
		}
		count = []int{len(p.Y) - positive, positive}
	}
	quota = make([]int, len(count))
	for k, c := range count {
		quota[k] = min(c, rows/len(count))
	}
	return count, quota
}

// sampled reports whether of so many rows each class would have its share, and at least
// classRows for each column.
func sampled(p *problem.Linear, rows int) bool {
	_, d := p.Dims()
	_, quota := classes(p, rows)
	return !parts.Ablated.Has(parts.WithoutSample) && slices.Min(quota) >= classRows*d
}

// A cell is some rows of a class, of which one is picked.
type cell struct {
	number, seen, end, pick int     // rows of the class seen so far, where it ends
	all, part               float64 // weights of the class, and of the rows picked
}

// sample returns a problem of about that many rows of p, which stand for all with
// the weight of their class. Of as many cells as there are rows to pick, each gives
// one, at random but always the same.
func sample(p *problem.Linear, rows int) *problem.Linear {
	count, quota := classes(p, rows)
	random := rand.NewPCG(uint64(len(p.Y)), uint64(rows))
	var cells [2]cell
	for k := range count {
		if quota[k] == 0 {
			cells[k].end, cells[k].pick = -1, -1 // none
		}
	}
	picked := make([]uint32, 0, rows)
	one := len(count) - 1 // 0: all rows are of one class
	weight := p.S[:len(p.Y)]
	for i, y := range p.Y {
		k := class(y) & one
		c, s := &cells[k], weight[i]
		if c.seen == c.end {
			c.number++
			c.end = int(int64(c.number) * int64(count[k]) / int64(quota[k])) // also where ints have 32 bits
			c.pick = c.seen + int(parts.Below(random, uint64(c.end-c.seen)))
		}
		if c.seen == c.pick {
			picked = append(picked, uint32(i))
			c.part += s
		}
		c.seen++
		c.all += s
	}
	q := subset(p, picked)
	share := [2]float64{cells[0].all / cells[0].part, cells[1].all / cells[1].part}
	for j, y := range q.Y {
		q.S[j] *= share[class(y)&one]
	}
	return q
}

const (
	fewestRows    = 4096 // from here on samples are worth it; it is also the least sample,
	sampleColumns = 32   // which has so many rows for each column,
	sampleShare   = 4    // unless it would be more than one row of so many,
	classRows     = 4    // and no sample at all if a class has less for each column
	sampleEnd     = 0.07 // of the first m: what is finer is of the sample alone
	warmStart     = 0.5  // of the first m
)

// sampleRows returns the size of a sample.
func sampleRows(p *problem.Linear) int {
	n, d := p.Dims()
	return min(n/sampleShare, max(fewestRows, sampleColumns*d))
}
