package terminal

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// stepOf and lookOf are what a run of a class tells.
func stepOf(class, classes, epoch int, estimate float64, certifying bool) fenchel.Step {
	return fenchel.Step{Output: fenchel.Output{Class: class, Classes: classes}, Step: solver.Step{Epoch: epoch, Estimate: estimate, Certifying: certifying},
		Evaluations: func() gram.Counts { return gram.Counts{Computed: int64(epoch) * 2_500_000} }}
}

func lookOf(class, classes, epoch int, gap float64) fenchel.Progress {
	return fenchel.Progress{Output: fenchel.Output{Class: class, Classes: classes},
		Progress: solver.Progress{Epoch: epoch, Certificate: problem.Certificate{Primal: 1, Dual: 1 - gap}}}
}

// TestProgressOfALongRun follows a run by a clock of its own: the time that has passed always
// moves, nothing is said that is not known, and a time left is never 0.
func TestProgressOfALongRun(t *testing.T) {
	start := time.Unix(1000, 0)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	var p progress
	p.begin(start)
	p.Aim(fenchel.Spec{Gap: 1e-4})
	if line := p.Line(start, 79); line != "" {
		t.Errorf("found %q before anything is done", line)
	}
	p.enter("preparing", at(0))
	p.Step(stepOf(0, 1, 0, math.NaN(), false), at(1))
	for _, c := range []struct {
		what func()
		now  float64
		want string
	}{
		{func() {}, 1, "training 0.0s  epoch 1  gap not yet known"},
		{func() {}, 13, "training 12s  epoch 1  gap not yet known"},
		{func() { p.Step(stepOf(0, 1, 1, 0.5, false), at(14)) }, 14, "training 13s  epoch 2  gap about 5.0e-01  2.5 M kernel values  2m40s left"},
		{func() { p.Step(stepOf(0, 1, 2, 0.01, true), at(20)) }, 21, "certifying 20s  epoch 2  gap about 1.0e-02  5 M kernel values  20s left"},
		{func() { p.Certified(lookOf(0, 1, 2, 0.02), at(22)) }, 22, "training 21s  epoch 3  gap 2.00e-02  5 M kernel values  21s left"},
		{func() { p.Tested("test error 3.20 %") }, 22, "training 21s  epoch 3  gap 2.00e-02  test error 3.20 %  21s left"},
		{func() { p.Certified(lookOf(0, 1, 3, 1e-4), at(25)) }, 25, "training 24s  epoch 4  gap 1.00e-04  test error 3.20 %  5 M kernel values"},
		{func() { p.enter("writing", at(26)) }, 28, "writing 2.0s"},
	} {
		c.what()
		line := p.Line(at(c.now), 79)
		if found := strings.TrimSpace(regexp.MustCompile(`\[[#-]*\]`).ReplaceAllString(line, "")); found != c.want {
			t.Errorf("found %q, expected %q", found, c.want)
		}
	}
}

// TestProgressFits: whatever is known, a line is no longer than the terminal is wide, and the
// narrower it is the less it says, the phase and the time last.
func TestProgressFits(t *testing.T) {
	start := time.Unix(1000, 0)
	var p progress
	p.begin(start)
	p.Aim(fenchel.Spec{Gap: 1e-9, Run: fenchel.Run{Epochs: 1e6, Time: 100 * time.Hour}})
	for class := range 100 {
		p.Step(stepOf(class, 100, 12345, 0.0123, false), start)
		p.Certified(lookOf(class, 100, 12345, 0.0123), start)
	}
	p.Tested("test error 12.34 %")
	last := 0
	for width := range 200 {
		line := p.Line(start.Add(7*time.Hour), width)
		if n := utf8.RuneCountInString(line); n > width || n < min(last, width) {
			t.Errorf("%d: found %d letters: %q", width, n, line)
		}
		if width >= 17 && !strings.HasPrefix(line, "training 7h00m") {
			t.Errorf("%d: found %q", width, line)
		}
		last = min(utf8.RuneCountInString(line), 15)
	}
	for _, want := range []string{"gap 1.23e-02", "epoch 12346", "left", "0 of 100 classes proved"} {
		if line := p.Line(start.Add(7*time.Hour), 79); !strings.Contains(line, want) {
			t.Errorf("found %q in 79 letters, expected %q", line, want)
		}
	}
}

