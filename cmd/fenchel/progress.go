package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/fenchel-ml/fenchel/train"
)

// display shows how training goes on standard error: a bar on a terminal, else
// one line for each certificate, but at most two a second.
type display struct {
	w    io.Writer
	goal float64
	last time.Time

	bars *mpb.Progress // nil: plain lines
	bar  *mpb.Bar
	line atomic.Value // string, beside the bar

	share []float64 // of each class, how far it has come
}

// steps is the length of the bar.
const steps = 1000

func newDisplay(w io.Writer, goal float64) *display {
	d := &display{w: w, goal: goal}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		d.line.Store("")
		d.bars = mpb.New(mpb.WithOutput(w), mpb.WithWidth(30))
		d.bar = d.bars.AddBar(steps,
			mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return d.line.Load().(string) }), decor.Percentage(decor.WCSyncSpace)),
			mpb.AppendDecorators(decor.AverageETA(decor.ET_STYLE_GO)))
	}
	return d
}

// show displays one look.
func (d *display) show(p train.Progress) {
	c := p.Certificate
	line := fmt.Sprintf("epoch %d  primal %.8g  dual %.8g  gap %.2e", p.Epoch, c.Primal, c.Dual, c.Relative())
	if p.Classes > 1 {
		line = fmt.Sprintf("class %d of %d  %s", p.Class+1, p.Classes, line)
	}
	if d.bar == nil {
		if time.Since(d.last) >= 500*time.Millisecond {
			fmt.Fprintln(d.w, line)
			d.last = time.Now()
		}
		return
	}
	d.line.Store(line)
	d.bar.SetCurrent(int64((steps - 1) * d.progress(p))) // the last step would end it
}

// rows displays how many rows of a stream were learned. How many there will be
// nobody knows.
func (d *display) rows(n int) {
	if n == 0 || time.Since(d.last) < 500*time.Millisecond {
		return
	}
	if d.last = time.Now(); d.bar != nil {
		d.line.Store(fmt.Sprintf("%d rows", n))
		return
	}
	fmt.Fprintf(d.w, "%d rows\n", n)
}

// progress estimates the share of the work that is done: gaps fall about
// geometrically, so it is linear in the logarithm.
func (d *display) progress(p train.Progress) float64 {
	if d.share == nil {
		d.share = make([]float64, p.Classes)
	}
	gap := min(max(p.Certificate.Relative(), d.goal), 1)
	share := 1.0
	if d.goal < 1 {
		share = math.Log(gap) / math.Log(d.goal)
	}
	d.share[p.Class] = max(d.share[p.Class], share)
	total := 0.0
	for _, s := range d.share {
		total += s
	}
	return total / float64(len(d.share))
}

// done removes the bar.
func (d *display) done() {
	if d.bar != nil {
		d.bar.Abort(true)
		d.bars.Wait()
	}
}
