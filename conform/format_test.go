package conform

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
)

// brokenFormat is a sound format with single methods replaced.
type brokenFormat struct {
	set.Format
	detect func(name string, head []byte) set.Match
	read   func(f set.Format, in []*set.Input, opt *data.Options) (*data.Set, error)
	write  func(f set.Writer, w io.Writer, s *data.Set) error
	takes  []string
}

func (b brokenFormat) Detect(name string, head []byte) set.Match {
	if b.detect != nil {
		return b.detect(name, head)
	}
	return b.Format.Detect(name, head)
}

func (b brokenFormat) Read(ctx context.Context, in []*set.Input, opt *data.Options) (*data.Set, error) {
	if b.read != nil {
		return b.read(b.Format, in, opt)
	}
	return b.Format.Read(ctx, in, opt)
}

func (b brokenFormat) Write(w io.Writer, s *data.Set) error {
	if b.write != nil {
		return b.write(b.Format.(set.Writer), w, s)
	}
	return b.Format.(set.Writer).Write(w, s)
}

func (b brokenFormat) Extensions() []string { return b.Format.(set.Writer).Extensions() }

func (b brokenFormat) Takes() []string { return append(b.takes, b.Format.Takes()...) }

// replaced gives s dense rows of its own, changed.
func replaced(s *data.Set, change func(x *matrix.Dense)) *data.Set {
	n, d := s.X.Dims()
	x := &matrix.Dense{Rows: n, Cols: d, Value: make([]float32, n*d)}
	for i := range n {
		v := s.X.Row(i)
		for k, value := range v.Value {
			x.Value[i*d+v.Column(k)] = value
		}
	}
	change(x)
	s.X = x
	return s
}

