package option

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/generate"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/read/terms"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// Input holds the flags that say how to read data.
type Input struct {
	Opt     data.Options
	ngrams  string // as it was written
	checked bool
}

// Register adds the flags; target tells whether the verb decides on a target
// column itself or has a model that knows it.
func (in *Input) Register(cmd *cobra.Command, target bool) {
	f := cmd.Flags()
	f.StringVar(&in.Opt.Format, "format", "", "format of the data instead of the one found by content: "+strings.Join(Names(data.Formats()), ", "))
	f.StringVar(&in.Opt.Weights, "weights", "", "column of row weights, by name or position from 1; for formats without columns a file with one number a row")
	f.StringVar(&in.Opt.Labels, "labels", "", "file with one target a row, or an NPY array of several, for formats without a column of targets (IDX, NPY, NPZ, .fen)")
	f.IntVar(&in.Opt.Threads, "threads", 0, "use at most this many cores; never changes a result (default all)")
	zero := "LIBSVM indices begin with 0, where read and where written; a model notes it for LIBSVM rows to come"
	if !target {
		zero = "LIBSVM indices begin with 0 (default as the model notes it)"
	}
	f.BoolVar(&in.Opt.ZeroBased, "zero-based", false, zero)
	Complete(cmd, "format", Names(data.Formats())...)
	f.BoolVar(&in.Opt.SkipUnlabelled, "skip-unlabelled", false, "leave out rows of a table that have no target")
	if !target {
		return
	}
	f.StringVar(&in.Opt.Header, "header", "auto", "the first line of a CSV names the columns: yes, no or auto")
	f.StringVar(&in.Opt.Target, "target", "", "column to predict, by name or position from 1, or several of numbers as in a,b,c (default: target, label, class or y, else the last)")
	f.StringSliceVar(&in.Opt.Ignore, "ignore", nil, "columns of a table to leave out: names, positions from 1 or patterns such as id_*, separated by commas")
	f.StringSliceVar(&in.Opt.Categorical, "categorical", nil, "columns of a table that are categories, though they look like numbers, dates or ids")
	f.StringSliceVar(&in.Opt.Numeric, "numeric", nil, "columns of a table that are numbers, though they look like ids or codes; what is none is missing")
	f.StringSliceVar(&in.Opt.Terms.Columns, "text", nil, "columns of a table whose texts make a feature for each term (default: those of sentences)")
	f.StringVar(&in.ngrams, "ngrams", "1", "terms of texts: so many words, as in 1..2, or characters within words, as in chars:3..5")
	f.StringVar(&in.Opt.Terms.By, "words", "plain", "words of texts: plain, runs of two and more letters or digits, or uax29, Unicode's segmentation, for scripts without blanks too")
	Complete(cmd, "words", "plain", terms.Segments)
	f.IntVar(&in.Opt.Terms.Bits, "hash", 0, "number terms, and products of --cross, by a hash of so many bits, without a vocabulary (default by a vocabulary)")
	f.StringArrayVar(&in.Opt.Terms.Crossed, "cross", nil, "two columns of a table, as in a,b: the products of their features are features too, by pairs that rows have or by --hash; may be given again")
	f.IntVar(&in.Opt.Terms.MinCount, "min-count", 1, "leave out terms that fewer texts have")
	f.Float64Var(&in.Opt.Terms.MaxShare, "max-share", 1, "leave out terms that a larger share of the texts has")
	f.StringVar(&in.Opt.Terms.Weights, "term-weights", "tfidf", "weights of terms: tfidf, sublinear (1 + ln count) or counts")
	Complete(cmd, "term-weights", "tfidf", "sublinear", "counts")
	f.StringSliceVar(&in.Opt.Missing, "missing", nil, "spellings of a missing value in a table, besides empty, ?, NA, N/A, #N/A, NaN, NaT, None, null and \\N; the model keeps them")
	f.StringVar(&in.Opt.Dates, "dates", "", "what stands first in dates such as 05/06/2024, where the rows do not tell: dmy or mdy")
	Complete(cmd, "dates", "dmy", "mdy")
	Complete(cmd, "header", "yes", "no", "auto")
}

// Check refuses, before anything is read, what the reader would not understand.
func (in *Input) Check(cmd *cobra.Command, sources []string) error {
	if in.checked { // a generator takes time to make
		return nil
	}
	if err := paths.RefuseEmpty(cmd); err != nil {
		return err
	}
	if known := Names(data.Formats()); in.Opt.Format != "" && !slices.Contains(known, in.Opt.Format) {
		return registry.Unknown("format", in.Opt.Format, known)
	}
	switch in.Opt.Header {
	case "auto":
		in.Opt.Header = ""
	case "", "yes", "no":
	default:
		return fmt.Errorf("--header %s: expected yes, no or auto", in.Opt.Header)
	}
	if d := in.Opt.Dates; d != "" && d != "dmy" && d != "mdy" {
		return fmt.Errorf("--dates %s: expected dmy or mdy", d)
	}
	if err := in.readTerms(); err != nil {
		return err
	}
	if in.Opt.Target != "" && in.Opt.Labels != "" {
		return fmt.Errorf("--target %s, --labels %s: found two places of the targets, expected one of them", in.Opt.Target, in.Opt.Labels)
	}
	if cores := max(runtime.NumCPU(), runtime.GOMAXPROCS(0)); in.Opt.Threads < 0 || in.Opt.Threads > cores {
		return fmt.Errorf("--threads %d: expected a number from 1 to %d, the cores of this machine, or 0 for all of them", in.Opt.Threads, cores)
	}
	in.checked = true
	return CheckGenerators(sources)
}

