package fenchel

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/joint"
	"github.com/fenchel-ml/fenchel/internal/network"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	jointsolver "github.com/fenchel-ml/fenchel/internal/solve/joint"
	kernelsolver "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	networksolver "github.com/fenchel-ml/fenchel/internal/solve/network"
	"github.com/fenchel-ml/fenchel/internal/structure"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/solver"
)

// checkNumbers refuses what no objective, goal or limit can be.
func (spec *Spec) checkNumbers() error {
	if err := spec.checkProblem(); err != nil {
		return err
	}
	if spec.Lambda != 0 && spec.C != 0 {
		return fmt.Errorf("lambda=%g and C=%g: expected one of the two, as C = 1/(lambda N)", spec.Lambda, spec.C)
	}
	for _, p := range []struct {
		name  string
		value float64
	}{{"lambda", spec.Lambda}, {"C", spec.C}, {"radius", spec.Radius}, {"slack", spec.Slack}, {"gap", spec.Gap}} {
		if p.value < 0 || math.IsNaN(p.value) || math.IsInf(p.value, 0) {
			return fmt.Errorf("%s=%g: expected a number > 0", p.name, p.value)
		}
	}
	if spec.Epochs < 0 || spec.Time < 0 {
		return fmt.Errorf("epochs=%d, time=%s: expected limits > 0", spec.Epochs, spec.Time)
	}
	return nil
}

// checkProblem refuses two problems at once.
func (spec *Spec) checkProblem() error {
	if err := spec.checkMap(); err != nil {
		return err
	}
	if spec.Radius == 0 && !spec.margin() {
		return nil
	}
	if err := spec.checkHard(); err != nil {
		return err
	}
	if spec.Radius != 0 && !spec.IsMachine() && (spec.Custom.Penalty != nil || spec.Penalty != "" && spec.Penalty != "l1" && spec.Penalty != "l2") {
		return fmt.Errorf("radius=%g with the penalty %s: expected l1 or l2, the norm that is bounded", spec.Radius, spec.Penalty)
	}
	if spec.margin() && spec.Penalty != "" && spec.Penalty != "l2" {
		return fmt.Errorf("slack=%g with the penalty %s: expected l2, as the margin is a distance", spec.Slack, spec.Penalty)
	}
	if spec.Lambda != 0 || spec.C != 0 || spec.Nu != 0 || spec.Radius != 0 && spec.Slack != 0 {
		return fmt.Errorf("%s: expected one of them, as each states a problem", spec.stated())
	}
	if spec.margin() && spec.Loss != "" && spec.Loss != "hinge" {
		return fmt.Errorf("slack=%g with the loss %s: expected hinge", spec.Slack, spec.Loss)
	}
	return nil
}

// stated lists the given ones of the parameters of which each states a problem.
func (spec *Spec) stated() string {
	var given []string
	for _, p := range []struct {
		name  string
		value float64
	}{{"lambda", spec.Lambda}, {"C", spec.C}, {"radius", spec.Radius}, {"slack", spec.Slack}, {"nu", spec.Nu}} {
		if p.value != 0 {
			given = append(given, fmt.Sprintf("%s=%g", p.name, p.value))
		}
	}
	return strings.Join(given, ", ")
}

// checkHard refuses a hard margin of a linear model, as no solver bounds that problem from below, and
// a hard margin together with lambda, C, radius, slack or nu, each of which states another problem.
func (spec *Spec) checkHard() error {
	switch {
	case !spec.HardMargin:
		return nil
	case !spec.IsMachine() || spec.Map != "":
		return errors.New("a hard margin (C = inf, slack 0) of a linear model: expected 'kernel=linear', whose machine predicts the same, and no 'map'")
	case spec.Lambda != 0 || spec.C != 0 || spec.Radius != 0 || spec.Slack != 0 || spec.Nu != 0:
		return fmt.Errorf("a hard margin with %s: expected one of them, as each states a problem", spec.stated())
	}
	return nil
}

