package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/dataset"
)

// A display says on standard error what goes on: on a terminal in one line that is written anew
// several times a second, elsewhere in a line now and then.
type display struct {
	screen *screen
	now    func() time.Time
	state  progress // what goes on
	over   chan struct{}
	ended  chan struct{} // closed when nothing is shown any more
}

const (
	refresh   = 200 * time.Millisecond // between two versions of the line
	lineEvery = 500 * time.Millisecond // between two lines that are not on a terminal, at least
	lineAfter = 10 * time.Second       // and after which there is one though nothing has happened
)

// newDisplay begins to show how things go on w, the standard error of a command.
func newDisplay(w io.Writer) *display {
	s, ok := w.(*screen)
	if !ok {
		s = newScreen(w)
	}
	d := &display{screen: s, now: time.Now, over: make(chan struct{}), ended: make(chan struct{})}
	d.state.begin(d.now())
	go d.run()
	return d
}

// run shows what goes on until done is called.
func (d *display) run() {
	defer close(d.ended)
	tick := time.NewTicker(refresh)
	defer tick.Stop()
	for {
		select {
		case <-d.over:
			return
		case <-tick.C:
			d.tick()
		}
	}
}

// tick shows what goes on now.
func (d *display) tick() {
	now := d.now()
	if d.screen.isTerminal() {
		d.screen.show(d.state.line(now, d.screen.width()-1))
	} else if line := d.state.plain(now, lineAfter); line != "" {
		fmt.Fprintln(d.screen, line)
	}
}

// told shows that something has happened where there is no terminal.
func (d *display) told() {
	if d == nil || d.screen.isTerminal() {
		return
	}
	if line := d.state.plain(d.now(), lineEvery); line != "" {
		fmt.Fprintln(d.screen, line)
	}
}

// phase begins another phase. A nil display shows nothing.
func (d *display) phase(name string) {
	if d != nil {
		d.state.enter(name, d.now())
	}
}

// learned shows how many rows of a stream were learned.
func (d *display) learned(rows int) {
	if d != nil {
		d.state.learned(rows)
		d.phase("learning")
		d.told()
	}
}

// say shows how far a search is.
func (d *display) say(words string) {
	if d != nil {
		d.state.say(searching, words, d.now())
	}
}

// searching is the phase of a search.
const searching = "searching"

// reading begins to show how many bytes of the sources are read, in a phase of that name.
func (d *display) reading(name string, opt *dataset.Options) {
	if d == nil {
		return
	}
	opt.Tally = new(dataset.Tally)
	d.state.watch(opt.Tally)
	d.phase(name)
}

// done takes the line away.
func (d *display) done() {
	if d == nil {
		return
	}
	select {
	case <-d.over:
		return
	default:
	}
	close(d.over)
	<-d.ended
	if d.screen.isTerminal() {
		d.screen.show("")
	}
}

// fit joins parts, of which the first are the most important by rank, in the order in which they
// are given, and leaves out those for which the width is not enough.
func fit(parts []part, width int) string {
	kept, used := make([]bool, len(parts)), -2
	for rank := range lastRank + 1 {
		for k, p := range parts {
			if length := utf8.RuneCountInString(p.text) + 2; p.rank == rank && p.text != "" && used+length <= width {
				kept[k], used = true, used+length
			}
		}
	}
	var texts []string
	for k, p := range parts {
		if kept[k] {
			texts = append(texts, p.text)
		}
	}
	return strings.Join(texts, "  ")
}

// lastRank is that of the first to go.
const lastRank = 7

// part is one of a line; that of rank 0 is the last to go.
type part struct {
	rank int
	text string
}
