package gram

// A table is the whole matrix, computed once: many problems on parts of the same rows, such
// as the folds of a cross-validation, and on the same rows with other parameters take their
// values from it instead of computing them again. The values have the bits of those that
// are computed, as all values in double precision have. Columns that follow each other in it are
// read without a copy: rows of one fold should follow each other.
type table[T float32 | float64] struct {
	value  []T // K_ij is value[i*stride+j]
	stride int
}

// row returns the values of row i.
func (t *table[T]) row(i uint32) []T { return t.value[int(i)*t.stride:][:t.stride] }

// A subset of a table is the matrix of some of its rows.
type subset[T float32 | float64] struct {
	*table[T]
	columns   []uint32 // of the table, one for each row of the matrix
	ends      []uint32 // columns[k] to columns[ends[k]-1] follow each other
	scattered bool     // nowhere so many do that they are used where they are
}

func subsetOf[T float32 | float64](t *table[T], columns []uint32) *subset[T] {
	p := &subset[T]{t, columns, make([]uint32, len(columns)), true}
	for k := len(columns) - 1; k >= 0; k-- {
		p.ends[k] = uint32(k + 1)
		if k+1 < len(columns) && columns[k+1] == columns[k]+1 {
			p.ends[k] = p.ends[k+1]
		}
		p.scattered = p.scattered && int(p.ends[k])-k < sideBySide
	}
	return p
}

// sideBySide is how many columns are used where they are: fewer are gathered with those around.
const sideBySide = 64

// ranges splits the columns lo to hi into ranges, each with the column of the table at which it
// begins, or -1 if its columns do not follow each other.
func (p *subset[T]) ranges(lo, hi int, use func(lo, hi, at int)) {
	if p.scattered {
		use(lo, hi, -1)
		return
	}
	end := func(k int) int { return min(hi, int(p.ends[k])) }
	for lo < hi {
		to, at := end(lo), int(p.columns[lo])
		if to-lo < sideBySide {
			for at = -1; to < hi && end(to)-to < sideBySide; {
				to = end(to)
			}
		}
		use(lo, to, at)
		lo = to
	}
}

// copyRow sets dst to what row i of p has from column first on.
func copyRow[D, T float32 | float64](dst []D, p *subset[T], i, first int) {
	row := p.row(p.columns[i])
	same, _ := any(row).([]D)
	p.ranges(first, first+len(dst), func(lo, hi, at int) {
		if at >= 0 && same != nil {
			copy(dst[lo-first:hi-first], same[at:])
		} else {
			gatherFrom(dst[lo-first:], row, p.columns[lo:hi])
		}
	})
}

// gatherFrom sets dst to the elements of a row with these numbers.
func gatherFrom[D, T float32 | float64](dst []D, row []T, columns []uint32) {
	dst = dst[:len(columns)]
	for k, j := range columns {
		dst[k] = D(row[j])
	}
}

// inOrder returns the numbers from 0 to n-1.
func inOrder[I int | uint32](n int) []I {
	numbers := make([]I, n)
	for j := range numbers {
		numbers[j] = I(j)
	}
	return numbers
}

// among returns the subset of some of the rows; nil: all.
func (p *subset[T]) among(rows []int) *subset[T] {
	if rows == nil {
		return p
	}
	columns := make([]uint32, len(rows))
	for k, i := range rows {
		columns[k] = p.columns[i]
	}
	return subsetOf(p.table, columns)
}
