package gram

import "sync/atomic"

// An interruption is what a Gram and its parts ask while they compute values of the kernel.
type interruption struct {
	over func() bool // nil: nothing
	cut  atomic.Bool
}

// StopWhen makes the matrix, and its parts, ask over while they compute values of the
// kernel, on any goroutine, and leave the rest undone once that is true; nil: never.
// What they return is then incomplete, which Cut reports. It must not be called while
// values are computed.
func (g *Gram) StopWhen(over func() bool) {
	g.stop.over = over
	g.stop.cut.Store(false)
}

// Cut reports whether anything was left undone since the last call of StopWhen. Rows that
// are incomplete are not kept.
func (g *Gram) Cut() bool { return g.stop.cut.Load() }

// reached reports whether the rest is to be left undone.
func (h *interruption) reached() bool {
	if h == nil || h.over == nil {
		return false
	}
	if h.cut.Load() {
		return true
	}
	if h.over() {
		h.cut.Store(true)
		return true
	}
	return false
}
