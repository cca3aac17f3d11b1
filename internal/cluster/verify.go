package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// What is known of a model by rows in many partitions: both ask the partitions once for all rows.

// Evaluate judges a model, of which file has the bytes, by the rows of a cluster, with the numbers of [fenchel.Evaluate]. The scores of all
// rows come to the coordinator: 8 bytes for each output, and the target.
func Evaluate(ctx context.Context, c Cluster, m *model.Model, file []byte) (*fenchel.Evaluation, error) {
	answers, err := (&trainer{cluster: c}).ask(ctx, &Request{Verb: "scores", Model: file})
	if err != nil {
		return nil, err
	}
	var scores [][]float64
	var targets []data.Target
	var weights []float64
	for k, a := range answers {
		s, rows := a.Scored, max(len(a.Scored.Code), len(a.Scored.Number))
		if len(s.Scores) != rows*len(m.Outputs) {
			return nil, fmt.Errorf("partition %d: found %d scores of %d rows, expected %d of each", k+1, len(s.Scores), rows, len(m.Outputs))
		}
		scores = slices.AppendSeq(scores, slices.Chunk(s.Scores, max(1, len(m.Outputs))))
		targets = append(targets, data.Target{Label: s.Label, Code: s.Code, Number: s.Number})
		weights = append(weights, pose.OrOnes(s.Weight, rows)...)
	}
	target, err := set.MergeTargets(targets)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(weights, func(w float64) bool { return w != 1 }) {
		weights = nil
	}
	return fenchel.EvaluateScores(m, scores, target, weights)
}

// Verify recomputes what a model claims from the rows of a cluster, without any solver, as [fenchel.Verify] does from those of one machine.
func Verify(ctx context.Context, c Cluster, m *model.Model, run string) (*fenchel.Verification, error) {
	draft := &Draft{Run: run, Statement: m.Statement, Classes: m.Classes}
	if err := verifiable(m, draft); err != nil {
		return nil, err
	}
	t := &trainer{cluster: c, spec: Spec{Run: run}, draft: draft}
	if err := t.describe(ctx); err != nil {
		return nil, err
	}
	v, verdict := &fenchel.Verification{Claimed: fenchel.Summarise(m)}, &pose.Verdict{}
	if t.compareRows(m, verdict) {
		found, err := t.recompute(ctx, m, verdict)
		if err != nil {
			return nil, err
		}
		v.Found = fenchel.Summarise(found)
		if v.Rebuilt = slices.ContainsFunc(found.Outputs, func(o model.Output) bool { return o.Dual == nil }); v.Rebuilt {
			verdict.Unproved = cmp.Or(verdict.Unproved, pose.Rebuilt(m.Statement.Gap, v.Claimed.Worst, v.Found.Worst))
		}
	}
	if v.Problems = verdict.Problems; len(v.Problems) == 0 {
		v.Unproved = verdict.Unproved
	}
	return v, nil
}

// hashed reports whether rows that a cluster has can be those of a schema: there is none, or features are terms of texts, numbered by a hash.
func hashed(s *data.Schema) bool {
	if s == nil {
		return true
	}
	for i, c := range s.Columns {
		if !s.Answers(i) && c.Kind != set.KindIgnored && (c.Text == nil || c.Text.Bits == 0) {
			return false
		}
	}
	return s.Crossings == nil
}

// verifiable says why a model is none that is verified by a cluster, and checks its statement.
func verifiable(m *model.Model, d *Draft) error {
	if err := m.Check(); err != nil {
		return err
	}
	if m.Scaling != nil || m.Support != nil || m.Map != nil || m.Network != nil || !hashed(m.Schema) || m.Calibration != nil || m.Facts != nil || m.Sparse != nil || m.Features != nil || m.Threshold.Chosen() {
		return errors.New("found a model of prepared rows, of a kernel, or with probabilities of folds, expected a linear one of rows as they are, such as a cluster trains")
	}
	d.N = slices.Repeat([]float64{1}, d.outputs())
	return cmp.Or(d.check(1), fenchel.CheckStatement(m, &data.Set{}))
}

