package page

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
)

// tuneSection shows searches, with the same rows, folds and grid, and paths.
func tuneSection(rows []measure.Measurement) string {
	paths := measure.Where(rows, func(m measure.Measurement) bool { return m.Kind == "path" })
	rows = measure.Where(rows, func(m measure.Measurement) bool { return m.Kind != "path" })
	t := newTable("set", "rows", "model", "grid", "contender", "time", "of Fenchel's", "best score", "at")
	own := map[string]float64{}
	for _, m := range rows {
		if m.Contender == measure.OwnName {
			own[m.Set] = m.Seconds
		}
	}
	for _, m := range rows {
		model := m.Loss
		if m.Kernel != "" {
			model += ", " + m.Kernel
		}
		t.add(m.Set, fmt.Sprint(m.Rows), model, m.Lambda, m.Contender, fmt.Sprintf("%.2f s", m.Seconds), fmt.Sprintf("%.1fx", m.Seconds/own[m.Set]), fmt.Sprintf("%.4f", m.Test), m.Setting)
	}
	return t.under("Searches", "Cross-validation of five folds over a grid, without reading. Every one of Fenchel's solutions is proved to a relative gap of 1e-3.") + "\n" + pathTable(paths)
}

// pathTable shows paths of the penalty l1.
func pathTable(rows []measure.Measurement) string {
	t := newTable("set", "rows", "columns", "loss", "lambda", "contender", "time", "of Fenchel's", "accuracy", "setting", "processor")
	own := map[[2]string]float64{}
	for _, m := range rows {
		if m.Contender == measure.OwnName {
			own[[2]string{m.Set, m.Loss}] = m.Seconds
		}
		t.add(m.Set, fmt.Sprint(m.Rows), fmt.Sprint(m.Columns), m.Loss, m.Lambda, m.Contender, fmt.Sprintf("%.2f s", m.Seconds), fmt.Sprintf("%.1fx", m.Seconds/own[[2]string{m.Set, m.Loss}]), fmt.Sprintf("%.1e", m.Accuracy), m.Setting, m.Note)
	}
	return t.under("Paths", "The penalty l1 without bias, without reading. Every solution of Fenchel's is proved to a relative gap of 1e-3; a peer has the loosest tolerance with which every objective is as accurate, or it was stopped after ten times as long.")
}