// readTerms reads what terms of texts are to be.
func (in *Input) readTerms() error {
	if in.ngrams == "" { // a verb without these flags
		return nil
	}
	t := &in.Opt.Terms
	if !t.ReadNgrams(in.ngrams) {
		return fmt.Errorf("--ngrams %s: %s", in.ngrams, set.NgramsExpected)
	}
	if !(t.MaxShare > 0 && t.MaxShare <= 1) {
		return fmt.Errorf("--max-share %g: expected a share above 0, up to 1", t.MaxShare)
	}
	if t.MaxShare == 1 {
		t.MaxShare = 0
	}
	return t.Check()
}

// CheckGenerators refuses bad specs of generators: they are about the command
// line, not about data.
func CheckGenerators(sources []string) error {
	for _, source := range sources {
		if !strings.HasPrefix(source, "@") {
			continue
		}
		if len(sources) > 1 {
			return fmt.Errorf("%s: found a generator among %d sources, expected it alone", source, len(sources))
		}
		if _, _, err := generate.Stream(source); err != nil {
			return err
		}
	}
	return nil
}

// begin checks what is read, and says where standard input is.
func (in *Input) begin(cmd *cobra.Command, sources []string) error {
	in.Opt.Stdin = cmd.InOrStdin()
	return in.Check(cmd, sources)
}

// Read reads all sources as one set, and warns of what is odd in them.
func (in *Input) Read(cmd *cobra.Command, sources []string) (*data.Set, error) {
	set, err := in.ReadAgain(cmd, sources)
	if err == nil {
		printing.Warn(cmd, set.Warnings)
	}
	return set, err
}

// ReadAgain is Read of what was warned of.
func (in *Input) ReadAgain(cmd *cobra.Command, sources []string) (*data.Set, error) {
	if err := in.begin(cmd, sources); err != nil {
		return nil, err
	}
	set, err := data.Read(cmd.Context(), sources, in.Opt)
	if err != nil {
		return nil, readError(notData(cmd, sources, err))
	}
	return set, nil
}

// notData says of a source that cannot be read what it is instead: a model, or perhaps the
// file to write, which other programs take as the last argument.
func notData(cmd *cobra.Command, sources []string, err error) error {
	last := sources[len(sources)-1]
	out := cmd.Flags().Lookup("output")
	if len(sources) > 1 && out != nil && !out.Changed && errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(err.Error(), last+": ") {
		return fmt.Errorf("%w (a file to write is named by --output, or -o)", err)
	}
	for _, source := range sources {
		for _, file := range paths.Matches(source) {
			if model.IsFile(file) {
				return fmt.Errorf("%s: found a model, expected data", file)
			}
		}
	}
	return err
}

// Blocks reads all sources as a stream and gives take the rows, block after block.
func (in *Input) Blocks(cmd *cobra.Command, sources []string, take func(*data.RowStream, matrix.Matrix) error) error {
	if err := in.begin(cmd, sources); err != nil {
		return err
	}
	rows, err := data.Blocks(cmd.Context(), sources, in.Opt)
	if err != nil {
		return readError(notData(cmd, sources, err))
	}
	defer rows.Close()
	printing.Warn(cmd, rows.Warnings)
	for x, err := range rows.All() {
		if err != nil {
			return readError(err)
		}
		if err := take(rows, x); err != nil {
			return err
		}
	}
	printing.Warn(cmd, rows.Late)
	return nil
}

// readError marks an error of reading as one about data, but for an option, which is
// called as its flag is.
func readError(err error) error {
	var useless *data.OptionError
	if errors.As(err, &useless) {
		return fmt.Errorf("--%w", err)
	}
	return exitcode.BadData(err)
}

// ForModel makes the reader produce the features of a model.
func (in *Input) ForModel(cmd *cobra.Command, m *model.Model) {
	zero := in.Opt.ZeroBased
	pose.ReadAs(&in.Opt, m)
	if cmd.Flags().Changed("zero-based") {
		in.Opt.ZeroBased = zero
	}
}

// ForTraining makes the reader read the rows that a model was trained on, all
// columns of them.
func (in *Input) ForTraining(cmd *cobra.Command, m *model.Model) {
	in.ForModel(cmd, m)
	in.Opt.Columns = 0
}

// ForComponents makes the reader produce the features of components.
func (in *Input) ForComponents(cmd *cobra.Command, m *model.PCA) {
	in.ForFinding(cmd, m)
	in.Opt.Columns = m.Cols()
}

// ForFinding makes the reader read the rows that components were found in, all
// columns of them.
func (in *Input) ForFinding(cmd *cobra.Command, m *model.PCA) {
	in.Opt.Schema, in.Opt.Unmoved, in.Opt.Unlabelled = m.Schema, m.Schema == nil, true
	in.Opt.Observed = m.Statement.Missing == model.Observed
	if !cmd.Flags().Changed("zero-based") {
		in.Opt.ZeroBased = m.Statement.ZeroBased
	}
}

// SkipAs leaves out rows without a target where this was done for a model; rows to predict may have none.
func (in *Input) SkipAs(s *data.Schema) {
	in.Opt.SkipUnlabelled = in.Opt.SkipUnlabelled || s != nil && s.SkipUnlabelled
}
