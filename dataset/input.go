package dataset

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/bzip2"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
)

// maxWindow bounds what a decoder may hold: the window of zstd --long=27. The
// 64 MiB of xz -9 are the bound of xz.
const maxWindow = 128 << 20

// compressions are told apart by how a file begins. A decoder streams: its
// memory is bounded by its window, whatever the stream expands to.
var compressions = []struct {
	name, magic string
	extension   string
	open        func(io.Reader) (io.Reader, func(), error)
}{
	{"gzip", "\x1f\x8b", ".gz", func(r io.Reader) (io.Reader, func(), error) {
		z, err := gzip.NewReader(r)
		return z, func() {}, err
	}},
	{"zstd", "\x28\xb5\x2f\xfd", ".zst", func(r io.Reader) (io.Reader, func(), error) {
		z, err := zstd.NewReader(r, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}},
	{"bzip2", "BZh", ".bz2", func(r io.Reader) (io.Reader, func(), error) { return bzip2.NewReader(r), func() {}, nil }},
	{"xz", "\xfd7zXZ\x00", ".xz", func(r io.Reader) (io.Reader, func(), error) {
		z, err := xz.NewReader(r, xz.DefaultDictMax)
		return z, func() {}, err
	}},
}

// plainName returns name without the extension of a compression.
func plainName(name string) string {
	for _, c := range compressions {
		if strings.EqualFold(filepath.Ext(name), c.extension) {
			return name[:len(name)-len(c.extension)]
		}
	}
	return name
}

// openInput opens a path, or standard input for "-", and undoes compression.
func openInput(ctx context.Context, path string, opt *Options) (*Input, error) {
	if path == "-" {
		if err := opt.checkStdin(); err != nil {
			return nil, err
		}
		in := &Input{Name: cmp.Or(opt.stdin, standardInput), line: opt.lines, ahead: opt.workers() > 1}
		return newInput(in, opt.tally(in, newInterruptible(ctx, opt.Stdin), 0))
	}
	f, err := opt.open(ctx, path)
	if err != nil {
		return nil, renamed(path, err)
	}
	in := &Input{Name: path, close: f.Close, ahead: opt.workers() > 1}
	if opt.FS == nil {
		in.Path = path
	}
	info, err := f.Stat()
	switch {
	case err != nil:
		err = renamed(path, err)
	case info.IsDir():
		err = fault.In(path, "found a directory, expected a file")
	case info.Mode().IsRegular():
		in.again = func() error { return in.reopen(ctx, opt) }
		in.size = info.Size()
		in, err = newInput(in, opt.tally(in, cancellableReader{ctx, f}, info.Size())) // a few bytes may unpack to billions of lines
	default: // a pipe may block for ever
		in, err = newInput(in, opt.tally(in, newInterruptible(ctx, f), 0))
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return in, nil
}

const standardInput = "standard input"

func (opt *Options) checkStdin() error {
	if opt.Stdin == nil {
		return fault.In(cmp.Or(opt.stdin, standardInput), "found none, expected rows")
	}
	return nil
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
		case <-ctx.Done(): // nobody waits any more
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

// renamed says what went wrong with a path in the words of the other errors.
func renamed(path string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &fault.ReadError{File: path, Err: err}
}

// newInput completes in with what raw gives after decompression.
func newInput(in *Input, raw io.Reader) (*Input, error) {
	packed := bufio.NewReaderSize(&namedReader{r: raw, name: in.Name}, headSize)
	magic, _ := packed.Peek(6)
	in.R = packed
	for _, c := range compressions {
		if !bytes.HasPrefix(magic, []byte(c.magic)) {
			continue
		}
		source := &namedReader{r: packed, name: in.Name, kind: c.name}
		in.size = 0
		r, stop, err := c.open(packed)
		if err != nil {
			return nil, source.explain(err)
		}
		source.r = in.decode(r, stop)
		in.R = bufio.NewReaderSize(source, headSize)
		if err := in.checkOnce(source.kind); err != nil {
			in.Close() // the decoder
			return nil, err
		}
		break
	}
	if mark, _ := in.R.Peek(3); string(mark) == "\ufeff" { // the byte order mark of some Windows programs
		in.R.Discard(3)
	}
	if head, _ := in.R.Peek(headSize); endsWithCR(head) {
		in.R = bufio.NewReaderSize(crReader{in.R}, headSize)
	}
	return in, nil
}

// decode returns what a decoder gives, and has the decoder stopped when the
// input is closed.
func (in *Input) decode(r io.Reader, stop func()) io.Reader {
	closeFile := in.close
	if closeFile == nil {
		closeFile = func() error { return nil }
	}
	if !in.ahead {
		in.close = func() error { stop(); return closeFile() }
		return r
	}
	a := newAhead(r, func() { stop(); closeFile() }) // a file read from loses nothing if it does not close
	in.close = func() error { a.close(); return nil }
	return a
}

// checkOnce refuses what is still compressed after one decompression: further
// ones would make the work unbounded, and no format begins so.
func (in *Input) checkOnce(kind string) error {
	magic, _ := in.R.Peek(6)
	for _, c := range compressions {
		if bytes.HasPrefix(magic, []byte(c.magic)) {
			return fault.In(in.Name, "found %s data inside %s data, expected data compressed once", c.name, kind)
		}
	}
	return nil
}

// Close gives back the file.
func (in *Input) Close() error {
	if in.close == nil {
		return nil
	}
	err := in.close()
	in.close = nil
	return err
}

// discard takes the next n bytes, which are before the rows.
func (in *Input) discard(n int) {
	n, _ = in.reader().Discard(n)
	in.taken += n
}

// head returns what Detect may look at. An error behind the head is left for
// the reader, so that an earlier fault in the rows is reported first.
func (in *Input) head() ([]byte, error) {
	head, err := in.reader().Peek(headSize)
	if len(head) > 0 {
		return head, nil
	}
	if err == io.EOF {
		return nil, fault.In(in.Name, "found nothing, expected rows")
	}
	return nil, err
}

// A namedReader gives errors the name of the input, and gives the same error
// again when it is read on.
type namedReader struct {
	r          io.Reader
	name, kind string
	err        error
}

func (r *namedReader) Read(p []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.r.Read(p)
	if err != nil && err != io.EOF {
		err = r.explain(err)
	}
	r.err = err
	return n, err
}

// explain names the input, and the decoder's many words for truncated.
func (r *namedReader) explain(err error) error {
	var named *fault.ReadError
	if errors.As(err, &named) {
		return err
	}
	doing := ""
	if r.kind != "" {
		doing = r.kind + " data: "
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) || errors.Is(err, xz.ErrBuf) {
			doing = r.kind + " data is truncated: "
		}
	}
	return fault.In(r.name, "%s%w", doing, err)
}
