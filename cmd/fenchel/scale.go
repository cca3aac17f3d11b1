package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// scaler is one call of scale.
type scaler struct {
	in                       option.Input
	out, to, like            string
	lower, upper             float64
	targetLower, targetUpper float64
	standardise              bool
	save, restore            string
}

func newScale() *cobra.Command {
	s := &scaler{}
	cmd := &cobra.Command{
		Use:   "scale DATA... -o OUT",
		Short: "Bring features to a range, as svm-scale does",
		Long: `Scale brings each feature to the range from --lower to --upper, its least value
to the one and its largest to the other, and writes the rows in the format that
the extension of OUT names, as convert does. Values that are not stored are zeros,
and constant features become 0. --standardise divides by the standard deviation
instead; the mean is taken off columns of tables and arrays, not of sparse rows.
--target-lower and --target-upper do so for targets that are numbers.

--save keeps what was measured, and --restore uses it for other data, in the
layout of svm-scale -s and -r: its files are read, and it reads these. Categories
are 0/1 features; --like makes those that a model or a .fen file has.

"fenchel train --scale" needs none of this: it keeps the scaling in the model.`,
		Example: `  fenchel scale train.svm -o train.scaled.svm --lower 0 --save ranges
  fenchel scale test.svm -o test.scaled.svm --restore ranges`,
		Args: option.Arguments(1, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args) },
	}
	s.in.Register(cmd, true)
	f := cmd.Flags()
	f.StringVarP(&s.out, "output", "o", "", "file to write, or - with --to")
	f.StringVar(&s.to, "to", "", "format of OUT instead of the one its extension names")
	f.StringVar(&s.like, "like", "", "make the features of this model or .fen file, so that tables mean the same")
	f.Float64Var(&s.lower, "lower", -1, "lower end of the range of features")
	f.Float64Var(&s.upper, "upper", 1, "upper end")
	f.Float64Var(&s.targetLower, "target-lower", 0, "lower end of a range of the targets")
	f.Float64Var(&s.targetUpper, "target-upper", 0, "upper end")
	f.BoolVar(&s.standardise, "standardise", false, "standard deviation 1, instead of a range")
	f.StringVar(&s.save, "save", "", "write the ranges to this file, as svm-scale -s does")
	f.StringVar(&s.restore, "restore", "", "take the ranges from this file, as svm-scale -r does")
	return cmd
}

// check refuses flags that do not go together.
func (s *scaler) check(cmd *cobra.Command, args []string) error {
	given := cmd.Flags().Changed
	switch {
	case s.out == "":
		return fmt.Errorf("scale: found no file to write, expected --output FILE")
	case s.out == "-" && s.to == "":
		return fmt.Errorf("scale: found standard output (-) without a format, expected --to FORMAT")
	case given("target-lower") != given("target-upper"):
		return fmt.Errorf("--target-lower, --target-upper: found one of them, expected both or none")
	case s.standardise && (given("lower") || given("upper")):
		return fmt.Errorf("--standardise: found a range beside it, expected one of the two")
	}
	if err := scaling.CheckRange(s.lower, s.upper); err != nil {
		return fmt.Errorf("--lower, --upper: %w", err)
	}
	if err := scaling.CheckRange(s.targetLower, s.targetUpper); given("target-lower") && err != nil {
		return fmt.Errorf("--target-lower, --target-upper: %w", err)
	}
	for _, flag := range []string{"save", "lower", "upper", "target-lower", "target-upper", "standardise"} {
		if s.restore != "" && given(flag) {
			return fmt.Errorf("--%s: found --restore beside it, whose file says what is done", flag)
		}
	}
	read := append(slices.Clone(args), s.in.Opt.Labels, s.in.Opt.Weights, s.like, s.restore)
	if err := paths.KeepInputs("--output", s.out, read...); err != nil {
		return err
	}
	if paths.SameFile(s.save, s.out) {
		return fmt.Errorf("--save %s: found the file that is written to, expected another one", s.save)
	}
	return paths.KeepInputs("--save", s.save, append(read, s.out)...)
}

func (s *scaler) run(cmd *cobra.Command, args []string) error {
	if err := s.check(cmd, args); err != nil {
		return err
	}
	writer, err := option.WriterOf(s.to)
	if err != nil {
		return err
	}
	if err := s.in.Like(cmd, s.like); err != nil {
		return exitcode.BadData(err)
	}
	set, err := s.in.Read(cmd, args)
	if err != nil {
		return err
	}
	ranges, err := s.ranges(cmd, set)
	if err != nil {
		return exitcode.BadData(err)
	}
	scaled, err := s.apply(cmd, set, ranges)
	if err != nil {
		return exitcode.BadData(err)
	}
	return exitcode.BadData(s.write(cmd, scaled, ranges, writer))
}

// write writes the rows, and what was measured.
func (s *scaler) write(cmd *cobra.Command, scaled *data.Set, ranges *scaling.Ranges, writer set.Writer) error {
	if s.save != "" {
		first := firstIndex(scaled)
		if err := file.WriteFile(s.save, func(w io.Writer) error { return ranges.Write(w, first) }); err != nil {
			return err
		}
	}
	return option.WriteSet(cmd, s.out, s.to, writer, scaled)
}

// firstIndex is the index of the first feature.
func firstIndex(set *data.Set) int {
	if set.ZeroBased {
		return 0
	}
	return 1
}

// ranges reads or measures what is done.
func (s *scaler) ranges(cmd *cobra.Command, set *data.Set) (r *scaling.Ranges, err error) {
	switch {
	case s.restore != "" && s.like == "" && numbersItself(set.Schema):
		return nil, fmt.Errorf("--restore %s: found columns of categories or dates, of which each table makes features of its own: expected --like with a model or .fen file of the table that was measured", s.restore)
	case s.restore != "":
		if err := scaling.Gapless(set.X); err != nil {
			return nil, err
		}
		return readRanges(s.restore, set)
	case s.standardise:
		r, err = scaling.NewStandard(set)
	default:
		r, err = scaling.NewRanges(set, s.lower, s.upper, s.in.Opt.Threads)
	}
	if err == nil && cmd.Flags().Changed("target-lower") {
		err = r.MeasureTarget(set.Target, s.targetLower, s.targetUpper)
	}
	return r, err
}

// numbersItself reports whether features depend on the rows of a table: on which categories
// there are, or on the first day.
func numbersItself(s *data.Schema) bool {
	return s.Table() && slices.ContainsFunc(s.Columns, func(c data.Column) bool { return c.IsWords() || c.Kind.IsDate() })
}

func readRanges(path string, set *data.Set) (*scaling.Ranges, error) {
	f, err := os.Open(path)
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = fmt.Errorf("%s: %w", path, p.Err)
		}
		return nil, err
	}
	defer f.Close()
	r, err := scaling.ReadRanges(f, firstIndex(set), set.Cols())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return r, nil
}

// apply scales the rows, and warns as svm-scale does.
func (s *scaler) apply(cmd *cobra.Command, set *data.Set, r *scaling.Ranges) (*data.Set, error) {
	if s.restore != "" {
		printing.Warn(cmd, r.Unseen(set, firstIndex(set), s.restore))
	}
	before := matrix.Nonzeros(set.X)
	scaled, err := r.Apply(set)
	if err != nil {
		return nil, err
	}
	if after := matrix.Nonzeros(scaled.X); after > before && !matrix.IsDense(set.X) {
		printing.Warn(cmd, []error{fmt.Errorf("found %d nonzeros, and %d in the scaled rows: where values are sparse and not negative, --lower 0 keeps zeros", before, after)})
	}
	return scaled, nil
}
