package task

// Config is what sets and peers must know of a run.
type Config struct {
	Data, Work string // folders: of the real sets, of what is made of them
	Python     string
	Threads    int
	Rows       int // of the set shaped like rcv1

	Progress func(format string, args ...any) // tells who waits
}
