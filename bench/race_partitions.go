package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The race of many cores, simulated: how many epochs, and so how much time, a
// training takes when its work is split for 64 cores, on a machine that has
// fewer. It waits for the solver's own simulation; see simulatePartitions.
func init() {
	register(race{name: "partitions", order: 60, share: 2, run: runPartitions, section: partitionsSection})
}

// simulatePartitions returns the epochs and the seconds per core of a training
// split into so many partitions; nil while package linear has no such thing.
var simulatePartitions func(ctx context.Context, t *task, a ask, partitions int) (epochs int, seconds float64, err error)

func runPartitions(ctx context.Context, l *lab) error {
	if simulatePartitions == nil {
		return errSkip("this version has no simulation of many partitions")
	}
	sets := slices.DeleteFunc(l.opt.chosen(), func(s source) bool { return s.make == nil })
	return l.eachTask(ctx, sets, func(t *task, _ sessions, _ time.Time) error {
		for _, loss := range []string{"hinge", "logistic"} {
			for k := 1; k <= 64; k *= 2 {
				epochs, seconds, err := simulatePartitions(ctx, t, ask{loss: loss, lambda: "1/n", gap: wholeTarget, threads: l.opt.threads}, k)
				if err != nil {
					return err
				}
				m := t.describe("partitions", "simulated")
				m.Loss, m.Lambda, m.Contender, m.Threads = loss, "1/n", ownName, k
				m.Target, m.Seconds, m.Note = wholeTarget, seconds, fmt.Sprintf("%d epochs", epochs)
				l.log.add(m)
			}
		}
		return nil
	})
}

func partitionsSection(rows []measurement) string {
	t := newTable("set", "loss", "cores", "epochs", "seconds", "speed-up")
	one := map[string]float64{}
	for _, m := range rows {
		if m.Threads == 1 {
			one[m.Set+m.Loss] = m.Seconds
		}
		t.add(m.Set, m.Loss, fmt.Sprint(m.Threads), strings.TrimSuffix(m.Note, " epochs"), seconds(m.Seconds), ratio(one[m.Set+m.Loss], m.Seconds))
	}
	return t.under("Many cores, simulated", "Each core's share of the work, timed one after another: what a machine with so many cores would need.")
}
