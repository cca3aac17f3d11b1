package serve

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/fenchel-ml/fenchel/internal/pose"
)

// text writes the counters as Prometheus reads them.
func (m *counters) text(running int64, models catalog) []byte {
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
	b = fmt.Appendf(b, "# HELP fenchel_requests_running Requests that are answered now.\n# TYPE fenchel_requests_running gauge\nfenchel_requests_running %d\n", running)
	b = fmt.Appendf(b, "# HELP fenchel_model_reads_total Changed model files that were read, or could not be.\n# TYPE fenchel_model_reads_total counter\nfenchel_model_reads_total{result=\"read\"} %d\nfenchel_model_reads_total{result=\"refused\"} %d\n", m.reloads.Load(), m.faulty.Load())
	b = fmt.Appendf(b, "# HELP fenchel_model_info Models that are served: the digest of the training rows, and the relative gap that is proved.\n# TYPE fenchel_model_info gauge\n")
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
