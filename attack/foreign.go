package attack

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/attack/exact"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
)

// attackForeign writes a model as LIBSVM or LIBLINEAR would, audits it, and offers
// damaged copies of the text.
func (t *trial) attackForeign() {
	s := t.models[t.draw.IntN(len(t.models))]
	text, dropped := t.foreign(s)
	if text == nil {
		return
	}
	t.guarded("a foreign model", len(text), func() { t.audit(s, text, dropped) })
	for range damages {
		data := t.draw.damage(text)
		t.guarded("a damaged foreign model", len(data), func() {
			m, err := model.Decode(data)
			if err != nil {
				t.tally.Damaged["foreign models refused"]++
				return
			}
			t.tally.Damaged["foreign models read"]++
			t.use(m)
		})
	}
}

// use does with a model what the program does: it must not panic.
func (t *trial) use(m *model.Model) {
	if x, err := m.Prepare(t.problem.Set.X); err == nil {
		m.ScoreRows(make([]float64, len(m.Outputs)*t.problem.Set.Rows()), x, 0, t.problem.Set.Rows())
	}
	opt := fenchel.AuditOptions{Threads: 1}
	if c, nu := pose.Needs(m); c {
		opt.C = 1
	} else if nu {
		opt.Nu = 0.1
	}
	_, _ = fenchel.Audit(context.Background(), m, t.problem.Set, opt)
}

// foreign returns the text of a model, nil where there is none; of a linear one
// some of the last features may be missing, dropped of them.
func (t *trial) foreign(s sealed) (text []byte, dropped int) {
	if s.model.Support != nil {
		var b bytes.Buffer
		if s.model.WriteLIBSVM(&b) != nil {
			return nil, 0
		}
		return b.Bytes(), 0
	}
	return t.liblinear(s)
}

var liblinearTypes = map[string]string{"logistic": "L2R_LR", "hinge": "L2R_L1LOSS_SVC_DUAL", "squared-hinge": "L2R_L2LOSS_SVC"}

// liblinear spells a model of two classes.
func (t *trial) liblinear(s sealed) (text []byte, dropped int) {
	m := s.model
	kind, ok := liblinearTypes[m.Statement.Loss]
	if !ok || m.Statement.Penalty != "l2" || m.Statement.Bias == "free" || m.Scaling != nil || m.Map != nil || m.Support != nil || len(m.Classes) != 2 {
		return nil, 0
	}
	if _, isRisk := t.court.judges[0].(*exact.Penalised); !isRisk {
		return nil, 0
	}
	for _, c := range m.Classes {
		if strings.Trim(c, "-0123456789") != "" {
			return nil, 0
		}
	}
	w := m.Outputs[0].Weights
	if len(w) > 0 && t.draw.chance(50) {
		dropped = t.draw.IntN(len(w))
	}
	var b bytes.Buffer
	bias := "-1"
	if m.Statement.Bias == "feature" {
		bias = "1"
	}
	fmt.Fprintf(&b, "solver_type %s\nnr_class 2\nlabel %s %s\nnr_feature %d\nbias %s\nw\n", kind, m.Classes[1], m.Classes[0], len(w)-dropped, bias)
	for _, x := range w[:len(w)-dropped] {
		fmt.Fprintf(&b, "%.17g\n", x)
	}
	if bias == "1" {
		fmt.Fprintf(&b, "%.17g\n", m.Outputs[0].Bias)
	}
	return b.Bytes(), dropped
}

// audit compares the bound of an audit with what was reached.
func (t *trial) audit(s sealed, text []byte, dropped int) {
	m, err := model.Decode(text)
	if err != nil {
		t.fail("foreign", s.solver, "%s\n%s", err, text)
		return
	}
	t.use(m)
	p := t.problem
	if p.Set.Weight != nil || p.Spec.Balanced || p.Spec.ClassWeight != nil || p.Spec.Nu != 0 || p.Spec.Radius != 0 || p.Spec.Slack != 0 || m.Statement.Bias != s.model.Statement.Bias {
		return
	}
	if len(m.Classes) > 2 {
		return
	}
	opt := fenchel.AuditOptions{C: 1 / (t.court.lambda * float64(p.Set.Rows())), Loss: s.model.Statement.Loss, Threads: 1, Refine: t.draw.IntN(2) * 50}
	a, err := fenchel.Audit(context.Background(), m, p.Set, opt)
	if err != nil {
		return
	}
	t.tally.Certificates += len(a.Outputs)
	for output, c := range a.Outputs {
		for _, cl := range t.claims {
			// The C of an audit is another double than the lambda.
			if cl.output == output && exact.IsFinite(c.Dual) && above(c.Dual*(1-1e-12), cl.primal) && c.Dual > 0 {
				t.fail("false-proof-audit", s.solver, "output %d, %d features missing: the audit has the bound %.17g, %s reached %s", output+1, dropped, c.Dual, cl.solver, exact.Describe(cl.primal))
				return
			}
		}
	}
}
