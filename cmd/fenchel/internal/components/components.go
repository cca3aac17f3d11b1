package components

import (
	"cmp"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
)

// What the verbs that take any model do with principal components.

// verifyComponents recomputes what components claim, with the error of reading them.
func Verify(cmd *cobra.Command, in *option.Input, m *model.PCA, tampered error, sources []string, asJSON bool) error {
	in.ForFinding(cmd, m)
	in.SkipAs(m.Schema)
	set, err := in.Read(cmd, sources)
	if err != nil {
		return err
	}
	set.Widen(m.Cols()) // --features may have asked for more than the rows have
	v, err := pca.Verify(cmd.Context(), m, set, in.Opt.Threads)
	if err != nil {
		return exitcode.BadData(err)
	}
	if tampered != nil {
		v.Problems = append([]string{tampered.Error()}, v.Problems...)
	}
	found := *m
	found.Proof = v.Found
	out := result.VerifiedComponents{Components: result.ComponentsOf(&found), Verdict: result.VerdictOf(v.Problems, v.Unproved)}
	said := printing.Print(cmd, asJSON, out, func(r printing.Report) {
		for _, p := range v.Problems {
			r.Line("FALSE", "%s", p)
		}
		switch {
		case len(v.Problems) > 0:
		case v.Unproved != "":
			r.Line("unproved", "%s of %s: %s", printing.Count(m.Statement.K, "component"), printing.Count(m.Cols(), "feature"), v.Unproved)
		default:
			r.Line("verified", "%s of %s", printing.Count(m.Statement.K, "component"), printing.Count(m.Cols(), "feature"))
			printBound(r, m.Statement.K, v.Found)
		}
	})
	return cmp.Or(said, exitcode.Verified(v.Problems, v.Unproved))
}
