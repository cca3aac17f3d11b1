package terminal

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
)

// How far a command is, in words.

// Line says what goes on in at most so many letters.
func (p *progress) Line(now time.Time, width int) string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.name == "" {
		return ""
	}
	return fit(p.parts(now), max(width, 0))
}

// parts are those of a line.
func (p *progress) parts(now time.Time) []part {
	parts := []part{{0, p.name + " " + passed(now.Sub(p.begun))}}
	switch {
	case strings.HasPrefix(p.name, "reading"):
		parts = append(parts, p.readParts(now)...)
	case p.name == "learning":
		parts = append(parts, part{1, printing.Count(p.rows, "row")})
	case p.trains():
		parts = append(parts, p.trainParts(now)...)
	case p.words != "":
		parts = append(parts, part{1, p.words}, part{2, remaining(now.Sub(p.begun), p.done)})
	}
	return parts
}

// readParts say how far reading is.
func (p *progress) readParts(now time.Time) []part {
	done, total := p.tally.Bytes()
	switch {
	case done == 0:
		return nil
	case total == 0:
		return []part{{1, megabytes(done)}}
	}
	share := float64(done) / float64(total)
	return []part{{1, fmt.Sprintf("%.0f %% of %s", math.Floor(100*share), megabytes(total))}, {2, remaining(now.Sub(p.begun), share)}, {3, bar(share)}}
}

// trainParts say how far training is.
func (p *progress) trainParts(now time.Time) []part {
	o, share, proved := p.least(), 0.0, 0
	for _, x := range p.outputs {
		share += x.share / float64(len(p.outputs))
		if x.proved {
			proved++
		}
	}
	classes := ""
	if len(p.outputs) > 1 {
		classes = fmt.Sprintf("%d of %d classes proved", proved, len(p.outputs))
	}
	gap := "gap not yet known"
	switch {
	case o.gap > 0 && o.estimated:
		gap = fmt.Sprintf("gap about %.1e", o.gap)
	case o.gap > 0 || o.proved:
		gap = fmt.Sprintf("gap %.2e", o.gap)
	}
	epoch := o.epoch
	if p.name == "training" {
		epoch++ // that is being made
	}
	values, left, bars := "", "", ""
	if p.values != nil {
		if n := p.values().Computed; n > 0 {
			values = fmt.Sprintf("%s kernel values", millions(n))
		}
	}
	if rest := p.left(now); rest > 0 {
		left = leftOver(rest)
	}
	if share > 0 {
		bars = bar(share)
	}
	return []part{{4, classes}, {2, fmt.Sprintf("epoch %d", epoch)}, {1, gap}, {5, p.test}, {6, values}, {3, left}, {7, bars}}
}

// least returns the standing of the output that has come least far; as long as some have not
// begun, that of the one heard of last.
func (p *progress) least() (o standing) {
	for k, x := range p.outputs {
		if !x.begun {
			return p.outputs[p.latest]
		}
		if k == 0 || o.proved && !x.proved || o.proved == x.proved && x.share < o.share {
			o = x
		}
	}
	return o
}

// plain says what goes on where there is no terminal, if the last time was so long ago.
func (p *progress) plain(now time.Time, pause time.Duration) string {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	last := p.told
	if last.IsZero() && pause == lineAfter {
		last = p.start
	}
	if now.Sub(last) < pause || p.name == "" {
		return ""
	}
	switch p.told = now; {
	case pause == lineAfter || len(p.outputs) == 0 && p.name != "learning":
		return fit(p.parts(now), 200)
	case p.name == "learning":
		return fmt.Sprintf("%d rows", p.rows)
	}
	o := p.outputs[p.latest]
	line := fmt.Sprintf("epoch %d  primal %.8g  dual %.8g  gap %.2e", o.epoch, o.primal, o.dual, o.gap)
	if math.IsInf(o.dual, -1) { // no bound yet, or ever
		line = fmt.Sprintf("epoch %d  primal %.8g", o.epoch, o.primal)
	}
	if len(p.outputs) > 1 {
		line = fmt.Sprintf("class %d of %d  %s", p.latest+1, len(p.outputs), line)
	}
	return line
}

// bar draws a share.
func bar(share float64) string {
	const length = 12
	done := int(math.Floor(length * max(0, min(share, 1))))
	return "[" + strings.Repeat("#", done) + strings.Repeat("-", length-done) + "]"
}

// passed writes a time that has passed, at first so that it is seen to move.
func passed(d time.Duration) string {
	if d < 10*time.Second {
		return fmt.Sprintf("%.1fs", math.Floor(10*d.Seconds())/10)
	}
	return clock(d)
}

// clock writes a time in whole seconds.
func clock(d time.Duration) string {
	switch s := int(d / time.Second); {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	default:
		return fmt.Sprintf("%dh%02dm", s/3600, s/60%60)
	}
}

// leftOver writes a time to come, which is an estimate.
func leftOver(d time.Duration) string {
	if d < time.Second {
		return "under 1s left"
	}
	return clock(d.Round(time.Second)) + " left"
}

// megabytes writes a number of bytes, millions of anything else.
func megabytes(n int64) string { return fmt.Sprintf("%.3g MB", float64(n)/1e6) }

func millions(n int64) string {
	if n < 1e6 {
		return fmt.Sprint(n)
	}
	return fmt.Sprintf("%.4g M", float64(n)/1e6)
}
