package main

// config is what sets and peers must know of a run.
type config struct {
	data, work string // folders: of the real sets, of what is made of them
	python     string
	threads    int
	rows       int // of the set shaped like rcv1

	progress func(format string, args ...any) // tells who waits
}
