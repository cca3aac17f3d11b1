package training

import (
	"fmt"
	"math"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/tune"
)

// trivialOnFolds are the mean score of the trivial model on the folds and what it predicts, in brackets.
func trivialOnFolds(found *tune.Result) string {
	if math.IsNaN(found.Trivial.Mean) {
		return ""
	}
	return fmt.Sprintf(" (%s: %s)", found.Trivial.Prediction, scoreText(found.Trivial.Mean))
}

// warnOfFolds warns where a candidate is no better than the trivial model.
func warnOfFolds(cmd *cobra.Command, found *tune.Result, c *tune.Trial) {
	if !found.Beaten(c) {
		printing.Warn(cmd, []error{fmt.Errorf("%s %s is no better than %s of the trivial model (%s)", found.Score.Name, scoreText(c.Mean), scoreText(found.Trivial.Mean), found.Trivial.Prediction)})
	}
}

// scoreText writes a score in digits that can be told apart.
func scoreText(x float64) string {
	if math.IsNaN(x) {
		return "-"
	}
	return fmt.Sprintf("%.4g", x)
}

func deviation(x float64) string {
	if math.IsNaN(x) {
		return ""
	}
	return fmt.Sprintf(" (deviation %.2g)", x)
}
