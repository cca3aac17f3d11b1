package main

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/train"
)

// predictor is one run of the verb predict.
type predictor struct {
	in            input
	out           string
	scores        bool
	probabilities bool
}

func newPredict() *cobra.Command {
	p := &predictor{}
	cmd := &cobra.Command{
		Use:   "predict MODEL DATA...",
		Short: "Predict a label or number for every row",
		Long: `Predict writes one line for each row of DATA: the label, spelled as in the
training data, or the number. With --scores the scores follow, with
--probabilities the probability of each class in the order of "fenchel info",
separated by tabs. A label with a newline, tab or other control character is
quoted, as in "a\nb", so that a row stays a line. Targets in DATA are not looked
at; tables need not have them.`,
		Args: arguments(2, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return p.run(cmd, args) },
	}
	p.in.register(cmd, false)
	f := cmd.Flags()
	f.StringVarP(&p.out, "output", "o", "", "write to this file instead of standard output (-)")
	f.BoolVar(&p.scores, "scores", false, "add the scores")
	f.BoolVar(&p.probabilities, "probabilities", false, "add the probabilities (loss logistic)")
	return cmd
}

func (p *predictor) run(cmd *cobra.Command, args []string) error {
	if err := p.in.check(cmd, args[1:]); err != nil {
		return err
	}
	if err := keepInputs("--output", p.out, append(slices.Clone(args), p.in.opt.Labels)...); err != nil {
		return err
	}
	m, err := model.ReadFile(args[0])
	if err != nil {
		return badData(err)
	}
	if p.probabilities && !m.HasProbabilities() {
		return fmt.Errorf("--probabilities: the model was trained with the loss %s, expected logistic", m.Statement.Loss)
	}
	p.in.forModel(m)
	set, err := p.in.read(cmd, args[1:])
	if err != nil {
		return err
	}
	warn(cmd, set.Warnings)
	scores := train.Scores(m, set.X, p.in.opt.Threads)
	write := func(w io.Writer) error { return p.write(w, m, scores) }
	if p.out == "" || p.out == "-" {
		return badData(write(cmd.OutOrStdout()))
	}
	return badData(dataset.WriteFile(p.out, write))
}

// write writes one line per row.
func (p *predictor) write(w io.Writer, m *model.Model, scores [][]float64) error {
	out := bufio.NewWriterSize(w, 1<<16)
	classes := spelled(m.Classes)
	var line []byte
	var probabilities []float64
	for _, s := range scores {
		line = line[:0]
		if m.Classes == nil {
			line = strconv.AppendFloat(line, s[0], 'g', -1, 64)
		} else {
			line = append(line, classes[m.Decide(s)]...)
		}
		if p.scores {
			line = appendNumbers(line, s)
		}
		if p.probabilities {
			probabilities = m.Probabilities(probabilities[:0], s)
			line = appendNumbers(line, probabilities)
		}
		line = append(line, '\n')
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return out.Flush()
}

func appendNumbers(line []byte, numbers []float64) []byte {
	for _, x := range numbers {
		line = strconv.AppendFloat(append(line, '\t'), x, 'g', -1, 64)
	}
	return line
}
