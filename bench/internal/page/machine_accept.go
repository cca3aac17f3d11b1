package page

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// What is required of Fenchel against the machine, not against peers.
const (
	splitFactor    = 1.6 // of two cores, over dual coordinate ascent in one partition on one
	bandwidthShare = 0.6 // of the read bandwidth, in epochs of dual coordinate ascent
)

// acceptMachine judges what was measured of the use of cores and of memory.
func acceptMachine(rows []measure.Measurement) []verdict {
	var all []verdict
	for _, s := range task.Sources {
		if !s.Splits() {
			continue
		}
		for _, loss := range task.AcceptedLosses {
			key := caseOf{s.Name, loss, "1/n"}
			one := standingOf(rows, key)
			if v, ok := one.judgeSplit(); ok {
				v.problem = key
				all = append(all, v)
			}
			if v, ok := one.judgeBandwidth(rows); ok {
				v.problem = key
				all = append(all, v)
			}
		}
	}
	return all
}

// judgeSplit compares all cores with one partition on one.
func (s standing) judgeSplit() (v verdict, ok bool) {
	rows := measure.Where(s.rows, func(m measure.Measurement) bool { return m.Race == "partitions" && m.Kind == "split" })
	alone := measure.TimingOf(measure.Where(rows, func(m measure.Measurement) bool { return m.Setting != "" }))
	all := measure.Where(rows, func(m measure.Measurement) bool { return m.Setting == "" && m.Threads > 1 })
	if !alone.Found() || len(all) == 0 {
		return v, false
	}
	own := measure.TimingOf(all)
	return verdict{criterion: fmt.Sprintf("%d threads against one partition", all[0].Threads), required: fmt.Sprintf(">= %gx", splitFactor),
		measured: fmt.Sprintf("%s (%s : %s)", measure.Ratio(alone.Best, own.Best), measure.Seconds(alone.Best), measure.Seconds(own.Best)),
		state:    pass(alone.Best/own.Best >= splitFactor)}, true
}

// judgeBandwidth compares epochs on the most cores with reading on as many, of which
// all has the rows.
func (s standing) judgeBandwidth(all []measure.Measurement) (v verdict, ok bool) {
	threads := 0
	for _, m := range s.rows {
		if m.Race == "bandwidth" && m.Kind == "epoch" {
			threads = max(threads, m.Threads)
		}
	}
	speed := func(rows []measure.Measurement, kind string) float64 {
		rows = measure.Where(rows, func(m measure.Measurement) bool {
			return m.Race == "bandwidth" && m.Kind == kind && m.Threads == threads
		})
		if len(rows) == 0 {
			return 0
		}
		return float64(rows[0].Bytes) / measure.TimingOf(rows).Best / 1e9
	}
	read, epoch := speed(all, "read"), speed(s.rows, "epoch")
	if read == 0 || epoch == 0 {
		return v, false
	}
	return verdict{criterion: fmt.Sprintf("epochs of SDCA on %d threads", threads), required: fmt.Sprintf(">= %.0f %% of the read bandwidth", 100*bandwidthShare),
		measured: fmt.Sprintf("%.0f %% (%.1f of %.1f GB/s)", 100*epoch/read, epoch, read),
		state:    pass(epoch >= bandwidthShare*read)}, true
}
