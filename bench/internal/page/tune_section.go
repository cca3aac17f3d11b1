package page

import (
	"fmt"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
)

// tuneSection shows searches: the same rows, folds and grid.
func tuneSection(rows []measure.Measurement) string {
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
	return t.under("Searches", "Cross-validation of five folds over a grid, without reading. Every one of Fenchel's solutions is proved to a relative gap of 1e-3.")
}
