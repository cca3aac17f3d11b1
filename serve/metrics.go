package serve

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/problem"
)

// metrics count what the server does.
type metrics struct {
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

// attach gives a version of a model the counters of its name.
func (m *metrics) attach(v *served) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	if m.of == nil {
		m.of = map[string]*usage{}
	}
	if m.of[v.name] == nil {
		m.of[v.name] = &usage{}
	}
	v.use = m.of[v.name]
}

// count counts a request.
func (m *metrics) count(out reply, took time.Duration) {
	use := &m.unknown
	if out.model != nil {
		use = out.model.use
	}
	use.rows.Add(int64(out.rows))
	if i := slices.Index(codes[:], out.code); i >= 0 {
		use.codes[i].Add(1)
	}
	at, _ := slices.BinarySearch(bounds[:], took.Seconds())
	m.seconds[at].Add(1)
	m.total.Add(int64(took))
}

// text writes the counters as Prometheus reads them.
func (m *metrics) text(s *Server) []byte {
	m.mutex.Lock()
	of := maps.Clone(m.of)
	m.mutex.Unlock()
	b := []byte("# HELP fenchel_requests_total Requests by model and code.\n# TYPE fenchel_requests_total counter\n")
	names := slices.Sorted(maps.Keys(of))
	each := func(name string, u *usage) {
		for i, code := range codes {
			if n := u.codes[i].Load(); n > 0 {
				b = fmt.Appendf(b, "fenchel_requests_total{model=%s,code=\"%d\"} %d\n", label(name), code, n)
			}
		}
	}
	for _, name := range names {
		each(name, of[name])
	}
	each("", &m.unknown)
	b = append(b, "# HELP fenchel_rows_total Rows predicted.\n# TYPE fenchel_rows_total counter\n"...)
	for _, name := range names {
		b = fmt.Appendf(b, "fenchel_rows_total{model=%s} %d\n", label(name), of[name].rows.Load())
	}
	b = append(b, "# HELP fenchel_request_seconds Duration of requests.\n# TYPE fenchel_request_seconds histogram\n"...)
	sum := int64(0)
	for i := range m.seconds {
		edge := "+Inf"
		if i < len(bounds) {
			edge = strconv.FormatFloat(bounds[i], 'g', -1, 64)
		}
		sum += m.seconds[i].Load()
		b = fmt.Appendf(b, "fenchel_request_seconds_bucket{le=\"%s\"} %d\n", edge, sum)
	}
	b = fmt.Appendf(b, "fenchel_request_seconds_sum %g\nfenchel_request_seconds_count %d\n", time.Duration(m.total.Load()).Seconds(), sum)
	b = fmt.Appendf(b, "# HELP fenchel_requests_running Requests that are answered now.\n# TYPE fenchel_requests_running gauge\nfenchel_requests_running %d\n", s.running.Load())
	b = fmt.Appendf(b, "# HELP fenchel_model_reads_total Changed model files that were read, or could not be.\n# TYPE fenchel_model_reads_total counter\nfenchel_model_reads_total{result=\"read\"} %d\nfenchel_model_reads_total{result=\"refused\"} %d\n", m.reloads.Load(), m.faulty.Load())
	b = fmt.Appendf(b, "# HELP fenchel_model_info Models that are served: the digest of the training rows, and the relative gap that is proved.\n# TYPE fenchel_model_info gauge\n")
	models := *s.models.Load()
	for _, name := range slices.Sorted(maps.Keys(models)) {
		for _, v := range models[name] {
			b = fmt.Appendf(b, "fenchel_model_info{model=%s,version=%s,digest=%s,gap=\"%s\"} 1\n", label(v.name), label(v.version), label(v.digest()), v.gap())
		}
	}
	return fmt.Appendf(b, "# HELP fenchel_info Version of the program.\n# TYPE fenchel_info gauge\nfenchel_info{version=%s} 1\n", label(pose.Version()))
}

// label quotes the value of a label.
func label(text string) string {
	b := []byte{'"'}
	for _, r := range text {
		switch r {
		case '\\', '"':
			b = append(b, '\\', byte(r))
		case '\n':
			b = append(b, '\\', 'n')
		default:
			b = append(b, string(r)...)
		}
	}
	return string(append(b, '"'))
}

func (v *served) digest() string {
	if v.model != nil {
		return v.model.Data.Digest
	}
	return v.components.Data.Digest
}

// gap is the largest relative gap that is proved of an output; "" where nothing is.
func (v *served) gap() string {
	if v.model == nil {
		return strconv.FormatFloat(v.components.Proof.Relative(), 'g', 3, 64)
	}
	worst := 0.0
	for _, o := range v.model.Outputs {
		c := o.Certificate
		worst = max(worst, problem.Relative(float64(c.Primal), float64(c.Dual), float64(c.Zero)))
	}
	if math.IsNaN(worst) || math.IsInf(worst, 0) {
		return ""
	}
	return strconv.FormatFloat(worst, 'g', 3, 64)
}
