package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
)

// plot lets the module bench/plot draw results.csv. Without figures the page is
// complete but for them.
func (l *lab) plot(ctx context.Context, results string) {
	if l.opt.noFigures || len(where(l.log.rows, func(m measurement) bool { return m.Kind == "trace" || m.Kind == "sweep" })) == 0 {
		return
	}
	folder := filepath.Join(l.opt.out, "figures")
	if err := os.MkdirAll(folder, 0o777); err != nil {
		l.note("No figures: %v", err)
		return
	}
	paths := []string{results, folder}
	for i, path := range paths {
		full, err := filepath.Abs(path)
		if err != nil {
			l.note("No figures: %v", err)
			return
		}
		paths[i] = full
	}
	cmd := exec.CommandContext(ctx, "go", "run", ".", paths[0], paths[1])
	cmd.Dir = filepath.Join(l.opt.root, "bench", "plot")
	cmd.Env = append(os.Environ(), "GOWORK=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		l.note("No figures: bench/plot: %v: %s", err, tail(string(out)))
	}
}
