// Package terminal shows how a run goes while it lasts: one line at the bottom of a
// terminal, written anew, or plain lines in a file or pipe.
package terminal

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel/data"
)

// A Display says on standard error what goes on: on a terminal in one line that is written anew
// several times a second, elsewhere in a line now and then.
type Display struct {
	Screen *screen
	Now    func() time.Time
	State  progress // what goes on
	over   chan struct{}
	ended  chan struct{} // closed when nothing is shown any more
}

const (
	refresh   = 200 * time.Millisecond // between two versions of the line
	lineEvery = 500 * time.Millisecond // between two lines that are not on a terminal, at least
	lineAfter = 10 * time.Second       // and after which there is one though nothing has happened
)

// NewDisplay begins to show how things go on w, the standard error of a command.
func NewDisplay(w io.Writer) *Display {
	s, ok := w.(*screen)
	if !ok {
		s = NewScreen(w)
	}
	d := &Display{Screen: s, Now: time.Now, over: make(chan struct{}), ended: make(chan struct{})}
	d.State.begin(d.Now())
	go d.run()
	return d
}

// run shows what goes on until done is called.
func (d *Display) run() {
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
func (d *Display) tick() {
	now := d.Now()
	if d.Screen.IsTerminal() {
		d.Screen.show(d.State.Line(now, d.Screen.width()-1))
	} else if line := d.State.plain(now, lineAfter); line != "" {
		fmt.Fprintln(d.Screen, line)
	}
}

// Told shows that something has happened where there is no terminal.
func (d *Display) Told() {
	if d == nil || d.Screen.IsTerminal() {
		return
	}
	if line := d.State.plain(d.Now(), lineEvery); line != "" {
		fmt.Fprintln(d.Screen, line)
	}
}

// Phase begins another phase. A nil display shows nothing.
func (d *Display) Phase(name string) {
	if d != nil {
		d.State.enter(name, d.Now())
	}
}

// Learned shows how many rows of a stream were learned.
func (d *Display) Learned(rows int) {
	if d != nil {
		d.State.learned(rows)
		d.Phase("learning")
		d.Told()
	}
}

// Say shows how far a phase is, in words, and by how much of it is done; of 0: it is not known how much there is.
func (d *Display) Say(phase, words string, done, of int) {
	if d != nil {
		d.State.say(phase, words, float64(done)/float64(max(of, 1)), d.Now())
	}
}

// Searching is the phase of a search.
const Searching = "searching"

// Reading begins to show how many bytes of the sources are read, in a phase of that name.
func (d *Display) Reading(name string, opt *data.Options) {
	if d == nil {
		return
	}
	opt.Tally = new(data.Tally)
	d.State.watch(opt.Tally)
	d.Phase(name)
}

// Done takes the line away.
func (d *Display) Done() {
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
	if d.Screen.IsTerminal() {
		d.Screen.show("")
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