// checkSolver refuses a solver that does not exist or has no partitions.
func (spec *Spec) checkSolver() error {
	if spec.Custom.Solver != nil {
		if err := spec.checkOwnSolver(); err != nil {
			return err
		}
	}
	if spec.IsMachine() {
		return spec.checkKernel()
	}
	if spec.IsNetwork() {
		return spec.checkNetwork()
	}
	if spec.Cache != 0 {
		return fmt.Errorf("cache=%d without a kernel: expected a kernel, or none of the two", spec.Cache)
	}
	if spec.Partitions < 0 || spec.Partitions > dual.MostPartitions {
		return fmt.Errorf("partitions=%d: expected a number from 1 to %d", spec.Partitions, dual.MostPartitions)
	}
	if spec.auto() || spec.Custom.Solver != nil {
		return nil
	}
	if spec.Partitions > 0 && spec.Solver != "sdca" && !spec.IsJoint() {
		return fmt.Errorf("partitions=%d with solver %q: expected solver sdca, the one that works in partitions", spec.Partitions, spec.Solver)
	}
	if spec.IsJoint() {
		return spec.checkJointSolver()
	}
	_, err := linear.New(spec.Solver)
	return cmp.Or(spec.wrongFamily(linear.Entries(), kernelsolver.Entries()), err)
}

// wrongFamily says that the solver is none of the models in question but trains others;
// nil: there is no such solver either, or it is one of these.
func (spec *Spec) wrongFamily(own, others []registry.Entry[solver.Solver]) error {
	name, _, _ := strings.Cut(spec.Solver, ":")
	named := func(e registry.Entry[solver.Solver]) bool { return e.Name == name }
	switch {
	case slices.ContainsFunc(own, named) || !slices.ContainsFunc(others, named):
		return nil
	case spec.IsMachine():
		return fmt.Errorf("%s trains linear models: leave out 'kernel', or add 'map', such as 'map=nystrom'", name)
	case spec.Map != "":
		return fmt.Errorf("%s trains kernel machines, but of a map a linear model is made: leave out 'map'", name)
	}
	return fmt.Errorf("%s trains kernel machines: add 'kernel', such as 'kernel=rbf'", name)
}

// checkNu refuses what cannot be said together with nu, for the task; "": it is not
// known yet.
func (spec *Spec) checkNu(task string) error {
	if task == pose.OneClass && spec.Nu == 0 {
		return fmt.Errorf("task %s without nu: expected the share of rows that may be outliers, such as nu=0.1", pose.OneClass)
	}
	if spec.Nu == 0 {
		return nil
	}
	name := fmt.Sprintf("nu=%g", spec.Nu)
	if task != "" {
		name += " for " + task
	}
	switch {
	case !(spec.Nu > 0 && spec.Nu <= 1):
		return fmt.Errorf("nu=%g: expected a number > 0 and at most 1", spec.Nu)
	case spec.Kernel == "" && spec.Custom.Kernel == nil:
		return fmt.Errorf("%s without a kernel: expected a kernel, linear for one", name)
	case spec.Bias != "" && spec.Bias != "free":
		return fmt.Errorf("%s with the bias %s: expected free", name, spec.Bias)
	case task != "" && task != "regression" && (spec.Lambda != 0 || spec.C != 0):
		return fmt.Errorf("%s with lambda=%g, C=%g: expected nu alone, which stands instead of them", name, spec.Lambda, spec.C)
	case task == pose.OneClass && (spec.ClassWeight != nil || spec.Balanced):
		return fmt.Errorf("class weights need classes, but the task is %s", pose.OneClass)
	}
	if want := pose.ShareLosses[task]; task != "" && cmp.Or(spec.Loss, want) != want {
		return fmt.Errorf("%s with the loss %s: expected %s", name, spec.Loss, want)
	}
	return nil
}

