package view

import "sync/atomic"

// Work is how much of the rows a method has read.
type Work struct{ rows, more atomic.Int64 }

// Passes returns how often all of n rows were read.
func (w *Work) Passes(n int) float64 { return float64(w.rows.Load()) / float64(max(n, 1)) }

// Numbers returns how many stored numbers were touched, if all of n rows have so many.
func (w *Work) Numbers(n int, stored int64) float64 {
	return w.Passes(n)*float64(stored) + float64(w.more.Load())
}

// CountReads counts rows that were read, and numbers that were touched once more.
func (r Rows) CountReads(rows int, more int64) {
	if r.Work != nil {
		r.Work.rows.Add(int64(rows))
		r.Work.more.Add(more)
	}
}
