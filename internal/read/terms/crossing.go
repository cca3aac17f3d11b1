package terms

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// A Crossing is features that are products: of each feature of one column and each of another, as their rows have them, so that a model learns what two
// columns say together. It is stored as JSON in the schema of a model.
type Crossing struct {
	Columns [2]int      `json:"columns"`         // places in the schema
	Bits    int         `json:"hash,omitempty"`  // products are numbered by a hash of their names of so many bits; 0: by Pairs
	Pairs   [][2]uint32 `json:"pairs,omitempty"` // features of the two columns, from 0, increasing: those of which some row had both
}

// mostProducts is how many products rows may have in all: they take 8 bytes each.
const mostProducts = 1 << 30

// Width is the number of features.
func (c *Crossing) Width() int {
	if c.Bits > 0 {
		return 1 << c.Bits
	}
	return len(c.Pairs)
}

// Check returns why a crossing of columns with so many features cannot be one.
func (c *Crossing) Check(first, second int) error {
	if first == 0 || second == 0 || c.Columns[0] == c.Columns[1] || c.Bits < 0 || c.Bits > mostBits || c.Bits > 0 && c.Pairs != nil {
		return fmt.Errorf("found products of columns %v with %d and %d features, %d pairs and a hash of %d bits, expected two columns that make features, and pairs or 1 to %d bits", c.Columns, first, second, len(c.Pairs), c.Bits, mostBits)
	}
	for k, p := range c.Pairs {
		if int64(p[0]) >= int64(first) || int64(p[1]) >= int64(second) || k > 0 && slices.Compare(c.Pairs[k-1][:], p[:]) >= 0 {
			return fmt.Errorf("found the pair %v of features of columns %v, expected increasing ones", p, c.Columns)
		}
	}
	return nil
}

// A Crosser appends the products of crossings to rows. Any number of goroutines may use it.
type Crosser struct {
	base uint32 // features before all products
	all  []crossed
	cols int
}

// A crossed is one crossing, and where features are.
type crossed struct {
	*Crossing
	ranges [2][2]uint32 // of features of the two columns
	at     uint32       // its first feature
	place  map[[2]uint32]uint32
	name   func(j uint32) string
}

// NewCrosser is for crossings of columns of which first and width tell the features; names are those of features before the products.
func NewCrosser(crossings []Crossing, first, width func(column int) int, base int, names []string) *Crosser {
	x := &Crosser{base: uint32(base), cols: base}
	for i := range crossings {
		c := crossed{Crossing: &crossings[i], at: uint32(x.cols), name: func(j uint32) string { return names[j] }}
		for k, column := range c.Columns {
			c.ranges[k] = [2]uint32{uint32(first(column)), uint32(first(column) + width(column))}
		}
		if c.Bits == 0 {
			c.place = make(map[[2]uint32]uint32, len(c.Pairs))
			for j, p := range c.Pairs {
				c.place[p] = uint32(j)
			}
		}
		x.all, x.cols = append(x.all, c), x.cols+c.Width()
	}
	return x
}

// within calls do with the values of a row that are not zero, of features from r[0] to r[1], which count from 0.
func within(row matrix.Vector, r [2]uint32, do func(j uint32, v float32)) {
	k := int(r[0])
	if row.Index != nil {
		k, _ = slices.BinarySearch(row.Index, r[0])
	}
	for ; k < len(row.Value) && uint32(row.Column(k)) < r[1]; k++ {
		if v := row.Value[k]; v != 0 {
			do(uint32(row.Column(k))-r[0], v)
		}
	}
}

// pairs calls do with the pairs of a row, increasing, and their products.
func (c *crossed) pairs(row matrix.Vector, do func(p [2]uint32, v float64)) {
	within(row, c.ranges[0], func(i uint32, v float32) {
		within(row, c.ranges[1], func(j uint32, w float32) { do([2]uint32{i, j}, float64(v)*float64(w)) })
	})
}

