package dual

import (
	"math"
	"math/bits"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/problem"
)

// columnSigmas is how much partitions hold back, by column, where they are more than two
// and the rows sparse. What most rows use, all partitions correct at once and in the same
// direction; what few use, one of them corrects, or several in directions that cancel.
// CoCoA+ (Ma et al. 2015) has one sigma for all columns, and so with many partitions steps
// as short as the common ones need. Its proof only asks for
//
//	sum_j (sum_p c_pj)^2 <= sum_j sigma_j sum_p c_pj^2
//
// of the changes c_p that a round merges. So sigma_j is measured: it is the ratio of both
// sums over the columns that about as many rows use, in the rounds since the last measure.
type columnSigmas struct {
	x     *matrix.CSR
	sigma []float64 // d+1, the constant column last
	norm  []float64 // n: sum_j sigma_j x_ij^2
	group []uint8   // d+1: the bits of the number of rows that use the column

	merged, apart []float64 // d+1: both sums of a column, since the last measure
	measure       uint32    // epoch of the next one
}

// newColumnSigmas begins with one sigma for all columns of x, the matrix of r.
func newColumnSigmas(r *problem.Rows, x *matrix.CSR) *columnSigmas {
	n, d := x.Dims()
	c := &columnSigmas{x: x, sigma: make([]float64, d+1), norm: make([]float64, n), group: make([]uint8, d+1),
		merged: make([]float64, d+1), apart: make([]float64, d+1)}
	rows := make([]uint32, d+1)
	rows[d] = uint32(n)
	for _, j := range x.Index {
		rows[j]++
	}
	vec.ScaledAdd(c.norm, 0, firstSigma, r.SquaredNorm)
	for j := range rows {
		c.group[j], c.sigma[j] = groupOf(rows[j]), firstSigma
	}
	return c
}

// groups is how many groups of columns there are.
const groups = 33

// groupOf is that of a column which so many rows use.
func groupOf(rows uint32) uint8 { return uint8(bits.Len32(rows)) }

// Groups returns the group of each column, by how many rows use it.
func Groups(rows []float64) []uint8 {
	of := make([]uint8, len(rows))
	for j, n := range rows {
		of[j] = groupOf(uint32(min(n, math.MaxUint32)))
	}
	return of
}

// weigh computes the norms of rows; those of others may be of earlier sigmas, which only
// makes their steps longer or shorter.
func (c *columnSigmas) weigh(rows []uint32, threads int) {
	parallel.Blocks(len(rows), parts.BlockRows, threads, func(_, lo, hi int) {
		for _, i := range rows[lo:hi] {
			row, sum := c.x.Row(int(i)), 0.0
			for k, j := range row.Index {
				v := float64(row.Value[k])
				sum += float64(c.sigma[j] * float64(v*v))
			}
			c.norm[i] = sum
		}
	})
}

// add adds a row, times change and the sigmas, to u.
func (c *columnSigmas) add(u []float64, change float64, index []uint32, value []float32) {
	sigma := c.sigma[:len(u)]
	for k, j := range index {
		u[j] += float64(float64(change*sigma[j]) * float64(value[k]))
	}
}

// join adds the changes of partitions to weights u, of the columns from lo on, leaves them in
// change, and returns <u, change>, with u as it was, and |change|^2.
func (c *columnSigmas) join(u, change []float64, parts []partition, lo int) (along, squared float64) {
	hi := lo + len(u)
	sigma, merged, apart := c.sigma[lo:hi], c.merged[lo:hi], c.apart[lo:hi]
	clear(change)
	for p := range parts {
		for k, v := range parts[p].u[lo:hi] {
			by := (v - u[k]) / sigma[k]
			change[k] += by
			apart[k] += float64(by * by)
		}
	}
	for k, by := range change {
		merged[k] += float64(by * by)
	}
	along, squared = vec.Dot64(u, change), vec.SquaredNorm64(change)
	vec.Axpy64(u, 1, change)
	return along, squared
}

// learn sets the sigmas by the rounds since the last time, half of the way (their ratios
// swing, because long steps overshoot and short ones do not), and weighs the rows that are
// awake. That is a pass over them, made ever more rarely.
func (c *columnSigmas) learn(epoch uint32, awake []uint32, parts, threads int) {
	if c.relearn(epoch, parts) {
		c.weigh(awake, threads)
	}
}

// relearn is learn without the rows, and reports whether the sigmas may have changed.
func (c *columnSigmas) relearn(epoch uint32, parts int) bool {
	if epoch < c.measure {
		return false
	}
	c.measure = epoch + 1 + epoch/4
	var merged, apart [groups]float64
	for j, g := range c.group {
		merged[g] += c.merged[j]
		apart[g] += c.apart[j]
	}
	for j, g := range c.group {
		if apart[g] > 0 {
			c.sigma[j] = math.Sqrt(c.sigma[j] * min(max(leastSigma, merged[g]/apart[g]), float64(parts)))
		}
	}
	clear(c.merged)
	clear(c.apart)
	return true
}

// Where sigma begins, and its lower bound; see adapt.
const firstSigma, leastSigma = 2, 1.1
