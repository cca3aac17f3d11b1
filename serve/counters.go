package serve

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// counters count what the server does.
type counters struct {
	seconds         [len(bounds) + 1]atomic.Int64 // requests of each duration
	total           atomic.Int64                  // nanoseconds of all
	unknown         usage                         // requests that were about no model
	reloads, faulty atomic.Int64

	mutex sync.Mutex
	of    map[string]*usage // by the names of models
}

// bounds of the durations of requests, in seconds.
var bounds = [...]float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// codes are those of replies.
var codes = [...]int{200, 400, 401, 404, 405, 413, 415, 429, 500, 503}

// usage counts the requests about a model.
type usage struct {
	codes [len(codes)]atomic.Int64
	rows  atomic.Int64
}

// named returns the counters of a model.
func (m *counters) named(name string) *usage {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.of == nil {
		m.of = map[string]*usage{}
	}
	if m.of[name] == nil {
		m.of[name] = &usage{}
	}
	return m.of[name]
}

// count counts a request.
func (m *counters) count(use *usage, code, rows int, took time.Duration) {
	if use == nil {
		use = &m.unknown
	}
	use.rows.Add(int64(rows))
	if i := slices.Index(codes[:], code); i >= 0 {
		use.codes[i].Add(1)
	}
	at, _ := slices.BinarySearch(bounds[:], took.Seconds())
	m.seconds[at].Add(1)
	m.total.Add(int64(took))
}
