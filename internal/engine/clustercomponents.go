package engine

import (
	"context"
	"io"

	"github.com/fenchel-ml/fenchel/internal/cluster"
	"github.com/fenchel-ml/fenchel/model"
)

// coordinateComponents finds principal components on partitions, as [Coordinate] trains linear models.
func coordinateComponents(ctx context.Context, remote cluster.Cluster, spec pcaSpec, out io.Writer) error {
	rounds := 0
	found, err := cluster.Principal(ctx, remote, spec.spec(), func(gap float64) {
		rounds++
		writeProgress(out, cluster.Progress{Round: rounds, Gap: gap, Proved: true})
	})
	if err != nil {
		return writePayload(out, map[string]any{"error": failureOf(err)}, nil)
	}
	m := found.Model
	var raw writer
	if err := m.Write(&raw); err != nil {
		return err
	}
	return writePayload(out, map[string]any{"result": map[string]any{"status": m.Proof.Status, "gap": model.Bound(m.Proof.Relative()), "jobs": found.Jobs,
		"method": m.Statement.Method, "rows": m.Data.Rows, "features": m.Data.Features}}, raw)
}
