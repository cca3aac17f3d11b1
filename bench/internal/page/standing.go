package page

import (
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
)

// standing is what one problem's measurements say about who was how fast.
type standing struct {
	rows []measure.Measurement // of one set, loss and lambda
}

// caseOf names a problem.
type caseOf struct{ set, loss, lambda string }

func caseKey(m measure.Measurement) caseOf { return caseOf{m.Set, m.Loss, m.Lambda} }

// standingOf keeps the rows of a problem.
func standingOf(rows []measure.Measurement, k caseOf) standing {
	return standing{measure.Where(rows, func(m measure.Measurement) bool { return caseKey(m) == k })}
}

// fenchel returns Fenchel's times to a target on so many cores.
func (s standing) fenchel(race, kind string, target float64, threads int) measure.Timing {
	return measure.TimingOf(measure.Where(s.rows, func(m measure.Measurement) bool {
		return m.Race == race && m.Kind == kind && m.Contender == measure.OwnName && m.Target == target && m.Threads == threads
	}))
}

// proof returns the seconds of proof on top of the best time.
func (s standing) proof(target float64, threads int) float64 {
	best := measure.Measurement{}
	for _, m := range s.rows {
		if m.Race == "solve" && m.Kind == "timed" && m.Contender == measure.OwnName && m.Target == target && m.Threads == threads &&
			(best.Seconds == 0 || m.Seconds < best.Seconds) {
			best = m
		}
	}
	return best.Certify
}

// liblinearCopies are the methods of scikit-learn that are LIBLINEAR.
var liblinearCopies = []string{"scikit-learn LinearSVC", "scikit-learn liblinear"}

// liblinear returns the times of LIBLINEAR's fastest way: that of the system,
// or the copy inside scikit-learn, whose limit of iterations can be lifted.
func (s standing) liblinear(race, kind string, target float64) (fastest measure.Timing, way string) {
	fastest, way = s.peer(race, kind, "liblinear", target)
	for _, copied := range liblinearCopies {
		if t, other := s.peer(race, kind, copied, target); t.Found() && (!fastest.Found() || t.Best < fastest.Best) {
			fastest, way = t, strings.TrimSpace(copied+" "+other)
		}
	}
	return fastest, way
}

// rival returns the times of a peer's fastest way, its copies elsewhere included.
func (s standing) rival(race, kind, name string, target float64) (measure.Timing, string) {
	if name == "liblinear" {
		return s.liblinear(race, kind, target)
	}
	return s.peer(race, kind, name, target)
}

// peer returns the times of a peer's fastest way to the target, and which it is.
func (s standing) peer(race, kind, name string, target float64) (fastest measure.Timing, way string) {
	reached := measure.Where(s.rows, func(m measure.Measurement) bool {
		return m.Race == race && m.Kind == kind && (m.Contender == name || strings.HasPrefix(m.Contender, name+" ")) && m.Target == target
	})
	for _, contender := range measure.Distinct(reached, func(m measure.Measurement) string { return m.Contender }) {
		own := measure.Where(reached, func(m measure.Measurement) bool { return m.Contender == contender })
		if t := measure.TimingOf(own); !fastest.Found() || t.Best < fastest.Best {
			fastest, way = t, strings.TrimSpace(strings.TrimPrefix(contender, name)+" "+own[0].Setting)
		}
	}
	return fastest, way
}

// unreached returns why no method of a competitor reached a target, and what
// the soonest of them needs more seconds than: the least that one was given.
func (s standing) unreached(name string, target float64) (why string, longerThan float64) {
	for _, m := range s.rows {
		if m.Race == "solve" && m.Kind == "unreached" && m.Target == target && strings.HasPrefix(m.Contender, name+" ") {
			if why == "" || m.Seconds < longerThan {
				why, longerThan = m.Note, m.Seconds
			}
		}
	}
	return why, longerThan
}

// threadsOf is the most cores that Fenchel was measured on.
func threadsOf(rows []measure.Measurement) int {
	most := 1
	for _, m := range rows {
		if m.Contender == measure.OwnName && (m.Race == "solve" || m.Race == "whole") {
			most = max(most, m.Threads)
		}
	}
	return most
}
