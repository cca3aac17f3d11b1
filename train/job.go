package train

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/structure"
)

// job is one call of Fit.
type job struct {
	spec    Spec
	set     *dataset.Set
	labels  *labels
	scaling *dataset.Scaling
	weights []float64 // of all rows

	features matrix.Matrix // scaled, or their images
	kernel   kernel.Kernel // nil: linear
	problems *problems
	first    objective // of output 0; the others are made when needed

	start   *start  // nil: at zero
	from    *Fitted // or at this solution; nil: not
	part    *Part   // whose rows these are; nil: of none
	c       float64 // 1/(lambda N), as it was given if it was
	solver  solver.Solver
	why     string // the solver was chosen so
	biasWhy string // the bias is not the usual one; "": it is, or was asked for

	margins     []float64 // Result.Margins
	pairsAtOnce int       // matrices of pairs of classes that fit into memory; 0: they have none
	beside      bool      // the matrix is at hand, and several outputs read it at the same time
	released    bool      // the first problem no longer has its matrix

	last []problem.Point // of each output, of its last look; kept for those who watch

	mapped  kernel.Map    // whose images are the rows; nil: they are as they were
	mapping time.Duration // took so long
}

// prepare does everything before the first epoch: a spec becomes a statement, and with the
// targets and rows of the data the problems of that.
func prepare(ctx context.Context, set *dataset.Set, spec Spec) (*job, error) {
	j := &job{spec: spec, set: set}
	return j, j.prepare(ctx)
}

