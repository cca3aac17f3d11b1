package attack

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/fenchel-ml/fenchel"
	kernelsolver "github.com/fenchel-ml/fenchel/internal/solve/kernel"
	"github.com/fenchel-ml/fenchel/internal/solve/linear"
	"github.com/fenchel-ml/fenchel/model"
)

// A trial is one problem, trained by every solver that takes it.
type trial struct {
	problem *Problem
	draw    draw
	tally   *Tally
	court   *court
	claims  []claim
	reached []claim // points that are no solver's
	models  []sealed
	found   []Finding
}

// sealed is a model as it was written, and read again.
type sealed struct {
	solver string
	bytes  []byte
	model  *model.Model
}

// patience is how long one training may take. Epochs end it much sooner: a run that
// is ended by it is counted, as a hint that limits are not heard.
const patience = 20 * time.Second

// solvers names all that are registered for the family of the problem.
func (p *Problem) solvers() []string {
	all := []string{"auto"}
	if p.kernel != nil && p.Spec.Map == "" {
		for _, e := range kernelsolver.Entries() {
			if e.Name != "ramp" { // nothing is claimed of its problem, which is not convex
				all = append(all, e.Name)
			}
		}
		return all
	}
	for _, e := range linear.Entries() {
		all = append(all, e.Name)
	}
	return all
}

// run trains, judges, and compares.
func (t *trial) run() {
	t.tally.Problems++
	for _, solver := range t.problem.solvers() {
		t.train(solver)
	}
	if t.court == nil {
		t.tally.Refused++
		return
	}
	t.regions()
	all := append(t.claims, t.court.descend(t.claims)...)
	t.found = append(t.found, compare(all)...)
	if t.court.indefinite() {
		for i := range t.found { // whatever goes wrong then has one cause
			t.found[i].Kind += indefinite
		}
	}
}

// indefinite ends the kinds of what is found where the matrix of the kernel is not
// positive semidefinite.
const indefinite = "-indefinite"

// train makes one model, and judges it by itself.
func (t *trial) train(solver string) {
	spec := t.problem.Spec
	spec.Solver = solver
	if len(t.models) > 0 { // some solvers take another bias where none is asked for: another problem
		spec.Bias = t.models[0].model.Statement.Bias
	}
	spec.Gap = one(t.draw, 0, 0.1, 1e-3, 1e-6, 1e-9, 1e-12)
	spec.Epochs = one(t.draw, 1, 3, 30, 100, 300)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cancelled := t.draw.chance(4) // as a limit that is over before anything is done
	if cancelled {
		cancel()
	}
	result, err := t.fit(ctx, spec)
	if ctx.Err() != nil && !cancelled {
		t.tally.Slow++
	}
	if err != nil {
		t.tally.refuse(solver, err)
		return
	}
	t.tally.Trained[solver]++
	m, raw, err := again(result.Model)
	if err != nil {
		t.fail("unreadable", solver, "%s", err)
		return
	}
	if t.court == nil {
		if t.court, err = newCourt(t.problem, m); err != nil {
			t.fail("statement", solver, "%s", err)
			return
		}
	}
	t.models = append(t.models, sealed{solver, raw, m})
	claims, err := t.court.examine(solver, m)
	if err != nil {
		t.fail("statement", solver, "%s", err)
		return
	}
	t.tally.Certificates += len(claims)
	for _, c := range claims {
		t.found = append(t.found, judgeOne(t.court.judges[c.output], c, m.Statement.Gap)...)
	}
	t.claims = append(t.claims, claims...)
	t.found = append(t.found, verify(solver, m, t.problem)...)
	t.found = append(t.found, t.court.scores(solver, m, t.problem)...)
}

// fit trains, some models with what is proved of predictions: there are problems of which nothing is known but the gap.
func (t *trial) fit(ctx context.Context, spec fenchel.Spec) (*fenchel.Result, error) {
	if spec.Proved = t.draw.chance(30); spec.Proved {
		if result, err := fenchel.Train(ctx, t.problem.Set, spec); err == nil {
			return result, nil
		}
		spec.Proved = false
	}
	return fenchel.Train(ctx, t.problem.Set, spec)
}

func (t *trial) fail(kind, solver, format string, args ...any) {
	t.found = append(t.found, Finding{kind, solver, fmt.Sprintf(format, args...)})
}

// again writes a model and reads it.
func again(m *model.Model) (*model.Model, []byte, error) {
	var b bytes.Buffer
	if err := m.Write(&b); err != nil {
		return nil, nil, fmt.Errorf("writing: %w", err)
	}
	read, err := model.Decode(b.Bytes())
	if err != nil {
		return nil, nil, fmt.Errorf("reading what was written: %w", err)
	}
	if read == nil {
		return nil, nil, errors.New("reading what was written: found no model")
	}
	return read, b.Bytes(), nil
}
