package training

import (
	"fmt"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/kernel"
)

// unscaled reports whether nothing scales the features, though that was not asked for and
// would make sense.
func (t *Trainer) unscaled() bool {
	k, err := kernel.New(t.Spec.Kernel)
	return t.Spec.Scaling == "" && !t.Spec.IsNetwork() && !t.Set.Schema.Standardised() && (err != nil || !kernel.Selective(k))
}

// adviseScale warns of columns that differ so much in size that the penalty, or the
// distances of rows, are a matter of a few of them.
func (t *Trainer) adviseScale(cmd *cobra.Command) {
	const much = 1e4
	if !t.unscaled() || t.Set.Structure != structure.Points {
		return
	}
	ratio, small, large := scaling.Disparity(t.Set.X)
	if ratio <= much {
		return
	}
	name := func(j int) string {
		if t.Set.Feature != nil {
			return strconv.Quote(t.Set.Feature[j])
		}
		if t.Set.ZeroBased {
			return strconv.Itoa(j)
		}
		return strconv.Itoa(j + 1)
	}
	printing.Warn(cmd, []error{fmt.Errorf("columns differ in size by %.0e (%s is the largest, %s the smallest): use --scale std", ratio, name(large), name(small))})
}