// prepare takes the steps of the function of that name.
func (j *job) prepare(ctx context.Context) error {
	for _, step := range []func(context.Context) error{j.check, j.readTargets, j.state, j.readFeatures, j.makeProblems, j.chooseSolver} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// check refuses what makes no sense whatever the targets are, and fills in defaults.
func (j *job) check(context.Context) error {
	if err := j.spec.Check(); err != nil {
		return err
	}
	if err := trainable(j.set, j.spec.Task); err != nil {
		return err
	}
	j.biasWhy = j.spec.adopt()
	j.spec.complete(j.set)
	return j.spec.takes(j.set.Structure)
}

// readTargets makes labels of the targets.
func (j *job) readTargets(context.Context) (err error) {
	if j.labels, err = readLabels(j.set, &j.spec); err != nil {
		return err
	}
	return cmp.Or(j.checkSingle(), j.spec.checkNu(j.spec.Task))
}

// trainable refuses data from which nothing can be learned.
func trainable(set *dataset.Set, task string) error {
	if set.Target.Absent() && task != OneClass {
		return DataError{"the data have no targets: expected a label in every row"}
	}
	if set.Rows() == 0 {
		return DataError{"the data have no rows: expected at least two"}
	}
	if set.Cols() == 0 {
		return DataError{"the rows have no features: expected at least one"}
	}
	return gapless(set.X)
}

// takes refuses rows that stand for something of which the kernel is none. What a kernel of
// the program's own takes it knows itself.
func (spec *Spec) takes(rows structure.Kind) error {
	k, err := kernel.New(spec.Kernel)
	if rows == structure.Points || spec.Custom != nil || spec.Kernel != "" && err == nil && kernel.StructureOf(k) == rows {
		return nil
	}
	expected := "--kernel spectrum, ssk or mismatch (or words counted as features, such as LIBSVM text)"
	if rows == structure.Graphs {
		expected = "--kernel wl or random-walk"
	}
	return DataError{fmt.Sprintf("found %s, of which only kernels of %s make sense: expected %s", rows, rows, expected)}
}

// CheckRows refuses rows that stand for something else than those of the model.
func CheckRows(m *model.Model, set *dataset.Set) error {
	if k, err := kernelOf(m); set.Structure != structure.Points && err == nil && kernel.StructureOf(k) != set.Structure {
		if _, own := k.(kernel.Func); !own {
			return DataError{fmt.Sprintf("found %s, expected rows of %s, as the model was trained on", set.Structure, kernel.StructureOf(k))}
		}
	}
	return nil
}

// gapless is dataset.Gapless, as a fault of the data.
func gapless(x matrix.Matrix) error {
	if err := dataset.Gapless(x); err != nil {
		return DataError{err.Error()}
	}
	return nil
}

// readFeatures takes the features of a part, or makes them.
func (j *job) readFeatures(ctx context.Context) (err error) {
	if j.part != nil {
		return j.part.prepare(ctx, j)
	}
	return j.makeFeatures(ctx)
}

// makeFeatures scales the rows, and makes the kernel or the images of the rows by a map.
func (j *job) makeFeatures(ctx context.Context) (err error) {
	if j.scaling, err = dataset.NewScaling(j.spec.Scaling, j.set); err != nil {
		return err
	}
	j.features = j.set.X
	if j.scaling != nil {
		j.features = j.scaling.Matrix(j.features)
	}
	if j.kernel, err = j.spec.kernel(j.set.Cols()); err != nil || j.spec.Map == "" {
		return err
	}
	j.features, err = j.imageRows(ctx, j.kernel, j.features)
	j.kernel = nil // the problem is linear
	return err
}

// makeProblems makes what the problems of all outputs share, and the first of them.
func (j *job) makeProblems(ctx context.Context) (err error) {
	opt := kernel.Options{Cache: j.spec.Cache, Threads: j.threadsEach()}
	var rows family
	if j.part != nil {
		rows, err = j.part.rows(ctx, j, opt)
	} else {
		if rows, err = newFamily(j.kernel, j.features, opt); err == nil {
			err = j.fill(ctx, rows)
		}
	}
	if err != nil {
		return err
	}
	if j.problems, err = problemsOf(j.statement(), j.spec.own(), j.labels, j.weights, rows, opt.Threads); err != nil {
		return err
	}
	j.problems.beside, j.problems.threads = j.beside, j.threadsEach()
	if f, ok := j.problems.family.(machineFamily); ok {
		j.spec.Kernel = kernel.Fitted(j.spec.Kernel, f.gram.Shift())
		if j.problems.pairs = j.pairs(rows); j.problems.pairs != nil {
			j.problems.threads = j.threadsEach()
			defer f.gram.StopWhen(nil)
			f.gram.StopWhen(func() bool { return ctx.Err() != nil })
		}
	}
	j.first, err = j.problems.output(0)
	return err
}

// fill computes the whole matrix of a kernel once for the problems of several classes, which else
// compute it again for each class. Of pairs of classes each has its own matrix.
func (j *job) fill(ctx context.Context, rows family) error {
	f, machine := rows.(machineFamily)
	if !machine || j.labels.outputs() < 3 || j.labels.pairs || !j.spec.auto() {
		return nil
	}
	err := fillTable(ctx, f.gram, func() {
		if kernel.TableFits(f.gram.Len(), j.spec.Cache) {
			f.gram.Fill(nil)
		} else {
			f.gram.FillSingle()
		}
	})
	j.beside = f.gram.Filled()
	return err
}

// pairs prepares the matrices of pairs of classes, if they fit into memory; else nil.
func (j *job) pairs(rows family) *kernel.Pairs {
	f, machine := rows.(machineFamily)
	if !machine || !j.labels.pairs || j.labels.outputs() < 3 || !j.spec.auto() || f.gram.Filled() {
		return nil
	}
	var classes [][]int
	var sizes []int
	for _, of := range j.labels.rowsOf() {
		numbers := make([]int, len(of))
		for k, i := range of {
			numbers[k] = int(i)
		}
		classes, sizes = append(classes, numbers), append(sizes, len(of))
	}
	if j.pairsAtOnce = kernel.PairsAtOnce(sizes, j.spec.Cache); j.pairsAtOnce == 0 {
		return nil
	}
	return f.gram.Pairs(classes)
}

// chooseSolver names the solver and how many partitions it works on, and makes it.
func (j *job) chooseSolver(context.Context) (err error) {
	if j.single() {
		j.spec.Solver, j.why = "none", "one target, nothing to tell apart"
		return nil
	}
	if j.spec.auto() {
		j.spec.Solver, j.why = j.problems.choose(j.first.Problem, j.spec.Gap)
		if j.spec.Partitions > 0 {
			j.spec.Solver, j.why = "sdca", "it works in partitions"
		} else if _, linear := j.first.Problem.(*problem.Linear); linear && j.spec.Solver == "sdca" && j.part != nil && j.part.beside {
			j.spec.Partitions = 1 // its epochs come further
		}
	}
	if j.spec.Partitions > 0 {
		j.spec.Solver = fmt.Sprintf("sdca:partitions=%d", j.spec.Partitions)
	}
	if j.solver, err = j.makeSolver(); err != nil {
		return err
	}
	return j.solver.Accepts(j.first.Problem)
}

// total is the sum of the row weights.
func (j *job) total() float64 {
	if j.first.rows == nil {
		return j.first.N
	}
	return sum(j.weights)
}