// checkJoint refuses what has no meaning for a loss of all classes, and its scheme without one.
func (spec *Spec) checkJoint() error {
	if !spec.IsJoint() {
		if spec.Scheme == model.Joint && !spec.isMatrix() {
			return fmt.Errorf("scheme %s with the loss %q: expected a loss of all classes, such as softmax or crammer-singer", model.Joint, spec.Loss)
		}
		return nil
	}
	name, p := spec.Loss, spec.Penalty
	switch {
	case spec.Scheme != "" && spec.Scheme != model.Joint:
		return fmt.Errorf("scheme %s with the loss %s, which judges all classes at once: expected %s, or none", spec.Scheme, name, model.Joint)
	case spec.Task != "" && spec.Task != "classification":
		return fmt.Errorf("task %s with the loss %s: expected classification", spec.Task, name)
	case spec.Radius != 0 || spec.margin() || spec.Nu != 0:
		return fmt.Errorf("radius=%g, slack=%g, nu=%g with the loss %s: expected lambda or C", spec.Radius, spec.Slack, spec.Nu, name)
	case spec.Partitions > 0:
		return fmt.Errorf("partitions=%d with the loss %s: expected none", spec.Partitions, name)
	}
	t, err := spec.terms()
	if err != nil {
		return err
	}
	if _, ok := t.Penalty.(penalty.Elastic); !ok && !penalty.IsMatrix(t.Penalty) {
		return fmt.Errorf("penalty %s with the loss %s: expected l2, l1, elastic-net or nuclear", p, name)
	}
	return nil
}

// isMatrix reports whether the penalty is one of the weights of all outputs together.
func (spec *Spec) isMatrix() bool {
	t, err := spec.terms()
	return err == nil && penalty.IsMatrix(t.Penalty)
}

// checkJointSolver refuses a solver that does not take several classes under one loss.
func (spec *Spec) checkJointSolver() error {
	if _, err := jointsolver.New(spec.Solver); err != nil {
		return fmt.Errorf("%w (of losses of all classes, as %s)", err, spec.Loss)
	}
	return nil
}

// checkMap refuses a map that has no kernel, or not this one.
func (spec *Spec) checkMap() error {
	if spec.Map == "" {
		return nil
	}
	a, err := featuremap.NewApproximation(spec.Map)
	switch {
	case err != nil:
		return err
	case spec.Kernel == "" && spec.Custom.Kernel == nil:
		return fmt.Errorf("map=%s without a kernel: expected the kernel to approximate, such as rbf", spec.Map)
	case spec.Radius != 0 || spec.Nu != 0:
		return fmt.Errorf("map=%s with radius=%g, nu=%g: expected lambda, C or slack, as the model is linear", spec.Map, spec.Radius, spec.Nu)
	case spec.Cache != 0:
		return fmt.Errorf("map=%s with cache=%d: expected none, as no rows of the kernel's matrix are kept", spec.Map, spec.Cache)
	}
	k, err := spec.kernel(1)
	if err != nil {
		return err
	}
	return a.Accepts(k)
}

// checkOwnSolver refuses a solver of the program's own with what only others have.
func (spec *Spec) checkOwnSolver() error {
	if spec.Partitions > 0 {
		return fmt.Errorf("partitions=%d with a solver of the program's own: expected none, which sdca alone has", spec.Partitions)
	}
	_, err := pose.Pick("solver", cmp.Or(spec.Solver, model.Foreign), spec.Custom.Solver, true, nil, nil)
	return err
}

// checkKernel refuses what a Spec for a kernel machine cannot have.
func (spec *Spec) checkKernel() error {
	if spec.Penalty != "" && spec.Penalty != "l2" {
		return fmt.Errorf("penalty %q with a kernel: expected l2, half the squared norm", spec.Penalty)
	}
	if spec.Partitions > 0 {
		return fmt.Errorf("partitions=%d with a kernel: expected none, which linear models alone have", spec.Partitions)
	}
	if spec.Cache < 0 {
		return fmt.Errorf("cache=%d: expected a number of bytes > 0", spec.Cache)
	}
	if _, err := spec.kernel(1); err != nil {
		return err
	}
	if spec.auto() || spec.Custom.Solver != nil {
		return nil
	}
	if spec.IsJoint() {
		return spec.checkJointSolver()
	}
	if _, err := kernelsolver.New(spec.Solver); err != nil {
		return cmp.Or(spec.wrongFamily(kernelsolver.Entries(), linear.Entries()), fmt.Errorf("%w (of kernel machines)", err))
	}
	return nil
}

