// Package reporting has the verb that writes a report of a model as a page.
package reporting

import (
	"cmp"
	"errors"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/report"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/reportpage"
	"github.com/fenchel-ml/fenchel/model"
)

// reporter is one run of the verb report.
type reporter struct {
	in              option.Input
	test            []string
	compare, trace  string
	slice, id, out  string
	contents, json_ bool
}

// NewReport makes the command that writes reports.
func NewReport() *cobra.Command {
	r := &reporter{}
	cmd := &cobra.Command{
		Use:   "report MODEL DATA... -o PAGE",
		Short: "Write a page about a model: how good it is, what is proved, what it goes by",
		Long: `Report writes one HTML file, which opens without a network and runs no script: the result in
a sentence, beside always predicting the same; what is proved, in words; warnings; of classes the confusion
matrix, ROC and precision by recall with a table of thresholds, and whether probabilities are
true; of numbers what is left of them; the largest weights in units of the data, and how much worse
predictions get without what a column tells; the rows that are predicted worst; the columns, and the command.
Each picture has its numbers as a table, which --json prints.

DATA are the rows that MODEL was trained on: then its proof is computed again. Other rows, --test, judge
it; without them DATA do. Principal components: what they capture, their spectrum and loadings.`,
		Example: `  fenchel report m.model train.csv --test new.csv --slice sex -o report.html
  fenchel report a.model train.csv --compare b.model -o report.html`,
		Args: option.Arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return r.run(cmd, args[0], args[1:]) },
	}
	r.in.Register(cmd, false)
	f := cmd.Flags()
	f.StringVarP(&r.out, "output", "o", "", "write the page to this HTML file")
	f.StringArrayVar(&r.test, "test", nil, "rows that judge the model (may be repeated)")
	f.StringVar(&r.compare, "compare", "", "a model of the same targets, on the same rows")
	f.StringVar(&r.slice, "slice", "", "column of a table by whose values errors are told")
	f.StringVar(&r.id, "id", "", "name rows by this column of a table, by name or position from 1")
	f.BoolVar(&r.contents, "rows", false, "show the contents of the rows that are predicted worst")
	f.StringVar(&r.trace, "trace", "", "file of train --trace: the gap by seconds of training")
	f.BoolVar(&r.json_, "json", false, "print the tables as one JSON object")
	return cmd
}

func (r *reporter) run(cmd *cobra.Command, path string, sources []string) error {
	if r.out == "" && !r.json_ || r.out == "-" {
		return errors.New("report: found no file for the page, expected -o FILE.html, or --json")
	}
	inputs := append(append([]string{path, r.compare, r.trace}, sources...), r.test...)
	if err := cmp.Or(r.in.Check(cmd, append(append([]string(nil), sources...), r.test...)), paths.CheckOutputs([][2]string{{"--output", r.out}}, inputs)); err != nil {
		return err
	}
	m, components, err := option.ReadModel(cmd, path)
	if err != nil {
		return err
	}
	r.in.Opt.InOrder, r.in.Opt.ID = true, r.id
	page, err := (*reportpage.Page)(nil), error(nil)
	if components != nil {
		page, err = r.components(cmd, path, components, sources)
	} else {
		page, err = r.model(cmd, path, m, sources)
	}
	if err != nil {
		return err
	}
	if r.out != "" {
		if err := exitcode.BadData(file.WriteFile(r.out, page.WriteHTML)); err != nil {
			return err
		}
	}
	return printing.Print(cmd, r.json_, page, func(p printing.Report) { p.Line("page", "%s", r.out) })
}

// model makes the report of a model that predicts.
func (r *reporter) model(cmd *cobra.Command, path string, m *model.Model, sources []string) (*reportpage.Page, error) {
	q := reportpage.Asked{Model: m, Name: filepath.Base(path), Slice: r.slice, Contents: r.contents, Command: printing.Command(), Threads: r.in.Opt.Threads}
	var err error
	if r.slice != "" {
		if _, err = reportpage.SliceOf(m, r.slice); err != nil {
			return nil, err
		}
	}
	if q.Learned, err = r.read(cmd, m, sources, true); err != nil {
		return nil, err
	}
	judges := sources
	if r.test != nil {
		judges = r.test
		if q.Test, err = r.read(cmd, m, r.test, false); err != nil {
			return nil, err
		}
	}
	if r.compare != "" {
		if q.Other, err = model.ReadFile(r.compare); err != nil {
			return nil, exitcode.BadData(option.NotModel(cmd, r.compare, err))
		}
		q.OtherName = filepath.Base(r.compare)
		if q.OtherRows, err = r.read(cmd, q.Other, judges, false); err != nil {
			return nil, err
		}
	}
	if r.trace != "" {
		if q.Trace, err = report.ReadTrace(r.trace, "train_seconds", "gap", false); err != nil {
			return nil, exitcode.BadData(err)
		}
		for i, c := range q.Trace {
			q.Trace[i].Name = cmp.Or(c.Name, "gap")
		}
	}
	page, err := reportpage.Of(cmd.Context(), q)
	return page, exitcode.BadData(err)
}

// read reads rows as a model does; all columns of those that it was trained on.
func (r *reporter) read(cmd *cobra.Command, m *model.Model, sources []string, learned bool) (*data.Set, error) {
	in := r.in
	if learned && m.OnePass == nil { // which has features that no row had
		in.ForTraining(cmd, m)
	} else {
		in.ForModel(cmd, m)
	}
	in.SkipAs(m.Schema)
	return in.ReadAgain(cmd, sources)
}

// components makes the report of principal components.
func (r *reporter) components(cmd *cobra.Command, path string, m *model.PCA, sources []string) (*reportpage.Page, error) {
	if r.compare != "" || r.slice != "" || r.contents || r.trace != "" {
		return nil, errors.New("--compare, --slice, --rows, --trace: found principal components, expected a model that predicts")
	}
	r.in.ForComponents(cmd, m)
	learned, err := r.in.ReadAgain(cmd, sources)
	if err != nil {
		return nil, err
	}
	test := (*data.Set)(nil)
	if r.test != nil {
		if test, err = r.in.ReadAgain(cmd, r.test); err != nil {
			return nil, err
		}
	}
	page, err := reportpage.OfComponents(cmd.Context(), m, filepath.Base(path), learned, test, printing.Command(), r.in.Opt.Threads)
	return page, exitcode.BadData(err)
}
