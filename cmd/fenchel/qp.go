package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/paths"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/internal/solve/quadratic/convex"
	"github.com/fenchel-ml/fenchel/internal/solve/quadratic/qpfile"
	"github.com/fenchel-ml/fenchel/model"
)

// quadraticProgram is one run of the verb qp.
type quadraticProgram struct {
	limits convex.Limits
	out    string
	json   bool
}

func newQP() *cobra.Command {
	q := &quadraticProgram{}
	cmd := &cobra.Command{
		Use:   "qp FILE",
		Short: "Solve a convex quadratic program, and prove how good the answer is",
		Long: fmt.Sprintf(`Qp minimises x'Px/2 + q'x over l <= Ax <= u and lb <= x <= ub, P symmetric and
positive semidefinite, by an interior-point method. It proves a bound on the
objective of all feasible points, or that there is none, or that the objective
falls without end, or that P is not semidefinite.

FILE is QPS (MPS with QUADOBJ or QMATRIX, fixed or free) or an NPZ archive of P,
q, A, l, u, lb and ub, of which all but q may be absent; sparse matrices are
P_data, P_indices, P_indptr and P_format (csr or csc). Bounds of 1e20 and more in
QPS are none. Integer variables are solved as continuous ones. A step factors a
dense matrix of the variables, %d at most; a thousand take seconds.

With -o the solution is written: x, the multipliers y of the rows and w of the
bounds, with Px + q + A'y + w = 0 (signs as of a minimum), instead of them the y
that proves infeasibility, or a ray; as NPZ, or for a name that ends with .csv as
lines of kind, name, value and multiplier. Without an optimum the exit code is 4.`, convex.MostVariables),
		Example: `  fenchel qp portfolio.qps
  fenchel qp program.npz -o solution.npz --json`,
		Args: option.Arguments(1, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return q.run(cmd, args[0]) },
	}
	f := cmd.Flags()
	f.Float64Var(&q.limits.Tolerance, "gap", 1e-9, "stop when the relative gap is proved to be at most this, and rows hold as closely")
	f.IntVar(&q.limits.Steps, "steps", 200, "stop after so many steps")
	f.IntVar(&q.limits.Threads, "threads", 0, "use at most this many cores; never changes a result (default all)")
	f.StringVarP(&q.out, "output", "o", "", "write the solution to this file, .npz or .csv")
	f.BoolVar(&q.json, "json", false, "print one JSON object")
	return cmd
}

func (q *quadraticProgram) run(cmd *cobra.Command, source string) error {
	if !(q.limits.Tolerance >= 1e-14 && q.limits.Tolerance < 1) {
		return fmt.Errorf("--gap %v: expected a number from 1e-14, below 1", q.limits.Tolerance)
	}
	if q.limits.Steps < 1 {
		return fmt.Errorf("--steps %d: expected a positive number", q.limits.Steps)
	}
	in := option.Input{}
	in.Opt.Threads = q.limits.Threads
	if err := cmp.Or(in.Check(cmd, nil), q.checkOutput(source)); err != nil {
		return err
	}
	f, err := qpfile.Read(cmd.Context(), &file.System{Stdin: cmd.InOrStdin()}, source)
	if err != nil {
		return exitcode.BadData(err)
	}
	printing.Warn(cmd, f.Notes)
	q.limits.Stop = func() bool { return cmd.Context().Err() != nil }
	s := f.Solve(q.limits)
	if q.out != "" {
		write := func(w io.Writer) error { return f.Write(w, s, strings.HasSuffix(q.out, ".csv")) }
		if err := file.WriteFile(q.out, write); err != nil {
			return exitcode.BadData(err)
		}
	}
	out := result.QuadraticOf(f, s)
	if err := printing.Print(cmd, q.json, out, func(r printing.Report) { q.print(r, out) }); err != nil {
		return err
	}
	return solvedAs(cmd.Context(), s.Status)
}

// checkOutput refuses files that the solution cannot be written to.
func (q *quadraticProgram) checkOutput(source string) error {
	if q.out == "" {
		return nil
	}
	if !strings.HasSuffix(q.out, ".csv") && !strings.HasSuffix(q.out, ".npz") {
		return fmt.Errorf("--output %s: expected a name that ends with .npz or .csv", q.out)
	}
	return paths.CheckOutputs([][2]string{{"--output", q.out}}, []string{source})
}

// solvedAs is the exit code of a status.
func solvedAs(ctx context.Context, s convex.Status) error {
	switch s {
	case convex.Optimal:
		return nil
	case convex.Limit:
		return &exitcode.Error{Code: exitcode.Limit}
	case convex.Cut:
		return ctx.Err()
	}
	return &exitcode.Error{Code: exitcode.Failed}
}

// print writes the report.
func (q *quadraticProgram) print(r printing.Report, out result.Quadratic) {
	r.Line("program", "%s, %s%s", printing.Count(out.Variables, "variable"), printing.Count(out.Rows, "row"), map[bool]string{true: ", a maximum is sought"}[out.Maximize])
	r.Line("status", "%s after %s", out.Status, printing.Count(out.Steps, "step"))
	among := ""
	if known := out.Radius - out.Radius; known == 0 {
		among = fmt.Sprintf(", among points of numbers up to %.3g", out.Radius)
	}
	unknown := func(v model.Bound) bool { return v != v }
	switch {
	case out.Reason != "":
		r.Line("proof", "%s", out.Reason)
	case !unknown(out.Margin):
		r.Line("proof", "the rows times the multipliers y of -o are contradictory, by %.3g%s", out.Margin, among)
	case !unknown(out.Slope):
		r.Line("proof", "along the ray of -o the objective changes by %.9g a step without end; rows and curvature allow it up to %.2g", out.Slope, out.Dual)
	case !unknown(out.Curvature):
		r.Line("proof", "P has the curvature %.9g along the direction of -o: the program is not convex", out.Curvature)
	default:
		r.Line("objective", "%.12g", out.Objective)
		r.Line("bound", "%.12g proved%s, gap %.2g", out.Bound, among, out.Gap)
		r.Line("residuals", "rows %.2g, derivatives %.2g", out.Primal, out.Dual)
	}
	if q.out != "" {
		r.Line("written", "%s", q.out)
	}
}
