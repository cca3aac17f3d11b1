package dataset

import (
	"bufio"
	"context"
)

// mostOpen is how many files of a set are open at once; of more, one at a time: a
// system allows a process some hundred, and each takes its buffers. Tests have it smaller.
var mostOpen = 64

// turn is which one of many files is open. They are read one after another, and what
// is taken before the rows is counted: so each can be closed and opened again.
type turn struct{ open *Input }

// unopened gives the error of opening a file as one of reading it.
type unopened struct{ err error }

func (u unopened) Read([]byte) (int, error) { return 0, u.err }

// reader returns R, of a file that was put away opened again at the first row.
func (in *Input) reader() *bufio.Reader {
	if in.R != nil || in.again == nil {
		return in.R
	}
	if in.turn != nil {
		if in.turn.open != nil {
			in.turn.open.putAway()
		}
		in.turn.open = in
	}
	if err := in.again(); err != nil {
		in.R = bufio.NewReader(unopened{err})
	}
	return in.R
}

// putAway closes a regular file until reader is called.
func (in *Input) putAway() {
	if in.again != nil {
		in.Close()
		in.R = nil
	}
}

// reopen opens the file at the first row.
func (in *Input) reopen(ctx context.Context, opt *Options) error {
	again, err := openInput(ctx, in.Name, opt)
	if err != nil {
		return err
	}
	in.tallied.forget()
	in.R, in.close, in.tallied = again.R, again.close, again.tallied
	_, err = in.R.Discard(in.taken)
	return err
}