// Append appends the products of a row's features, of which it has no products yet. It returns the name of one that is too large for single precision, if one is.
func (x *Crosser) Append(row matrix.Vector) (with matrix.Vector, large string) {
	before := row
	for i := range x.all {
		c := &x.all[i]
		put := func(j uint32, v float64) {
			if math.Abs(v) > math.MaxFloat32 {
				large = x.Name(int(c.at + j))
			}
			if float32(v) != 0 {
				row.Index, row.Value = append(row.Index, c.at+j), append(row.Value, float32(v))
			}
		}
		if c.Bits == 0 {
			c.pairs(before, func(p [2]uint32, v float64) {
				if j, ok := c.place[p]; ok {
					put(j, v)
				}
			})
			continue
		}
		var found []Term
		c.pairs(before, func(p [2]uint32, v float64) {
			j, sign := place([]byte(c.pairName(p)), c.Bits)
			found = append(found, Term{j, sign * v})
		})
		for _, t := range summed(found) {
			put(t.Index, t.Count)
		}
	}
	return row, large
}

// Name names a product; j counts from the first feature of all.
func (x *Crosser) Name(j int) string {
	for i := range x.all {
		c := &x.all[i]
		if k := j - int(c.at); k >= 0 && k < c.Width() {
			if c.Bits > 0 {
				return fmt.Sprintf("#%d", k)
			}
			return c.pairName(c.Pairs[k])
		}
	}
	return ""
}

func (c *crossed) pairName(p [2]uint32) string {
	return c.name(c.ranges[0][0]+p[0]) + "*" + c.name(c.ranges[1][0]+p[1])
}

// Base is a row without its products.
func (x *Crosser) Base(row matrix.Vector) matrix.Vector {
	k, _ := slices.BinarySearch(row.Index, x.base)
	return matrix.Vector{Index: row.Index[:k], Value: row.Value[:k]}
}

// Fit gives the crossings without a hash the pairs that rows have.
func (x *Crosser) Fit(rows matrix.Matrix, threads int) {
	n, _ := rows.Dims()
	for i := range x.all {
		c := &x.all[i]
		if c.Bits > 0 {
			continue
		}
		var mutex sync.Mutex
		all := map[[2]uint32]bool{}
		parallel.Blocks(n, 1024, threads, func(_, lo, hi int) {
			here := map[[2]uint32]bool{}
			for k := lo; k < hi; k++ {
				c.pairs(rows.Row(k), func(p [2]uint32, _ float64) { here[p] = true })
			}
			mutex.Lock()
			defer mutex.Unlock()
			maps.Copy(all, here)
		})
		c.Pairs = slices.SortedFunc(maps.Keys(all), func(a, b [2]uint32) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[1], b[1])) })
	}
}

// Rows are rows with their products.
func (x *Crosser) Rows(rows matrix.Matrix, threads int) (*matrix.CSR, error) {
	n, _ := rows.Dims()
	const size = 1024
	parts, ends := make([]matrix.Vector, (n+size-1)/size), make([][]int, (n+size-1)/size)
	faults := make([]error, len(parts))
	parallel.Blocks(n, size, threads, func(b, lo, hi int) {
		part := matrix.Vector{Index: []uint32{}}
		for k := lo; k < hi; k++ {
			row, sparse := rows.Row(k), matrix.Vector{Index: []uint32{}}
			within(row, [2]uint32{0, x.base}, func(j uint32, v float32) {
				sparse.Index, sparse.Value = append(sparse.Index, j), append(sparse.Value, v)
			})
			sparse, large := x.Append(sparse)
			if large != "" && faults[b] == nil {
				faults[b] = fmt.Errorf("row %d: found a product %s that is too large for single precision, expected at most 3.4e38", k+1, large)
			}
			if part.Index, part.Value = append(part.Index, sparse.Index...), append(part.Value, sparse.Value...); len(part.Value) > mostProducts {
				faults[b] = fmt.Errorf("found more than %d products, expected fewer", mostProducts)
				break
			}
			ends[b] = append(ends[b], len(part.Value))
		}
		parts[b] = part
	})
	m := &matrix.CSR{Cols: x.cols, Start: make([]int64, 1, n+1), Index: []uint32{}}
	for b, part := range parts {
		if faults[b] != nil {
			return nil, faults[b]
		}
		before := int64(len(m.Value))
		for _, end := range ends[b] {
			m.Start = append(m.Start, before+int64(end))
		}
		m.Index, m.Value = append(m.Index, part.Index...), append(m.Value, part.Value...)
		parts[b] = matrix.Vector{}
		if len(m.Value) > mostProducts {
			return nil, fmt.Errorf("found more than %d products, expected fewer", mostProducts)
		}
	}
	return m, nil
}
