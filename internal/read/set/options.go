package set

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/terms"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Options say how to read. The zero value reads every format with its
// defaults on all cores.
type Options struct {
	Format    string // name of a format; "": found by content, then by extension
	ZeroBased bool   // LIBSVM indices begin with 0 instead of 1
	Header    string // "yes", "no" or "" (found by content): first line of a CSV names the columns

	// Target names the column of a table to predict, by name or by position
	// from 1, or several of numbers with commas between them; "" means the column named target, label, class or y, or else the
	// last one. Weights names the column of row weights, "" for none; formats
	// without columns take a file with one number a row instead.
	Target, Weights string
	// Ignore, Categorical and Numeric name columns of a table, each by name, by position
	// from 1 or by a pattern such as id_*, that are to be left out, to be categories
	// though they look like numbers, dates or ids, and to be numbers though they look
	// like ids or codes. The schema keeps what became of them.
	Ignore, Categorical, Numeric []string
	// SkipUnlabelled leaves out rows of a table that have no target.
	SkipUnlabelled bool
	// Unweighted says that weights do not matter: with a Schema, its column of them is not read, and rows of
	// weight 0 count.
	Unweighted bool
	// ID names a column of a table, by name or position, whose fields Set.ID keeps as they
	// are spelled, whatever else the column is; "": none.
	ID string
	// IDRole is what errors call that column; "": id.
	IDRole string
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
	Least       int // Columns, if Precomputed; for formats alone

	// Unmoved says that all columns are to be read as they are, without an offset: for
	// problems that are not the same about another origin, such as second moments. What
	// rounding does to them is then a warning.
	Unmoved bool

	// Observed says that the caller makes use of Set.Gaps: no warning says that means replace missing numbers.
	Observed bool

	Threads int // at most so many cores; 0: all. Never changes the result

	Spelling // of fields of a table
	Source   // where the files are
	Blocking // the sizes of steps
}

// KeptNames are the names of all columns to be kept, that of the id first.
func (opt *Options) KeptNames() []string {
	if opt.ID == "" {
		return opt.Keep
	}
	return append([]string{opt.ID}, opt.Keep...)
}

// Terms say of which terms of texts features are made. The zero value: single words, weighted by how rare they are.
type Terms struct {
	Columns     []string // of texts besides those of sentences: names, positions from 1 or patterns
	Least, Most int      // words, or characters, of the shortest and the longest term; 0: 1
	Within      bool     // terms are characters within words
	By          string   // how texts are cut into words: plain, uax29 (Unicode's segmentation); "": plain
	Bits        int      // terms are numbered by a hash of so many bits; 0: by a vocabulary
	MinCount    int      // a term is in so many texts at least; 0: 1
	MaxShare    float64  // and in at most this share of them; 0: all
	Crossed     []string // pairs of columns, as in "a,b", of which the products of features are features; Bits numbers these too
	Weights     string   // tfidf, sublinear, counts; "": tfidf
}

// NgramsExpected says what ReadNgrams reads.
const NgramsExpected = "expected a number of words, as 2 or 1..2, or of characters, as chars:3..5"

// ReadNgrams reads Least, Most and Within as a flag has them; false: it cannot.
func (t *Terms) ReadNgrams(text string) bool {
	text, within := strings.CutPrefix(text, "chars:")
	least, most, isRange := strings.Cut(text, "..")
	if !isRange {
		most = least
	}
	var err1, err2 error
	t.Least, err1 = strconv.Atoi(least)
	t.Most, err2 = strconv.Atoi(most)
	t.Within = within
	return err1 == nil && err2 == nil && t.Least >= 1
}

// Space is what these terms are before they are fitted to texts.
func (t Terms) Space() *terms.Space {
	s := &terms.Space{Least: cmp.Or(t.Least, 1), Within: t.Within, By: t.by(), Bits: t.Bits, MinCount: t.MinCount, MaxShare: t.MaxShare,
		Damped: t.Weights == "sublinear", Counts: t.Weights == "counts", Rare: t.Bits == 0 && t.Weights != "counts"}
	s.Most = cmp.Or(t.Most, s.Least)
	return s
}

// by is how the schema calls the way to cut texts into words.
func (t Terms) by() string {
	if t.By == "plain" {
		return ""
	}
	return t.By
}

