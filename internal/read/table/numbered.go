package table

import (
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// numbered reports whether a column of numbers numbers the rows: consecutive integers in
// any order; integers that are all different, where the name says that they are ids; any
// integers where a header has no name for them, as pandas and R write the names of rows. A
// column that does not costs a look at a few rows.
func (t *table) numbered(slot, at int) bool {
	name := t.schema.Columns[at].Name
	named := namesRows(name)
	switch {
	case t.missing[slot] > 0:
		return false
	case t.kinds[at].unnamed:
		return t.allWhole(slot)
	case t.count < leastRows(name) || !t.wholeAtFirst(slot, named):
		return false
	case named:
		return t.allWhole(slot) && t.allDiffer(slot)
	}
	return !namesTime(name) && t.consecutive(slot)
}

// each calls do for the cells of a slot, row by row, while it returns true.
func (t *table) each(slot int, do func(row int, cell uint32) bool) bool {
	row := 0
	for _, p := range t.parts {
		for i := range p.rows {
			if !do(row, p.at(i, slot)) {
				return false
			}
			row++
		}
	}
	return true
}

// at returns one cell.
func (c *cells) at(row, slot int) uint32 {
	if cell := c.ref(row, slot); cell != nil {
		return *cell
	}
	return 0
}

// ref returns where a cell is, nil if it is a zero that is left out.
func (c *cells) ref(row, slot int) *uint32 {
	if c.column == nil {
		return &c.cell[row*c.width+slot]
	}
	from := 0
	if row > 0 {
		from = c.end[row-1]
	}
	columns := c.column[from:c.end[row]]
	if k := sort.Search(len(columns), func(k int) bool { return columns[k] >= uint32(slot) }); k < len(columns) && columns[k] == uint32(slot) {
		return &c.cell[from+k]
	}
	return nil
}

// wholeAtFirst reports whether the first rows of a slot have integers, all different
// unless they are so large that float32 cannot tell.
func (t *table) wholeAtFirst(slot int, large bool) bool {
	var seen []int64
	first := true
	t.each(slot, func(row int, cell uint32) bool {
		v, ok := whole(cell)
		first = first && ok && (large && exceedsFloat32(v) || !slices.Contains(seen, v))
		seen = append(seen, v)
		return first && row < 32
	})
	return first
}

// exceedsFloat32 reports whether float32 cannot tell an integer from its neighbours.
func exceedsFloat32(v int64) bool { return v >= 1<<24 || v <= -1<<24 }

func (t *table) allWhole(slot int) bool {
	return t.each(slot, func(_ int, cell uint32) bool { _, ok := whole(cell); return ok })
}

// allDiffer reports whether all integers of a slot are different, as far as float32 can
// tell.
func (t *table) allDiffer(slot int) bool {
	var all []int64
	t.each(slot, func(_ int, cell uint32) bool {
		if v, _ := whole(cell); !exceedsFloat32(v) {
			all = append(all, v)
		}
		return true
	})
	slices.Sort(all)
	n := len(all)
	return len(slices.Compact(all)) == n
}

// consecutive reports whether the numbers of a slot are as many consecutive integers as
// there are rows, in any order.
func (t *table) consecutive(slot int) bool {
	n := int64(t.count)
	seen := make([]uint64, (2*n+63)/64) // of the integers from the first one less n
	lo, hi, first := int64(math.MaxInt64), int64(math.MinInt64), int64(0)
	return t.each(slot, func(row int, cell uint32) bool {
		v, ok := whole(cell)
		if row == 0 {
			first = v
		}
		bit := v - first + n
		if !ok || exceedsFloat32(v) || bit < 0 || bit >= 2*n || seen[bit/64]>>(bit%64)&1 != 0 {
			return false
		}
		seen[bit/64] |= 1 << (bit % 64)
		lo, hi = min(lo, v), max(hi, v)
		return hi-lo < n
	})
}

// whole returns the integer that a cell is.
func whole(cell uint32) (v int64, ok bool) {
	f := float64(set.AsNumber(cell))
	return int64(f), f == math.Trunc(f) && math.Abs(f) < 1<<53
}

// leastRows is how many rows it takes to believe that values are all different because
// they name the rows.
func leastRows(name string) int {
	if namesRows(name) {
		return 3
	}
	return 10
}

// namesRows reports whether the name of a column is a usual one for what names its rows.
func namesRows(name string) bool {
	lower := strings.ToLower(name)
	for _, usual := range []string{"id", "index", "uuid", "guid", "rowid", "rownames", "row.names", "row_names", "unnamed: 0"} {
		if lower == usual {
			return true
		}
	}
	for _, ending := range []string{"_id", "-id", ".id", " id", "_uuid"} {
		if strings.HasSuffix(lower, ending) {
			return true
		}
	}
	return len(name) > 2 && (strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "ID"))
}

// namesTime reports whether the name of a column says that consecutive numbers are times.
func namesTime(name string) bool {
	lower := strings.ToLower(name)
	return slices.Contains([]string{"t", "time", "year", "quarter", "month", "week", "day", "date", "hour", "minute", "second", "step", "epoch"}, lower)
}
