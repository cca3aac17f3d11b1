// Command bench races Fenchel against the programs people use today, on the
// same rows, the same objective and the same accuracy, in one run:
//
//	go run -C bench .            # everything, about an hour
//	go run -C bench . --quick    # about two minutes
//	go run -C bench . --races solve --sets a9a,imdb --losses hinge
//	go run -C bench . --render DIR,DIR     # the pages again, from what runs left there
//
// It is a module of its own, run from any folder of the repository. A peer races if it is
// installed, and a set if its file is in --data; what is missing is named and skipped.
//
// Package problem judges how accurate weights are, Fenchel's and a peer's alike:
// (P(w) - P*)/P*, P* being the least objective known. Fenchel is
// stopped by its own proof; a peer gets the loosest of its tolerances whose
// weights are accurate enough, found by a sweep whose cost is not counted.
//
// One race is one file of internal/race, and one peer one file of internal/peer. Every
// measurement goes into results.csv; the pages RESULTS.md, a summary, and TABLES.md, with
// every table, and the figures are made from those rows alone. Only the summary and the
// figures are committed. The command plot draws the figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/bench/internal/race"
)

func main() {
	if len(os.Args) > 1 && os.Args[1] == peer.LaunchVerb {
		os.Exit(peer.Launch(os.Args[2:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := race.Run(ctx, os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