// compareRows compares the rows with those that the model says it was trained on, and reports whether its problem can be stated with them.
func (t *trainer) compareRows(m *model.Model, v *pose.Verdict) bool {
	s := t.summary
	if s.Rows != m.Data.Rows || s.Cols != m.Data.Features {
		v.Fail("the data have %d rows of %d features, the model was trained on %d of %d", s.Rows, s.Cols, m.Data.Rows, m.Data.Features)
		return false
	}
	switch digest := s.digest(); {
	case !strings.HasPrefix(m.Data.Digest, set.SortedPrefix):
		v.Unproved = "the model names its rows in the order of a file, which a cluster does not know"
	case digest != m.Data.Digest:
		v.Fail("the data differ: found %s, the model was trained on %s", digest, m.Data.Digest)
	}
	if all := int64(s.Rows) * int64(s.Cols); !slices.Contains([]int64{s.Nonzeros, s.Present, all}, m.Data.Nonzeros) {
		v.Fail("%d values that are not zero are claimed, found %d", m.Data.Nonzeros, s.Nonzeros)
	}
	if m.Classes != nil && !slices.Equal(s.Labels, m.Classes) || m.Classes == nil && !s.Numbers {
		v.Fail("the data have the labels %v, the model the classes %v", s.Labels, m.Classes)
		return false
	}
	return true
}

// recompute returns the model with the certificates that its weights and dual variables have; without dual variables, or where their order is
// not known, with those of the slopes of the losses.
func (t *trainer) recompute(ctx context.Context, m *model.Model, v *pose.Verdict) (*model.Model, error) {
	terms, err := pose.TermsOf(m.Statement, pose.Custom{})
	if err != nil {
		return nil, err
	}
	bias, _, err := problem.ParseConstant(m.Statement.Bias)
	if err = cmp.Or(err, knows(terms.Loss, terms.Penalty)); err != nil {
		return nil, err
	}
	if _, err := t.pose(ctx, t.whole(terms, bias)); err != nil {
		return nil, err
	}
	q := t.claimed(m)
	if bias == problem.Free {
		if err := t.measure(ctx, q); err != nil {
			return nil, err
		}
	}
	shares, err := t.shares(ctx, q)
	if err != nil {
		return nil, err
	}
	found := *m
	found.Outputs = slices.Clone(m.Outputs)
	for c := range found.Outputs {
		if q.Work[c].Slopes {
			found.Outputs[c].Dual = nil
		}
		t.compare(c, &found, q.Work[c].W, shares[c], v)
	}
	return &found, nil
}

// measure asks for the sizes of the dual variables of a request, and puts into it the units that these say.
func (t *trainer) measure(ctx context.Context, q *Request) error {
	answers, err := t.ask(ctx, q)
	if err != nil {
		return err
	}
	for c := range q.Work {
		total, largest := 0.0, 0.0
		for _, a := range answers {
			total, largest = total+a.Output[c].Total, max(largest, a.Output[c].Largest)
		}
		if total > 0 && finite(total) {
			q.Work[c].Units = t.outputs[c].of.Quantum(total, largest)
		}
	}
	return nil
}

// compare replaces the certificate of output c by what the shares at w are, and notes what of the claim does not hold.
func (t *trainer) compare(c int, m *model.Model, w []float64, shares []*problem.Share, v *pose.Verdict) {
	o, of, subject := &m.Outputs[c], t.outputs[c].of, "the model"
	if len(m.Outputs) > 1 {
		subject = fmt.Sprintf("the classifier of %q", m.Classes[c])
	}
	if of.Risk.Bias == problem.None && o.Bias != 0 {
		v.Fail("%s has the bias %g, claimed to have none", subject, o.Bias)
	}
	found := of.Certify(w, shares)
	claim := pose.Claim{Subject: subject, Stated: o.Certificate, Rounding: found.Rounding, Goal: m.Statement.Gap, Rebuilt: o.Dual == nil}
	claim.Alone = func() float64 { return of.Certify(w, alone(shares)).Rounding }
	o.Certificate.Primal, o.Certificate.Dual, o.Certificate.Zero = model.Bound(found.Primal), model.Bound(found.Dual), model.Bound(found.Zero)
	claim.Found = o.Certificate
	v.Compare(claim)
}

// claimed is the request about the points that a model has.
func (t *trainer) claimed(m *model.Model) *Request {
	q := &Request{Verb: "units", Work: make([]Work, len(m.Outputs))}
	for c, o := range m.Outputs {
		w := &q.Work[c]
		w.W = append(slices.Clone(o.Weights), o.Bias)
		if w.Slopes = len(o.Dual) != t.summary.Rows || !strings.HasPrefix(m.Data.Digest, set.SortedPrefix); w.Slopes {
			continue
		}
		for _, rows := range t.rows { // rows, and partitions, are in the order of their digests
			w.Duals = append(w.Duals, o.Dual[:rows])
			o.Dual = o.Dual[rows:]
		}
	}
	return q
}

// alone are shares of the objective, with dual variables 0.
func alone(shares []*problem.Share) (of []*problem.Share) {
	for _, s := range shares {
		of = append(of, &problem.Share{Loss: s.Loss, LossError: s.LossError, Image: make([]float64, len(s.Image))})
	}
	return of
}
