package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// kernelChecker is one run of the verb check-kernel.
type kernelChecker struct {
	in     option.Input
	spec   fenchel.Spec
	kernel option.KernelFlags
	repair string
	out    string
	json   bool
}

func newCheckKernel() *cobra.Command {
	k := &kernelChecker{}
	cmd := &cobra.Command{
		Use:   "check-kernel DATA...",
		Short: "Tell whether a kernel is positive semidefinite on the data",
		Long: fmt.Sprintf(`Check-kernel computes the matrix of a kernel on all rows (at most %d) and its
eigenvalues. The kernel is an inner product on these rows if none is negative; below
0 by less than 1e-10 of the mean diagonal, or by roundings, counts as 0. That no
eigenvalue is negative proves nothing about other rows.

With -o the matrix is written, to train with --kernel precomputed, repaired as
--repair says: clip sets negative eigenvalues to 0, flip changes their sign, shift
adds the same to all of them.`, gram.MostExamined),
		Example: `  fenchel check-kernel iris.csv --kernel sigmoid --gamma 1 --coef0 -1
  fenchel check-kernel @toy:n=200 --kernel "rbf:gamma=1 + poly:degree=2"
  fenchel check-kernel scores.csv --kernel precomputed --repair clip -o psd.csv`,
		Args: option.Arguments(1, 0),
		RunE: func(cmd *cobra.Command, args []string) error { return k.run(cmd, args) },
	}
	k.in.Register(cmd, true)
	f := cmd.Flags()
	f.StringVar(&k.spec.Kernel, "kernel", "", "the kernel, as in \"fenchel list kernels\"")
	k.kernel.ParametersOf(cmd)
	f.StringVar(&k.spec.Scaling, "scale", "", "scaling of the features: none, max or std (default std for tables)")
	f.StringVar(&k.repair, "repair", "", "clip, flip or shift the eigenvalues (default shift)")
	f.StringVarP(&k.out, "output", "o", "", "write the repaired matrix, with the targets of DATA, to this file")
	f.BoolVar(&k.json, "json", false, "print one JSON object")
	option.Complete(cmd, "repair", gram.Repairs()...)
	option.Complete(cmd, "kernel", option.Names(kernel.Entries())...)
	return cmd
}

func (k *kernelChecker) check(cmd *cobra.Command, sources []string) error {
	if k.spec.Kernel == "" {
		return errors.New("--kernel: expected a kernel, such as sigmoid")
	}
	if k.repair != "" && k.out == "" {
		return fmt.Errorf("--repair %s: expected -o too, the file for the matrix", k.repair)
	}
	if k.repair = cmp.Or(k.repair, "shift"); !slices.Contains(gram.Repairs(), k.repair) {
		return registry.Unknown("--repair", k.repair, gram.Repairs())
	}
	if err := k.kernel.Apply(cmd, &k.spec); err != nil {
		return err
	}
	k.in.Opt.Precomputed = pose.IsPrecomputed(k.spec.Kernel)
	if err := cmp.Or(paths.CheckFolder(k.out), paths.KeepInputs("--output", k.out, sources...)); err != nil {
		return err
	}
	if k.out != "" && strings.HasSuffix(k.out, ".svm") {
		return fmt.Errorf("--output %s: expected a table, such as psd.csv, or psd.npy", k.out)
	}
	return cmp.Or(k.spec.Check(), k.in.Check(cmd, sources))
}

func (k *kernelChecker) run(cmd *cobra.Command, sources []string) error {
	if err := k.check(cmd, sources); err != nil {
		return err
	}
	set, err := k.in.Read(cmd, sources)
	if err != nil {
		return err
	}
	k.spec.Threads = k.in.Opt.Threads
	e, err := fenchel.ExamineKernel(cmd.Context(), set, k.spec, k.out != "" && k.repair != "shift")
	if err != nil {
		return err
	}
	if k.out != "" {
		if err := k.write(cmd, set, e); err != nil {
			return exitcode.BadData(err)
		}
	}
	out := result.CheckedKernel{Kernel: k.spec.Kernel, Largest: e.Values[0], Diagonal: e.Trace / float64(e.N), N: e.N, Negative: e.Negative(), Definite: e.Definite(), Smallest: model.Bound(e.Smallest()), Tolerance: e.Negligible()}
	return printing.Print(cmd, k.json, out, func(r printing.Report) { k.print(r, set, out) })
}

// print writes the report.
func (k *kernelChecker) print(r printing.Report, set *data.Set, e result.CheckedKernel) {
	r.Line("data", "%s", printing.Describe(set))
	r.Line("kernel", "%s", e.Kernel)
	r.Line("spectrum", "eigenvalues from %.6g to %.6g, mean diagonal %.6g", e.Smallest, e.Largest, e.Diagonal)
	if e.Definite {
		r.Line("verdict", "positive semidefinite on these rows (none below -%.2g)", e.Tolerance)
	} else {
		r.Line("verdict", "NOT positive semidefinite: %s below -%.2g; --repair clip, flip or shift with -o makes a matrix that is", printing.Count(e.Negative, "eigenvalue"), e.Tolerance)
	}
	if k.out != "" {
		r.Line("written", "%s, by %s: train with --kernel precomputed", k.out, k.repair)
	}
}

// write writes the repaired matrix as rows with the targets of the data.
func (k *kernelChecker) write(cmd *cobra.Command, set *data.Set, e *gram.Examined) error {
	m, err := e.Repair(k.repair)
	if err != nil {
		return err
	}
	values := make([]float32, len(m))
	for i, v := range m {
		values[i] = float32(v)
	}
	x, err := matrix.NewDense(e.N, e.N, values)
	if err != nil {
		return err
	}
	return data.Write(cmd.Context(), k.out, &data.Set{X: x, Target: set.Target, Weight: set.Weight}, "")
}