// TestTimeLeft: it is that of the limit which comes first, and not known at the beginning.
func TestTimeLeft(t *testing.T) {
	start := time.Unix(1000, 0)
	for _, c := range []struct {
		spec    fenchel.Spec
		epoch   int
		gap     float64
		elapsed time.Duration
		want    time.Duration
	}{
		{fenchel.Spec{Gap: 1e-4}, 1, 0.9, time.Minute, 0}, // hardly anything is done
		{fenchel.Spec{Gap: 1e-4}, 1, 1e-2, time.Millisecond, 0},
		{fenchel.Spec{Gap: 1e-4}, 1, 1e-2, time.Minute, time.Minute},
		{fenchel.Spec{Gap: 1e-4, Run: fenchel.Run{Epochs: 4}}, 3, 0.9, time.Minute, 20 * time.Second},
		{fenchel.Spec{Gap: 1e-4, Run: fenchel.Run{Time: 90 * time.Second}}, 1, 0.9, time.Minute, 30 * time.Second},
		{fenchel.Spec{Gap: 1e-4, Run: fenchel.Run{Time: time.Hour}}, 1, 1e-2, time.Minute, time.Minute},
		{fenchel.Spec{Gap: 1e-4, Run: fenchel.Run{Time: time.Second}}, 1, 0.9, time.Minute, 0}, // long over
	} {
		var p progress
		p.begin(start)
		p.Aim(c.spec)
		p.Certified(lookOf(0, 1, c.epoch, c.gap), start)
		if got := p.left(start.Add(c.elapsed)).Round(time.Second); got != c.want {
			t.Errorf("%+v: found %s, expected %s", c, got, c.want)
		}
	}
	if got := leftOver(300 * time.Millisecond); got != "under 1s left" {
		t.Errorf("found %q", got)
	}
}

// TestProgressOfSearch: a search says how far it is, and when it will be done.
func TestProgressOfSearch(t *testing.T) {
	start := time.Unix(1000, 0)
	at := func(seconds float64) time.Time { return start.Add(time.Duration(seconds * float64(time.Second))) }
	var p progress
	p.begin(start)
	p.enter(Searching, at(0))
	for _, c := range []struct {
		what func()
		now  float64
		want string
	}{
		{func() {}, 1, "searching 1.0s"},
		{func() { p.say(Searching, "1 of 40 models", 1./40, at(2)) }, 2, "searching 2.0s  1 of 40 models"}, // too little to tell
		{func() { p.say(Searching, "10 of 40 models, best C=1: 0.9", 10./40, at(4)) }, 4, "searching 4.0s  10 of 40 models, best C=1: 0.9  12s left"},
		{func() { p.say(Searching, "40 of 40 models", 1, at(9)) }, 9, "searching 9.0s  40 of 40 models  under 1s left"},
		{func() { p.enter("preparing", at(10)) }, 12, "preparing 2.0s"},
	} {
		if c.what(); p.Line(at(c.now), 200) != c.want {
			t.Errorf("found %q, expected %q", p.Line(at(c.now), 200), c.want)
		}
	}
}