func TestFormatZoo(t *testing.T) {
	at := slices.IndexFunc(data.Formats(), func(e registry.Entry[set.Format]) bool { return e.Name == "libsvm" })
	libsvm, err := data.Formats()[at].New(nil)
	if err != nil {
		t.Fatal(err)
	}
	type broken = brokenFormat
	type reader = func(f set.Format, in []*set.Input, opt *data.Options) (*data.Set, error)
	ctx := context.Background()
	// after reads soundly and breaks what came out.
	after := func(spoil func(in []*set.Input, opt *data.Options, s *data.Set, err error) (*data.Set, error)) reader {
		return func(f set.Format, in []*set.Input, opt *data.Options) (*data.Set, error) {
			s, err := f.Read(ctx, in, opt)
			return spoil(in, opt, s, err)
		}
	}
	const file = "+1 1:1 3:-2.5\n-1 2:0.1\n+1 1:7\n"
	places := map[string]string{"1 1:1\n1 1:x\n": "2:"}
	if err := Format(libsvm, []byte(file), places); err != nil {
		t.Errorf("the sound format is rejected: %v", err)
	}
	asked, written := 0, 0
	for _, c := range []struct {
		animal, law string
		format      broken
	}{
		{"result that depends on threads", "threads do not matter", broken{read: after(func(_ []*set.Input, opt *data.Options, s *data.Set, err error) (*data.Set, error) {
			if err == nil && opt.Threads == 3 {
				s = replaced(s, func(x *matrix.Dense) { x.Value[0]++ })
			}
			return s, err
		})}},
		{"reader of one call", "how the bytes arrive does not matter", broken{read: func(f set.Format, in []*set.Input, opt *data.Options) (*data.Set, error) {
			for _, i := range in {
				got := make([]byte, 1<<16)
				n, err := i.R.Read(got)
				if err != nil && err != io.EOF {
					return nil, fmt.Errorf("%s: %w", i.Name, err)
				}
				i.R.Reset(bytes.NewReader(got[:n]))
			}
			return f.Read(ctx, in, opt)
		}}},
		{"first input only", "inputs are one set, in order", broken{read: func(f set.Format, in []*set.Input, opt *data.Options) (*data.Set, error) {
			return f.Read(ctx, in[:1], opt)
		}}},
		{"error of the source taken for the end", "an error of the source is an error", broken{read: func(f set.Format, in []*set.Input, opt *data.Options) (*data.Set, error) {
			for _, i := range in {
				text, _ := io.ReadAll(i.R)
				i.R.Reset(bytes.NewReader(text[:bytes.LastIndexByte(text, '\n')+1]))
			}
			return f.Read(ctx, in, opt)
		}}},
		{"values that are no numbers", "every value is finite", broken{read: after(func(_ []*set.Input, _ *data.Options, s *data.Set, err error) (*data.Set, error) {
			if err == nil {
				s = replaced(s, func(x *matrix.Dense) { x.Value[len(x.Value)-1] = float32(math.NaN()) })
			}
			return s, err
		})}},
		{"a target too many", "targets and weights are those of the rows", broken{read: after(func(_ []*set.Input, _ *data.Options, s *data.Set, err error) (*data.Set, error) {
			if err == nil {
				s.Target.Number = append(s.Target.Number, 1)
			}
			return s, err
		})}},
		{"panic at a row cut off", "no file makes Read panic", broken{read: after(func(_ []*set.Input, _ *data.Options, s *data.Set, err error) (*data.Set, error) {
			if err != nil {
				panic(err)
			}
			return s, err
		})}},
		{"error without a name", "an error names the input", broken{read: after(func(_ []*set.Input, _ *data.Options, s *data.Set, err error) (*data.Set, error) {
			if err != nil {
				err = errors.New("bad file")
			}
			return s, err
		})}},
		{"error of two lines", "an error is one line", broken{read: after(func(_ []*set.Input, _ *data.Options, s *data.Set, err error) (*data.Set, error) {
			if err != nil {
				err = fmt.Errorf("%w\nsorry", err)
			}
			return s, err
		})}},
		{"lines counted from 0", "an error tells the place", broken{read: after(func(_ []*set.Input, _ *data.Options, s *data.Set, err error) (*data.Set, error) {
			if err != nil {
				err = errors.New(strings.Replace(err.Error(), "input 1:2:", "input 1:1:", 1))
			}
			return s, err
		})}},
		{"accepts what is broken", "an error tells the place", broken{read: func(f set.Format, in []*set.Input, opt *data.Options) (*data.Set, error) {
			text, err := io.ReadAll(in[0].R)
			if err == nil {
				text = bytes.ReplaceAll(text, []byte("x"), []byte("0"))
			}
			in[0].R.Reset(io.MultiReader(bytes.NewReader(text), failed{err}))
			return f.Read(ctx, in, opt)
		}}},
		{"memory of what was asked before", "Detect depends on its arguments alone", broken{detect: func(string, []byte) set.Match {
			asked++
			return set.MatchContent + set.Match(asked%2)
		}}},
		{"veto of its own", "a sound file may be of the format", broken{detect: func(string, []byte) set.Match { return set.NoMatch }}},
		{"writer of few digits", "what is written is read again as it was", broken{write: func(f set.Writer, w io.Writer, s *data.Set) error {
			copied := *s
			return f.Write(w, replaced(&copied, func(x *matrix.Dense) { x.Value[0] += 0.001 }))
		}}},
		{"writer with a clock", "the same set is the same bytes", broken{write: func(f set.Writer, w io.Writer, s *data.Set) error {
			written++
			fmt.Fprintf(w, "# file %d\n", written)
			return f.Write(w, s)
		}}},
		{"writer that gives up", "what was read can be written", broken{write: func(set.Writer, io.Writer, *data.Set) error { return errors.New("no") }}},
		{"writer that does not look", "an error of writing is an error", broken{write: func(f set.Writer, w io.Writer, s *data.Set) error {
			_ = f.Write(w, s)
			return nil
		}}},
		{"option of another world", "only options that exist are taken", broken{takes: []string{"colour"}}},
		{"reads nothing", "a sound file is read", broken{read: func(_ set.Format, in []*set.Input, _ *data.Options) (*data.Set, error) {
			return nil, fmt.Errorf("%s: no", in[0].Name)
		}}},
	} {
		c.format.Format = libsvm
		rejects(t, c.animal, Format(c.format, []byte(file), places), c.law)
	}
}

// failed gives its error, or the end.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return 0, io.EOF
}
