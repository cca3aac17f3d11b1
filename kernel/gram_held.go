package kernel

// Hold returns the matrix of the same rows in double precision with all of them computed and
// kept, 8 n^2 bytes: Combine then costs no values of the kernel. Its results have the same bits
// as those of any other Gram of these rows. What is computed for it counts here too; where that
// is cut short (StopWhen) it keeps what there is.
func (g *Gram) Hold() *Gram {
	n := g.Len()
	h := g.InDouble(n + n/7 + 2) // an eighth may go to the set in blocks
	const atOnce = 256
	var rows []int
	for first := 0; first < n && h.Capacity() == n; first += atOnce {
		rows = rows[:0]
		for i := first; i < min(first+atOnce, n); i++ {
			rows = append(rows, i)
		}
		h.Rows(rows)
	}
	h.fitted, h.held = g.fitted, true
	for i := range n {
		h.held = h.held && h.Kept(i)
	}
	return h
}

// places returns the places of rows if all rows are kept: nil and the numbers of all of them
// otherwise.
func (g *Gram) places(rows []int) (place, missing []int) {
	if !g.held {
		missing = make([]int, len(rows))
		for k := range missing {
			missing[k] = k
		}
		return nil, missing
	}
	place = make([]int, len(rows))
	for k, i := range rows {
		place[k] = int(g.kept.place[i])
	}
	return place, nil
}
