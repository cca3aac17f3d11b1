package linear

import "github.com/fenchel-ml/fenchel/matrix"

// listAwake sets active.
func (s *sdca) listAwake() {
	active, awake := s.active[:len(s.wake)], 0
	for i, wake := range s.wake {
		active[awake] = uint32(i)
		if wake <= s.epoch {
			awake++
		}
	}
	s.active = active[:awake]
}

// shortRow is how many nonzeros rows may have on the average to be screened: with many, a
// visit that moves nothing takes hardly longer than a look.
const shortRow = 32

// wakeTogether reports whether two thirds of all rows are awake that slept before. They
// fell asleep together, as most rows do where few matter.
func (s *sdca) wakeTogether() bool {
	slept := 0
	if !ablated.has(withoutScreening) && 3*len(s.active) >= 2*len(s.a) && s.p.Nonzeros <= shortRow*int64(len(s.a)) && !s.separate() {
		for _, i := range s.active {
			slept += one(s.calm[i] > s.calmVisits)
		}
	}
	return 3*slept >= 2*len(s.a)
}

// screen looks at the rows that slept, as a visit would, but at all at the weights with
// which the epoch begins: in their order in memory, and on all cores. That takes a
// quarter of the time of visits, each of which waits for the one before it. What
// would not move sleeps on; the others are left to be visited.
//
// Rows that were calm, but have not slept yet, must be visited: weights move far within
// an epoch while many rows still change (up to a fifth more epochs for texts).
func (s *sdca) screen() {
	d := len(s.u) - 1
	constant := s.u[d]
	gap, _ := sumRows(s.p, func(lo, hi int) (sum, _ float64) {
		var (
			prediction [blockRows]float64
			rows       [blockRows]uint32
			visits     [window]visit
		)
		matrix.Dots(prediction[:hi-lo], s.p.X, lo, s.u[:d])
		slept := 0
		for i := lo; i < hi; i++ {
			rows[slept] = uint32(i)
			slept += one(s.wake[i] <= s.epoch) & one(s.calm[i] > s.calmVisits)
		}
		for rows := rows[:slept]; len(rows) > 0; rows = rows[min(window, len(rows)):] {
			visits := visits[:min(window, len(rows))]
			s.look(visits, nil, rows[:len(visits)])
			for k := range visits {
				v := &visits[k]
				after, gap, _ := s.step(v.before, prediction[int(v.row)-lo]+constant, v.q, v.y)
				if s.rests(v, after, gap) {
					sum += float64(v.weight * gap)
				}
			}
		}
		return sum, 0
	})
	s.rowGap += gap
}
