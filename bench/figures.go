package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// plot lets the module bench/plot draw results.csv, and returns the figures,
// relative to the folder of results. Without figures the page is complete but
// for them.
func (l *lab) plot(ctx context.Context, results string) []string {
	if l.opt.noFigures || len(where(l.log.rows, func(m measurement) bool { return m.Kind == "trace" || m.Kind == "sweep" })) == 0 {
		return nil
	}
	folder := filepath.Join(l.opt.out, "figures")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		l.note("No figures: %v", err)
		return nil
	}
	absolute := func(path string) string {
		full, err := filepath.Abs(path)
		if err != nil {
			return path
		}
		return full
	}
	cmd := exec.CommandContext(ctx, "go", "run", ".", absolute(results), absolute(folder))
	cmd.Dir = filepath.Join(l.opt.root, "bench", "plot")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		l.note("No figures: bench/plot: %v: %s", err, tail(string(out)))
		return nil
	}
	drawn, _ := filepath.Glob(filepath.Join(folder, "*.svg")) // the pattern is well formed
	for i, path := range drawn {
		drawn[i] = "figures/" + filepath.Base(path)
	}
	slices.Sort(drawn)
	return drawn
}