// takes refuses rows that encode sequences or graphs, unless the kernel is a kernel of sequences or of graphs.
// Rows for a kernel of the program's own are not checked: that program knows which rows its kernel accepts.
func (spec *Spec) takes(rows structure.Kind) error {
	if rows == structure.Points || spec.Custom.Kernel != nil {
		return nil
	}
	if k, err := kernel.New(spec.Kernel); spec.Kernel != "" && err == nil && kernel.StructureOf(k) == rows {
		return nil
	}
	expected := "'kernel=spectrum', ssk or mismatch (or words counted as features, such as LIBSVM text)"
	if rows == structure.Graphs {
		expected = "'kernel=wl' or random-walk"
	}
	return pose.DataError{Reason: fmt.Sprintf("found %s, of which only kernels of %s make sense: expected %s", rows, rows, expected)}
}

// checkConvex refuses a loss that is not convex where only convex ones are taken.
func (spec *Spec) checkConvex(t pose.Terms) error {
	if loss.IsConvex(t.Loss) {
		return nil
	}
	switch {
	case !spec.IsMachine():
		return fmt.Errorf("loss %s is not convex, and only kernel machines have a solver for it: expected a kernel, linear for one, and no map", spec.Loss)
	case t.Radius != 0 || t.Margin() || t.Nu != 0:
		return fmt.Errorf("loss %s with radius=%g, slack=%g, nu=%g: expected lambda or C", spec.Loss, t.Radius, t.Slack, t.Nu)
	}
	return nil
}

// Check returns what is wrong with the names and numbers of a Spec, as far as
// that can be known without data.
func (spec Spec) Check() error {
	if spec.Task != "" && !slices.Contains(pose.Tasks(), spec.Task) {
		return registry.Unknown("task", spec.Task, pose.Tasks())
	}
	if spec.Scaling != "" && !slices.Contains(scaling.Names(), spec.Scaling) {
		return registry.Unknown("scaling", spec.Scaling, scaling.Names())
	}
	if spec.Scheme != "" && !slices.Contains(pose.Schemes(), spec.Scheme) {
		return registry.Unknown("scheme", spec.Scheme, pose.Schemes())
	}
	if err := model.CheckNotes(spec.Notes); err != nil {
		return err
	}
	if _, err := spec.terms(); err != nil {
		return err
	}
	if err := spec.checkLayers(); err != nil {
		return err
	}
	if err := spec.checkTargetLog(); err != nil {
		return err
	}
	if err := spec.checkJoint(); err != nil {
		return err
	}
	if err := spec.checkNu(spec.Task); err != nil {
		return err
	}
	if err := cmp.Or(spec.checkCalibrator(spec.Task), spec.checkInterval(spec.Task, nil)); err != nil {
		return err
	}
	if err := spec.checkNumbers(); err != nil {
		return err
	}
	return spec.checkSolver()
}

// terms makes the terms of the objective and refuses those that no solver takes
// together. Where the loss is still open, because the targets decide it, the loss squared is checked
// instead: every solver and penalty accepts it.
func (spec *Spec) terms() (pose.Terms, error) {
	lossName, penaltyName := spec.Loss, spec.Penalty
	if spec.Custom.Loss == nil {
		lossName = cmp.Or(lossName, "squared")
	}
	if spec.Custom.Penalty == nil {
		penaltyName = cmp.Or(penaltyName, "l2")
	}
	t, err := pose.NewTerms(spec.own(), lossName, penaltyName, spec.bias())
	if err != nil {
		return t, err
	}
	if t.Constant != 1 && spec.IsMachine() {
		return t, fmt.Errorf("the bias %s with a kernel: expected a linear model, or the bias feature", spec.Bias)
	}
	if _, shaped := t.Penalty.(penalty.Shaped); shaped && t.Constant != 1 {
		return t, fmt.Errorf("the bias %s with the penalty %s: expected the bias free, feature or none, as the constant column is no pixel", spec.Bias, penaltyName)
	}
	t.Radius, t.Slack, t.Hard, t.Nu, t.OneClass = spec.Radius, spec.Slack, spec.HardMargin, spec.Nu, spec.Task == pose.OneClass
	if err := spec.checkConvex(t); err != nil {
		return t, err
	}
	return t, nil
}

