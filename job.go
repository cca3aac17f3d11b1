package fenchel

import (
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
)

// job is one call of Train.
type job struct {
	spec    Spec
	set     *data.Set
	labels  *pose.Labels
	targets []model.Target // statements of several
	scaling *data.Scaling
	weights []float64 // weight of every row

	features matrix.Matrix // scaled, or their images
	kernel   kernel.Kernel // nil: linear
	problems *pose.Problems
	first    pose.Objective // objective of output 0; the others are made when needed

	start   *start  // nil: at zero
	from    *Fitted // or at this solution; nil: not
	part    *Part   // whose rows these are; nil: of none
	c       float64 // 1/(lambda N), as it was given if it was
	solver  solver.Solver
	why     string // the solver was chosen so
	biasWhy string // the bias is not the usual one; "": it is, or was asked for

	margins     []float64 // Result.Margins
	pairsAtOnce int       // matrices of pairs of classes that fit into memory; 0: they have none
	concurrent  bool      // the matrix is at hand, and several outputs read it at the same time
	released    bool      // the first problem no longer has its matrix

	last []problem.Point // last point of each output that was shown; kept for those who watch

	mapped  featuremap.Map // whose images are the rows; nil: they are as they were
	mapping time.Duration  // took so long
}

// total is the sum of the row weights.
func (j *job) total() float64 {
	if j.first.Rows == nil {
		return j.first.N
	}
	return pose.Sum(j.weights)
}

// statement writes down the problem.
func (j *job) statement() model.Statement {
	s := model.Statement{Loss: j.spec.Loss, Penalty: j.spec.Penalty, Kernel: j.spec.Kernel, Map: j.spec.Map, Hidden: j.spec.Hidden, Activation: j.spec.Activation, TargetLog: j.spec.TargetLog, Lambda: j.spec.Lambda, Radius: j.spec.Radius, Slack: j.spec.Slack, HardMargin: j.spec.HardMargin, Nu: j.spec.Nu, Bias: j.spec.Bias,
		Solver: j.spec.Solver, Gap: j.spec.Gap, Seed: j.spec.Seed, ZeroBased: j.spec.ZeroBased}
	s.Targets = j.targets
	if j.spec.Task == pose.OneClass {
		s.Task = pose.OneClass
	}
	if j.labels.Pairs && j.labels.Outputs() > 1 {
		s.Scheme = model.OneAgainstOne
	}
	if j.labels.Joint {
		s.Scheme = model.Joint
	}
	if j.labels.Factor != nil {
		s.ClassWeight = map[string]float64{}
		for c, f := range j.labels.Factor {
			s.ClassWeight[j.labels.Classes[c]] = f
		}
	}
	return s
}

// workers is how many outputs are trained at the same time.
func (j *job) workers() int {
	outputs := j.labels.Outputs()
	if j.spec.IsMachine() && !j.concurrent { // a matrix serves one at a time, on all cores
		outputs = min(outputs, max(1, j.pairsAtOnce))
	}
	return min(parallel.Cores(j.spec.Threads), outputs)
}

// threadsEach is how many cores each of them may use.
func (j *job) threadsEach() int { return max(1, parallel.Cores(j.spec.Threads)/max(1, j.workers())) }

// problem returns the problem of output c.
func (j *job) problem(c int) (pose.Objective, error) {
	if c == 0 && !j.released {
		return j.first, nil
	}
	return j.problems.Output(c)
}

// draft is a model that predicts, without a certificate.
func (j *job) draft(outputs int) *model.Model {
	return &model.Model{Statement: j.statement(), Classes: j.labels.Classes, Scaling: j.scaling, Map: j.mapped,
		Data: model.Data{Rows: j.set.Rows(), Features: j.set.Cols()}, Outputs: make([]model.Output, outputs), CustomLoss: j.spec.Custom.Loss}
}
