package dataset

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/dataset/internal/fault"
	"github.com/fenchel-ml/fenchel/dataset/internal/file"
)

// Options say how to read. The zero value reads every format with its
// defaults on all cores.
type Options struct {
	Format    string // name of a format; "": found by content, then by extension
	ZeroBased bool   // LIBSVM indices begin with 0 instead of 1
	Header    string // "yes", "no" or "" (found by content): first line of a CSV names the columns

	// Target names the column of a table to predict, by name or by position
	// from 1; "" means the column named target, label, class or y, or else the
	// last one. Weights names the column of row weights, "" for none; formats
	// without columns take a file with one number a row instead.
	Target, Weights string
	// Ignore, Categorical and Numeric name columns of a table, each by name, by position
	// from 1 or by a pattern such as id_*, that are to be left out, to be categories
	// though they look like numbers, dates or ids, and to be numbers though they look
	// like ids or codes. The schema keeps what became of them.
	Ignore, Categorical, Numeric []string
	// ID names a column of a table, by name or position, whose fields Set.ID keeps as they
	// are spelled, whatever else the column is; "": none.
	ID string
	// Unlabelled says that targets do not matter: the last column of a table is one
	// only if it is called so.
	Unlabelled bool
	// Labels is a file with one target a row, for formats without targets of
	// their own, or instead of these (IDX, NPY, NPZ, fen); "": IDX looks for the
	// file that belongs to it.
	Labels string

	// Schema, from a model, makes tables into the features it describes; the
	// target may then be absent, and counts as absent when a row lacks it, with
	// a warning if others have it. Columns > 0, from a model, is the number of
	// features it knows; later ones are ignored, with a warning that counts. Where
	// nothing names the target, columns are these, or these and at last the target.
	Schema  *Schema
	Columns int

	// Precomputed says that the rows are those of a matrix of kernel values. LIBSVM
	// text of which the first row begins with 0:number, as svm-train takes it, then
	// has indices from 0, and zeros may be missing up to its last column. Columns
	// is no limit of other files: another width is another matrix.
	Precomputed bool
	least       int // Columns, if Precomputed

	// Unmoved says that all columns are to be read as they are, without an offset: for
	// problems that are not the same about another origin, such as second moments. What
	// rounding does to them is then a warning.
	Unmoved bool

	// InOrder says that rows will be taken once, from the first to the last, as
	// for prediction: caches larger than memory are then read ahead.
	InOrder bool

	// BlockRows is how many rows a block of [Blocks] has; 0: 1024.
	BlockRows int

	// Tally, when set, counts the bytes that were read, so that others may watch.
	Tally *Tally

	Threads int       // at most so many cores; 0: all. Never changes the result
	Stdin   io.Reader // read for the source "-"
	FS      fs.FS     // has the sources, Labels and Weights, by its names for them; nil: the system's files

	separator byte   // of a table; 0: found by content
	stdin     string // the name of Stdin; "": standard input
	lines     int    // that came before those of Stdin

	chunk int // bytes parsed at a time; 0: chunkSize. Tests make it tiny
}

// A ReadError is what is wrong with an input, and where: File, Line, Column (0: not known)
// and Err, what was found and what was expected. Every error about what is in a file, or
// about the file, is one or wraps one.
type ReadError = fault.ReadError

// system is where the sources are.
func (opt *Options) system() *file.System {
	return &file.System{FS: opt.FS, Stdin: opt.Stdin, StdinName: opt.stdin, Lines: opt.lines, Ahead: opt.workers() > 1, Tally: opt.Tally}
}

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
	return set.vouch(), nil
}

// ReadFrom reads one file from r, compressed or not, as [Read] does from a path. The name
// is what errors call it; as that of a file, its extension may say what the format is.
func ReadFrom(ctx context.Context, r io.Reader, name string, opt Options) (*Set, error) {
	opt.Stdin, opt.stdin = r, name
	return Read(ctx, []string{"-"}, opt)
}

func read(ctx context.Context, sources []string, opt Options) (*Set, error) {
	paths, err := expand(sources, &opt)
	if err != nil {
		return nil, err
	}
	if err := opt.checkSchema(); err != nil {
		return nil, err
	}
	if opt.Precomputed {
		opt.least, opt.Columns = opt.Columns, 0
	}
	if spec, ok := strings.CutPrefix(paths[0], "@"); ok && len(paths) == 1 {
		if err := opt.check("a generator", nil); err != nil {
			return nil, err
		}
		set, err := readGenerated(ctx, spec, &opt)
		if err == nil {
			err = set.follow(opt.Schema, opt.Threads)
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
	set.ZeroBased = set.ZeroBased || opt.ZeroBased
	if err := set.follow(opt.Schema, opt.Threads); err != nil {
		return nil, errors.Join(fault.In(paths[0], "%w", err), set.Close())
	}
	return set, nil
}

// open opens files of one format; those opened are to be closed even if there
// is an error.
func open(ctx context.Context, paths []string, opt *Options) (format Format, in []*file.Input, err error) {
	var first string
	var many *file.Rotation
	if len(paths) > mostOpen {
		many = new(file.Rotation)
	}
	for _, path := range paths {
		if strings.HasPrefix(path, "@") {
			return nil, in, fault.In(path, "found a generator among %d sources, expected it alone", len(paths))
		}
		i, err := opt.system().Open(ctx, path)
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
	return format, in, opt.check("format "+first, format.Takes())
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
	var paths []string
	for _, source := range sources {
		if strings.HasPrefix(source, "@") || !strings.ContainsAny(source, "*?[") || opt.system().Exists(source) {
			paths = append(paths, source)
			continue
		}
		found, err := opt.system().Glob(source)
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

// A Tally counts the bytes that were read of all sources, for others to watch.
type Tally = file.Tally
