package live

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/reportpage"
	"github.com/fenchel-ml/fenchel/tune"
)

// mostPoints is how many points of a series are kept, however long a run is.
const mostPoints = 400

// A point is numbers at a time of the run, in seconds.
type point struct {
	seconds float64
	value   [2]float64
}

// A series is points in time: of many every second one is kept, then every fourth and so on, and the last.
type series struct {
	kept        []point
	last        point
	seen, every int
}

func (s *series) add(p point) {
	s.every = max(s.every, 1)
	if s.last = p; s.seen%s.every == 0 {
		if len(s.kept) == mostPoints {
			for k := range mostPoints / 2 {
				s.kept[k] = s.kept[2*k]
			}
			s.kept, s.every = s.kept[:mostPoints/2], 2*s.every
		}
		if s.seen%s.every == 0 {
			s.kept = append(s.kept, p)
		}
	}
	s.seen++
}

// points are those that are kept.
func (s *series) points() []point {
	if s.seen == 0 || s.kept[len(s.kept)-1] == s.last {
		return s.kept
	}
	return append(slices.Clone(s.kept), s.last)
}

// track is how the training of an output goes.
type track struct {
	name              string
	epoch             int
	begun             bool
	gap, primal, dual float64 // NaN: not known; primal and dual are of the last certificate
	proved, estimated series
}

// record is what was told of a run.
type record struct {
	begun  time.Time
	goal   float64 // the gap asked for; 0: none
	tracks []track // of each class
	bounds series  // objective and bound of all classes together
	test   series
	score  string // of test
	trials []tune.Trial
	judged series // the best score so far, by models that are trained
	what   string // the score of trials
	rows   series // of a stream that were learned

	experiment string     // that runs
	work       [][]string // of it: what is counted, how much is done, and of how much
	results    [][]string // of each experiment that has ended
	latest     *reportpage.Section
}

// output is the track of one.
func (r *record) output(of fenchel.Output) *track {
	if len(r.tracks) != of.Classes {
		r.tracks, r.bounds, r.test = make([]track, of.Classes), series{}, series{}
		for k := range r.tracks {
			r.tracks[k].gap, r.tracks[k].primal, r.tracks[k].dual = math.NaN(), math.NaN(), math.NaN()
		}
	}
	t := &r.tracks[of.Class]
	t.begun, t.name = true, cmp.Or(of.Name, fmt.Sprintf("class %d", of.Class+1))
	if of.Classes == 1 {
		t.name = "gap"
	}
	return t
}

// tell has f change the record at a time of the run, in seconds.
func (p *Page) tell(f func(r *record, seconds float64)) {
	if p == nil {
		return
	}
	p.mutex.Lock()
	defer p.mutex.Unlock()
	f(&p.record, time.Since(p.record.begun).Seconds())
}

// Aim says which gap is trained for.
func (p *Page) Aim(gap float64) { p.tell(func(r *record, _ float64) { r.goal = gap }) }

// Step takes over where training is.
func (p *Page) Step(s fenchel.Step) {
	p.tell(func(r *record, seconds float64) {
		t := r.output(s.Output)
		t.epoch = s.Epoch
		if s.Estimate > 0 && !math.IsInf(s.Estimate, 1) {
			t.gap = s.Estimate
			t.estimated.add(point{seconds, [2]float64{s.Estimate}})
		}
	})
}

// Certified takes over what a certificate says.
func (p *Page) Certified(l fenchel.Progress) {
	p.tell(func(r *record, seconds float64) {
		t, c := r.output(l.Output), l.Certificate
		t.epoch = l.Epoch
		gap := c.Relative()
		if !(gap >= 0) || math.IsInf(gap, 1) {
			return
		}
		t.gap, t.primal, t.dual = gap, c.Primal, c.Dual
		t.proved.add(point{seconds, [2]float64{gap}})
		primal, dual := 0.0, 0.0
		for _, o := range r.tracks {
			primal, dual = primal+o.primal, dual+o.dual
		}
		if primal-dual >= 0 { // all are known
			r.bounds.add(point{seconds, [2]float64{primal, dual}})
		}
	})
}

// Tested takes over the error on the test data, and what it is called.
func (p *Page) Tested(value float64, name string) {
	p.tell(func(r *record, seconds float64) {
		r.score = name
		r.test.add(point{seconds, [2]float64{value}})
	})
}

// Learned takes over how many rows of a stream were learned.
func (p *Page) Learned(rows int) {
	p.tell(func(r *record, seconds float64) { r.rows.add(point{seconds, [2]float64{float64(rows)}}) })
}

// Counted takes over how much of an experiment's work is done, of a kind.
func (p *Page) Counted(experiment, kind string, done, of int) {
	p.tell(func(r *record, _ float64) {
		r.experiment = experiment
		row := []string{kind, strconv.Itoa(done), strconv.Itoa(of)}
		if i := slices.IndexFunc(r.work, func(o []string) bool { return o[0] == kind }); i >= 0 {
			r.work[i] = row
		} else {
			r.work = append(r.work, row)
		}
	})
}

// Found takes over what came out of an experiment, in words and as a section.
func (p *Page) Found(words string, s *reportpage.Section) {
	p.tell(func(r *record, _ float64) {
		r.results, r.latest, r.work = append(r.results, []string{s.Title, words}), s, nil
	})
}

// Judged takes over what a search has found, by a score.
func (p *Page) Judged(found tune.Progress, score string) {
	t := found.Latest
	if t.Scores == nil { // of a search around the search
		return
	}
	t.Scores = slices.Clone(t.Scores)
	p.tell(func(r *record, _ float64) {
		if r.what = score; found.Best != "" {
			r.judged.add(point{float64(found.Done), [2]float64{found.Score}})
		}
		name := t.String()
		r.trials = slices.DeleteFunc(r.trials, func(o tune.Trial) bool { return o.String() == name })
		r.trials = append(r.trials, t)
		r.trials = r.trials[max(0, len(r.trials)-mostRows):]
	})
}
