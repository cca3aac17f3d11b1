package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/fenchel-ml/fenchel/train"
)

// display shows how training goes on standard error: a bar on a terminal, else
// one line for each certificate, but at most two a second.
type display struct {
	w    io.Writer
	goal float64
	bar  *progressbar.ProgressBar // nil: plain lines
	last time.Time

	share []float64 // of each class, how far it has come
}

// steps is the length of the bar.
const steps = 1000

func newDisplay(w io.Writer, goal float64) *display {
	d := &display{w: w, goal: goal}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		d.bar = progressbar.NewOptions(steps, progressbar.OptionSetWriter(w), progressbar.OptionSetWidth(20),
			progressbar.OptionClearOnFinish(), progressbar.OptionSetElapsedTime(false), progressbar.OptionSetPredictTime(true))
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
	d.bar.Describe(line)
	_ = d.bar.Set(int(steps * d.progress(p))) // a terminal that cannot be written to is no reason to stop
}

// rows displays how many rows of a stream were learned. How many there will be
// nobody knows.
func (d *display) rows(n int) {
	if n == 0 || time.Since(d.last) < 500*time.Millisecond {
		return
	}
	if d.last = time.Now(); d.bar != nil {
		d.bar.Describe(fmt.Sprintf("%d rows", n))
		_ = d.bar.RenderBlank()
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
		_ = d.bar.Finish()
	}
}
