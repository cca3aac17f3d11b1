package data

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// A ReadError is what is wrong with an input, and where: File, Line, Column (0: not known)
// and Err, what was found and what was expected. Every error about what is in a file, or
// about the file, is one or wraps one.
type ReadError = fault.ReadError

// Read reads all sources, in order, as one set. A source is a path, a glob
// pattern, "-" for standard input, or "@name:key=value,..." for a generator.
//
// Several sources must be of one format. An error about them is a [ReadError],
// with the line and column where there is one; errors of the operating system can be
// asked for with errors.Is. An option that means nothing to the format is an
// [OptionError], before any row is read.
func Read(ctx context.Context, sources []string, opt Options) (*Set, error) {
	set, err := read(ctx, sources, opt)
	if err != nil {
		return nil, err
	}
	return set.Vouch(), nil
}

// ReadFrom reads one file from r, compressed or not, as [Read] does from a path. The name
// is what errors call it; as that of a file, its extension may say what the format is.
func ReadFrom(ctx context.Context, r io.Reader, name string, opt Options) (*Set, error) {
	opt.Stdin, opt.StdinName = r, name
	return Read(ctx, []string{"-"}, opt)
}

func read(ctx context.Context, sources []string, opt Options) (*Set, error) {
	paths, err := expand(sources, &opt)
	if err != nil {
		return nil, err
	}
	if err := opt.CheckSchema(); err != nil {
		return nil, err
	}
	if opt.Precomputed {
		opt.Least, opt.Columns = opt.Columns, 0
	}
	if spec, ok := strings.CutPrefix(paths[0], "@"); ok && len(paths) == 1 {
		if err := checkOptions(&opt, "a generator", nil); err != nil {
			return nil, err
		}
		set, err := readGenerated(ctx, spec, &opt)
		if err == nil {
			err = scaling.Follow(set, opt.Schema, opt.Threads)
		}
		return set, err
	}
	format, in, err := open(ctx, paths, &opt)
	defer closeAll(in)
	if err != nil {
		return nil, err
	}
	set, err := format.Read(ctx, in, &opt)
	if err != nil {
		return nil, err
	}
	if set, err = weighed(set, &opt); err != nil {
		return nil, fault.In(paths[0], "%w", err)
	}
	set.ZeroBased = set.ZeroBased || opt.ZeroBased
	if err := scaling.Follow(set, opt.Schema, opt.Threads); err != nil {
		return nil, errors.Join(fault.In(paths[0], "%w", err), set.Close())
	}
	return set, nil
}

// weighed leaves out the rows of weight 0, which tables do while they read; where weights do not
// matter, the weights.
func weighed(s *Set, opt *Options) (*Set, error) {
	if !slices.Contains(s.Weight, 0) {
		return s, nil
	}
	var rows []int
	for i, w := range s.Weight {
		if w != 0 || opt.Unweighted {
			rows = append(rows, i)
		}
	}
	part, err := s.Subset(rows)
	if len(rows) == 0 {
		err = errors.New("found the weight 0 in all rows, expected a positive number in some")
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	if part.Warnings, part.Rounding, part.Moved = s.Warnings, s.Rounding, s.Moved; opt.Unweighted {
		part.Weight = nil
		return part, s.Close()
	}
	if s.Schema != nil && s.Schema.Array {
		part.Schema = s.Schema.Clone()
		scaling.Fill(part.Schema, part.X)
	}
	part.Warnings = append(part.Warnings, fmt.Errorf("%s of weight 0: left out", fault.Plural(s.Rows()-len(rows), "row", "rows")))
	return part, s.Close()
}

// open opens files of one format; those opened are to be closed even if there
// is an error.
func open(ctx context.Context, paths []string, opt *Options) (format set.Format, in []*file.Input, err error) {
	var first string
	var many *file.Rotation
	if len(paths) > mostOpen {
		many = new(file.Rotation)
	}
	for _, path := range paths {
		if strings.HasPrefix(path, "@") {
			return nil, in, fault.In(path, "found a generator among %d sources, expected it alone", len(paths))
		}
		i, err := opt.System().Open(ctx, path)
		if err != nil {
			return nil, in, err
		}
		in = append(in, i)
		name, f, err := detect(i, opt)
		if err != nil {
			return nil, in, err
		}
		if i.Rotation = many; many != nil {
			i.PutAway()
		}
		if format == nil {
			format, first = f, name
		}
		if name != first {
			return nil, in, fault.In(i.Name, "found format %s, expected %s as in %s", name, first, in[0].Name)
		}
	}
	return format, in, checkOptions(opt, "format "+first, format.Takes())
}

func closeAll(in []*file.Input) {
	for _, i := range in {
		i.Close()
	}
}

// expand replaces glob patterns by the files they match, in the order of
// their names. A file may have a name that looks like a pattern. As for a shell, * is
// no hidden file: one may be what WriteFile left when it was killed.
func expand(sources []string, opt *Options) ([]string, error) {
	if len(sources) == 0 {
		return nil, errors.New("found no source of data, expected a file, \"-\" or \"@generator\"")
	}
	if text := generate.Text(sources[0]); text != nil && len(sources) == 1 && strings.HasPrefix(sources[0], "@") {
		opt.Stdin, opt.StdinName, opt.Format, opt.Header = text, sources[0], "tsv", "yes"
		return []string{"-"}, nil
	}
	var paths []string
	for _, source := range sources {
		if strings.HasPrefix(source, "@") || !strings.ContainsAny(source, "*?[") || opt.System().Exists(source) {
			paths = append(paths, source)
			continue
		}
		found, err := opt.System().Glob(source)
		if err != nil {
			return nil, fault.In(source, "%w", err)
		}
		if !strings.HasPrefix(filepath.Base(source), ".") {
			found = slices.DeleteFunc(found, func(path string) bool { return strings.HasPrefix(filepath.Base(path), ".") })
		}
		if len(found) == 0 {
			return nil, fault.In(source, "found no file with such a name: %w", fs.ErrNotExist)
		}
		paths = append(paths, found...)
	}
	return paths, nil
}

// mostOpen is how many files of a set are open at once; of more, one at a time: a
// system allows a process some hundred, and each takes its buffers. Tests have it smaller.
var mostOpen = 64