// TestProgressOfReading: the bytes that are read, of a compressed file as it is stored.
func TestProgressOfReading(t *testing.T) {
	start := time.Unix(1000, 0)
	for _, c := range []struct {
		source string
		want   string
	}{{"file", `^reading 2.0s  100 % of 0\.\d+ MB  under 1s left  \[############\]$`}, {"-", `^reading 2.0s  2\.2 MB$`}} {
		path, text := t.TempDir()+"/rows.svm.gz", strings.Repeat("1 1:0.5 2:7\n-1 2:1\n", 115790)
		if c.source == "file" {
			gzipped(t, path, text)
		} else {
			path = "-"
		}
		var p progress
		p.begin(start)
		opt := data.Options{Source: data.Source{Stdin: strings.NewReader(text), Tally: new(data.Tally)}}
		p.watch(opt.Tally)
		p.enter("reading", start)
		if line := p.Line(start, 79); line != "reading 0.0s" {
			t.Errorf("found %q before anything is read", line)
		}
		if _, err := data.Read(t.Context(), []string{path}, opt); err != nil {
			t.Fatal(err)
		}
		if line := p.Line(start.Add(2*time.Second), 79); !regexp.MustCompile(c.want).MatchString(line) {
			t.Errorf("found %q, expected %s", line, c.want)
		}
	}
}

// TestPlainLines: without a terminal there is a line for a certificate, but no more than two a
// second, and one now and then where nothing happens.
func TestPlainLines(t *testing.T) {
	var out bytes.Buffer
	now := time.Unix(1000, 0)
	d := &Display{Screen: NewScreen(&out), Now: func() time.Time { return now }}
	d.State.begin(now)
	d.State.Aim(fenchel.Spec{Gap: 1e-3})
	d.State.Step(stepOf(1, 3, 0, math.NaN(), false), now)
	for range 250 { // 50 seconds
		d.tick()
		now = now.Add(refresh)
	}
	if got, want := strings.Count(out.String(), "\n"), 4; got != want || !strings.HasPrefix(out.String(), "training 10s  0 of 3 classes proved  epoch 1  gap not yet known\n") {
		t.Errorf("found %d lines, expected %d:\n%s", got, want, out.String())
	}
	out.Reset()
	for epoch := range 100 { // 10 seconds
		d.State.Certified(lookOf(1, 3, epoch, 0.5), now)
		d.Told()
		d.tick()
		now = now.Add(100 * time.Millisecond)
	}
	if got := strings.Count(out.String(), "\n"); got != 20 || !strings.HasPrefix(out.String(), "class 2 of 3  epoch 0  primal 1  dual 0.5  gap 5.00e-01\n") {
		t.Errorf("found %d lines, expected 20:\n%s", got, out.String())
	}
}

// TestScreen: what is printed comes above the line, and a shorter line leaves nothing of a longer
// one.
func TestScreen(t *testing.T) {
	var out bytes.Buffer
	s := &screen{w: &out, width: func() int { return 80 }}
	s.show("reading 1s  100 %")
	s.show("writing")
	fmt.Fprint(s, "a warning\n")
	s.show("writing 2s")
	s.show("")
	if got := terminalText(&out); got != "a warning\n" {
		t.Errorf("found %q, expected the warning alone", got)
	}
}

// terminalText returns what a terminal shows after all of r, without blanks at the end.
func terminalText(r io.Reader) string {
	text, _ := io.ReadAll(r)
	lines, at := [][]rune{nil}, 0
	for _, c := range string(text) {
		line := &lines[len(lines)-1]
		switch c {
		case '\r':
			at = 0
		case '\b':
			at--
		case '\n':
			lines, at = append(lines, nil), 0
		default:
			if at == len(*line) {
				*line = append(*line, ' ')
			}
			(*line)[at] = c
			at++
		}
	}
	var all []string
	for _, line := range lines {
		all = append(all, strings.TrimRight(string(line), " "))
	}
	return strings.Join(all, "\n")
}

// gzipped writes a compressed file.
func gzipped(t *testing.T, path, text string) {
	t.Helper()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = io.WriteString(w, text)
	if err := errors.Join(w.Close(), os.WriteFile(path, packed.Bytes(), 0o666)); err != nil {
		t.Fatal(err)
	}
}