// CheckStatement returns why training cannot have stated this problem of these rows. It
// is the check of a [Spec]. A field that the problem does not use, such as the penalty of a kernel
// machine, or lambda where nu is given, must have the value that training writes there.
func CheckStatement(m *model.Model, set *data.Set) error {
	s := m.Statement
	spec, err := SpecOf(m)
	if err != nil {
		return err
	}
	if err := spec.Check(); err != nil {
		return err
	}
	o := pose.CustomOf(m)
	l, err := o.PickLoss(s.Loss)
	if err != nil {
		return err
	}
	if _, margin := l.(loss.Margin); margin && m.Classes == nil {
		return fmt.Errorf("found the loss %s without classes: expected two at least", s.Loss)
	}
	if s.ClassWeight != nil && m.Classes == nil {
		return errors.New("found class weights without classes: expected none")
	}
	if s.HardMargin && (set.Weight != nil || s.ClassWeight != nil) {
		return errors.New("found a hard margin with weights of rows or classes: expected none")
	}
	return nil
}

// checkLayers refuses hidden layers that there cannot be, and what a network has no use for.
func (spec *Spec) checkLayers() error {
	switch err := network.Check(spec.Hidden, spec.Activation); {
	case err != nil || spec.Activation == "" && !spec.IsNetwork():
		return err
	case !spec.IsNetwork():
		return fmt.Errorf("activation=%s without hidden layers: expected 'hidden', such as 'hidden=100,50'", spec.Activation)
	}
	refused := func(what, expected string) error {
		return fmt.Errorf("%s with hidden layers: expected %s", what, expected)
	}
	switch {
	case spec.Kernel != "" || spec.Custom.Kernel != nil:
		return refused("kernel="+spec.Kernel, "one of the two, as a network learns its features")
	case spec.Custom.Loss != nil || spec.Custom.Penalty != nil || spec.Custom.Solver != nil:
		return refused("a loss, penalty or solver of the program's own", "those of this module")
	case spec.Penalty != "" && spec.Penalty != "l2":
		return refused("penalty="+spec.Penalty, "l2")
	case spec.Radius != 0 || spec.margin() || spec.Nu != 0:
		return refused(spec.stated(), "lambda or C")
	case spec.Scheme != "" && spec.Scheme != model.Joint:
		return refused("scheme="+spec.Scheme, "none, as one network predicts the scores of all classes")
	case spec.Task == pose.OneClass:
		return refused("task="+spec.Task, "classification or regression")
	case spec.Bias != "" && spec.Bias != "free":
		return refused("bias="+spec.Bias, "free")
	case spec.Gap != 0 && spec.Gap != solver.DefaultGap:
		return refused(fmt.Sprintf("gap=%g", spec.Gap), "none, as nothing bounds the objective of a network from below")
	}
	smooth := math.Inf(1)
	if l, err := joint.New(spec.Loss); err == nil {
		smooth = l.Smoothness()
	} else if l, err := loss.New(cmp.Or(spec.Loss, "squared")); err == nil {
		smooth = l.Smoothness()
	}
	if math.IsInf(smooth, 1) {
		return refused("loss="+spec.Loss, "a smooth one, such as logistic, softmax or squared")
	}
	return nil
}

// checkNetwork refuses a solver that trains no networks.
func (spec *Spec) checkNetwork() error {
	switch {
	case spec.Cache != 0:
		return fmt.Errorf("cache=%d with hidden layers: expected none, as there is no kernel", spec.Cache)
	case spec.Partitions != 0:
		return fmt.Errorf("partitions=%d with hidden layers: expected none, which sdca alone has", spec.Partitions)
	case spec.auto():
		return nil
	}
	if _, err := networksolver.New(spec.Solver); err != nil {
		return fmt.Errorf("%w (of networks)", err)
	}
	return nil
}
