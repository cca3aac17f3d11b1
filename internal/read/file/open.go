package file

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
)

// A System is where inputs are, and how they are opened.
type System struct {
	FS        fs.FS     // has the files; nil: the operating system's
	Stdin     io.Reader // is opened as "-"; nil: none
	StdinName string    // in messages; "": standard input
	Lines     int       // that came before those of stdin
	Ahead     bool      // decompress beside the parsing
	Tally     *Tally    // counts what is read; nil: not counted
}

// Open opens a path, or standard input for "-", and undoes compression.
func (s *System) Open(ctx context.Context, path string) (*Input, error) {
	if path == "-" {
		if err := s.CheckStdin(); err != nil {
			return nil, err
		}
		in := &Input{Name: cmp.Or(s.StdinName, StandardInput), Line: s.Lines, ahead: s.Ahead}
		return NewInput(in, s.counted(in, NewInterruptible(ctx, s.Stdin), 0))
	}
	f, err := s.open(ctx, path)
	if err != nil {
		return nil, fault.Renamed(path, err)
	}
	in := &Input{Name: path, close: f.Close, ahead: s.Ahead}
	if s.FS == nil {
		in.Path = path
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = fault.Renamed(path, err)
	case info.IsDir():
		err = fault.In(path, "found a directory, expected a file")
	case info.Mode().IsRegular():
		in.Again = func() error { return in.reopen(ctx, s) }
		in.Size = info.Size()
		raw, size, wrong := in.inArchive(f, in.Size)
		if err = wrong; err == nil {
			in, err = NewInput(in, s.counted(in, Reader(ctx, raw), size)) // a few bytes may unpack to billions of lines
		}
	default: // a pipe may block for ever
		in, err = NewInput(in, s.counted(in, NewInterruptible(ctx, f), 0))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return in, nil
}

// StandardInput is what messages call it.
const StandardInput = "standard input"

// CheckStdin refuses to read standard input where there is none.
func (s *System) CheckStdin() error {
	if s.Stdin == nil {
		return fault.In(cmp.Or(s.StdinName, StandardInput), "found none, expected rows")
	}
	return nil
}

func (s *System) open(ctx context.Context, path string) (fs.File, error) {
	if s.FS != nil {
		return s.FS.Open(path)
	}
	return openFile(ctx, path)
}

// Stat describes a file.
func (s *System) Stat(path string) (fs.FileInfo, error) {
	if s.FS != nil {
		return fs.Stat(s.FS, path)
	}
	return os.Stat(path)
}

// Exists reports whether there is something of that name, if only a link to nothing.
func (s *System) Exists(path string) bool {
	var err error
	if s.FS != nil {
		_, err = fs.Stat(s.FS, path)
	} else {
		_, err = os.Lstat(path)
	}
	return err == nil
}

// Glob returns the files that match a pattern.
func (s *System) Glob(pattern string) ([]string, error) {
	if s.FS != nil {
		return fs.Glob(s.FS, pattern)
	}
	return filepath.Glob(pattern)
}

// Path returns where an input is among the files, "" if it is none of them.
func (s *System) Path(in *Input) string {
	if s.FS != nil && in.Again != nil {
		return in.Name
	}
	return in.Path
}

// openFile is os.Open that ctx can end: a named pipe waits for its writer.
func openFile(ctx context.Context, path string) (*os.File, error) {
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() || info.IsDir() {
		return os.Open(path)
	}
	type opened struct {
		f   *os.File
		err error
	}
	got := make(chan opened)
	go func() {
		f, err := os.Open(path)
		select {
		case got <- opened{f, err}:
		case <-ctx.Done(): // the caller has returned
			f.Close() // harmless if there is none
		}
	}()
	select {
	case o := <-got:
		return o.f, o.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// reopen opens the file at the first row.
func (in *Input) reopen(ctx context.Context, s *System) error {
	again, err := s.Open(ctx, in.Name)
	if err != nil {
		return err
	}
	in.tallied.forget()
	in.R, in.close, in.tallied = again.R, again.close, again.tallied
	if in.filter != nil {
		in.R = in.filter(in.R)
	}
	_, err = in.R.Discard(in.Taken)
	return err
}

// counted returns what reads r, of so many bytes, and counts them if that is asked for.
func (s *System) counted(in *Input, r io.Reader, size int64) io.Reader {
	if s.Tally == nil {
		return r
	}
	s.Tally.total.Add(size)
	in.tallied = &tallied{of: s.Tally, r: r, size: size}
	return in.tallied
}