// Check refuses terms that cannot be.
func (t Terms) Check() error {
	if known := []string{"", "plain", terms.Segments}; !slices.Contains(known, t.By) {
		return registry.Unknown("kind of words", t.By, known[1:])
	}
	if t.by() != "" && t.Within {
		return fmt.Errorf("'words=%s': found terms of characters ('ngrams'), expected terms of words", t.By)
	}
	if known := []string{"", "tfidf", "sublinear", "counts"}; !slices.Contains(known, t.Weights) {
		return registry.Unknown("weights of terms", t.Weights, known[1:])
	}
	if t.Bits > 0 && (t.MinCount > 1 || t.MaxShare > 0 && t.MaxShare < 1) {
		return errors.New("'hash': found 'min-count' or 'max-share' too, expected a vocabulary for these: a hash counts no texts")
	}
	return t.Space().Check()
}

// Asked returns the first of these options that is given, and its value as a flag has it; "" for none.
func (t Terms) Asked() (option, value string) {
	switch {
	case len(t.Columns) > 0:
		return "text", strings.Join(t.Columns, ",")
	case t.Least > 1 || t.Most > 1 || t.Within:
		value = fmt.Sprintf("%d..%d", max(t.Least, 1), max(t.Least, t.Most, 1))
		if t.Within {
			value = "chars:" + value
		}
		return "ngrams", value
	case t.by() != "":
		return "words", t.By
	case len(t.Crossed) > 0:
		return "cross", t.Crossed[0]
	case t.Bits > 0:
		return "hash", strconv.Itoa(t.Bits)
	case t.MinCount > 1:
		return "min-count", strconv.Itoa(t.MinCount)
	case t.MaxShare > 0 && t.MaxShare < 1:
		return "max-share", strconv.FormatFloat(t.MaxShare, 'g', -1, 64)
	case t.Weights != "" && t.Weights != "tfidf":
		return "term-weights", t.Weights
	}
	return "", ""
}

// Spelling says how fields of a table are to be read.
type Spelling struct {
	// Missing are spellings of a missing value besides the usual ones; the schema keeps them.
	Missing []string
	// Dates says what 05/06/2024 means where the rows do not: "dmy" or "mdy"; "": such a column
	// is refused.
	Dates     string
	Separator byte // of a table; 0: found by content
	// Keep names columns of a table, each by name or position, whose fields Set.Kept keeps as they are spelled, as ID does of one.
	Keep  []string
	Terms Terms
}

// Source says where the sources are, and who watches them being read.
type Source struct {
	Stdin io.Reader // read for the source "-"
	FS    fs.FS     // has the sources, Labels and Weights, by its names for them; nil: the system's files

	StdinName  string // what errors call Stdin; "": standard input
	StdinLines int    // that came before those of Stdin

	// Tally, when set, counts the bytes that were read, so that others may watch.
	Tally *Tally
}

// Blocking says how many rows or bytes a step of reading takes.
type Blocking struct {
	// InOrder says that rows will be taken once, from the first to the last, as
	// for prediction: caches larger than memory are then read ahead.
	InOrder bool

	// BlockRows is how many rows a block of [Blocks] has; 0: 1024.
	BlockRows int

	// Bits > 0 says that rows of a stream are to be learned from: blocks have targets, LIBSVM text has 2^Bits columns, the
	// words of tables are hashed into as many, and a missing number is 0, without the offset of its column.
	Bits int

	Chunk int // bytes of text parsed at a time; 0: as many as a core's cache has room for. Never changes the result
}

// System is where the sources are.
func (opt *Options) System() *file.System {
	return &file.System{FS: opt.FS, Stdin: opt.Stdin, StdinName: opt.StdinName, Lines: opt.StdinLines, Ahead: opt.Workers() > 1, Tally: opt.Tally}
}

// Workers is how many goroutines opt allows.
func (opt *Options) Workers() int { return parallel.Cores(opt.Threads) }

// CheckSchema refuses a schema that no reader could follow.
func (opt *Options) CheckSchema() error {
	if opt.Schema == nil {
		return nil
	}
	if err := opt.Schema.Check(opt.Schema.Width()); err != nil {
		return fmt.Errorf("schema: %w", err)
	}
	return nil
}

// A Tally counts the bytes that were read of all sources, for others to watch.
type Tally = file.Tally
