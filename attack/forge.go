package attack

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/model"
)

// informative are the values of the metadata that tell how a model came about, and
// state nothing about it; or that count, against deletion, what is there. All others
// are to be checked.
var informative = []string{"problem.solver", "problem.seed", "program_version", "certificates.epochs", "problem.gap", "data.classes", "data.columns"}

// A forgery is a model that somebody changed, with digests that fit.
type forgery struct {
	what  string
	bytes []byte
}

// forge changes one thing of a model.
func (r draw) forge(data []byte) (forgery, error) {
	f, err := openFile(data)
	if err != nil {
		return forgery{}, err
	}
	what := ""
	switch r.IntN(10) {
	case 0:
		what = raise(f)
	case 1, 2, 3, 4:
		what = r.forgeLeaf(f)
	default:
		what = r.forgeTensor(f)
	}
	return forgery{what, f.bytes()}, nil
}

// raise claims bounds that are nearly the objectives, without claiming that the goal
// was reached.
func raise(f *file) string {
	var claims []model.Certificate
	if json.Unmarshal([]byte(f.metadata["certificates"]), &claims) != nil {
		return ""
	}
	for i, c := range claims {
		claims[i].Status = "epoch-limit"
		claims[i].Dual = c.Primal - model.Bound(0.2*math.Abs(float64(c.Primal)))
	}
	text, err := json.Marshal(claims)
	if err != nil {
		return ""
	}
	f.metadata["certificates"] = string(text)
	return "certificates raised"
}

// forgeTensor flips a bit of a number, or sets it to another one.
func (r draw) forgeTensor(f *file) string {
	t := f.tensors[r.IntN(len(f.tensors))]
	size := int(t.Offsets[1] - t.Offsets[0])
	if size == 0 {
		return ""
	}
	at := int(t.Offsets[0]) + r.IntN(size/t.width())*t.width()
	switch here := f.body[at : at+t.width()]; {
	case r.chance(50):
		here[r.IntN(len(here))] ^= 1 << r.IntN(8)
	case t.DType == "F64":
		binary.LittleEndian.PutUint64(here, math.Float64bits(one(r, 1, -0.5, 1e9, 0, math.NaN(), math.Inf(1))))
	case t.DType == "F32":
		binary.LittleEndian.PutUint32(here, math.Float32bits(float32(one(r, 1, -0.5, 1e9, 0, math.NaN(), math.Inf(1)))))
	default:
		clear(here)
		here[0] = byte(r.IntN(8))
	}
	return "tensor " + t.Name
}

// tryForgery offers a forged model to the program. What passes must be true all the
// same: of what predicts, and of the problem that the data were trained for.
func (t *trial) tryForgery(s sealed, f forgery) {
	var m *model.Model
	var v *fenchel.Verification
	var err, verifyErr error
	t.guarded("a forged model", len(f.bytes)+t.proving(), func() {
		if m, err = model.Decode(f.bytes); err == nil {
			v, verifyErr = fenchel.Verify(context.Background(), m, t.problem.Set, fenchel.Options{Threads: 1})
		}
	})
	if err == nil && v == nil && verifyErr == nil { // a panic, reported
		return
	}
	if err != nil {
		if errors.Is(err, model.ErrTampered) {
			t.fail("forger", s.solver, "%s: the digests of the forger do not fit: %s", f.what, err)
		}
		t.tally.Forged["refused"]++
		return
	}
	if verifyErr != nil || len(v.Problems) > 0 {
		t.tally.Forged["claims found false"]++
		return
	}
	if v.Unproved != "" {
		t.tally.Forged["unproved"]++
		return
	}
	if reason := t.believed(s, f, m); reason != "" {
		t.tally.Forged["BELIEVED"]++
		t.fail("forged "+f.what, s.solver, "%s", reason)
		return
	}
	t.tally.Forged["harmless"]++
}

// believed says why a forgery that passed is none that is harmless; "": it is.
func (t *trial) believed(s sealed, f forgery, m *model.Model) string {
	if f.what == "" || string(f.bytes) == string(s.bytes) || isInformative(f.what) || t.isWithoutEffect(f.what, m) {
		return ""
	}
	isTensor := strings.HasPrefix(f.what, "tensor ")
	if !isTensor && !strings.HasPrefix(f.what, "certificates") && !states(f.what, m.Statement) {
		return t.restated(s, m)
	}
	c, err := newCourt(t.problem, m) // the forger's own problem, or rows
	if err != nil {
		return err.Error()
	}
	claims, err := c.examine(s.solver, m)
	if err != nil {
		return err.Error()
	}
	for _, cl := range claims {
		_, cl.off = c.lenient[cl.output].Primal(cl.w, cl.bias)
		if found := judgeOne(c.judges[cl.output], cl, m.Statement.Gap); len(found) > 0 {
			return "valid for verify, but " + found[0].Detail
		}
	}
	if !states(f.what, m.Statement) && !strings.HasPrefix(f.what, "tensor offset") && !strings.HasPrefix(f.what, "tensor factor") {
		for _, found := range compare(append(claims, t.claims...)) {
			return "valid for verify, but " + found.Detail
		}
	}
	for _, found := range c.scores(s.solver, m, t.problem) {
		return found.Detail
	}
	return ""
}

// isWithoutEffect reports whether a value says nothing about this model: the kernel of a
// machine without coefficients or features, names of features that go by their columns, or a number of
// values with the zeros that may be stored, or without.
func (t *trial) isWithoutEffect(path string, m *model.Model) bool {
	switch path {
	case "data.nonzeros", "data.nonzeros deleted":
		rows, cols := t.problem.Set.X.Dims()
		present := int64(0)
		for i := range rows {
			for _, v := range t.problem.Set.X.Row(i).Value {
				if v != 0 {
					present++
				}
			}
		}
		return m.Data.Nonzeros == present || m.Data.Nonzeros == int64(rows)*int64(cols)
	case "problem.kernel":
		if m.Cols() == 0 {
			return true
		}
		for _, o := range m.Outputs {
			if slices.ContainsFunc(o.Weights, func(w float64) bool { return w != 0 }) {
				return false
			}
		}
		return true
	case "features deleted": // the columns of a schema have names of their own
		return true
	}
	return false
}

// states reports whether a value is a part of the problem that a model states:
// with another one its claims are about another problem, and may be true.
func states(path string, s model.Statement) bool {
	nu, lambda := s.Nu != 0, s.Radius == 0 && s.Slack == 0 && !s.HardMargin && s.Nu == 0
	if strings.HasPrefix(path, "problem.class_weight") {
		return s.Slack == 0 && !s.HardMargin
	}
	switch path {
	case "problem.radius", "problem.slack", "problem.hard_margin", "problem.nu", "scaling", "scaling deleted":
		return true
	case "problem.loss":
		return !nu && s.Slack == 0 && !s.HardMargin
	case "problem.penalty":
		return lambda && (s.Kernel == "" || s.Map != "")
	case "problem.bias":
		return !nu
	case "problem.lambda":
		return lambda || nu && s.Task == "" && s.Loss != "hinge"
	}
	return false
}

// restated says what of a model that passed is another statement.
func (t *trial) restated(s sealed, m *model.Model) string {
	again, _, err := again(m)
	if err != nil {
		return "valid for verify, but cannot be written again: " + err.Error()
	}
	old, err := openFile(s.bytes)
	if err != nil {
		return err.Error()
	}
	var data strings.Builder
	if err := again.Write(&data); err != nil {
		return err.Error()
	}
	now, err := openFile([]byte(data.String()))
	if err != nil {
		return err.Error()
	}
	for key, text := range old.metadata {
		if !strings.HasSuffix(key, "_digest") && now.metadata[key] != text {
			return fmt.Sprintf("valid for verify, with %s = %.200s instead of %.200s", key, now.metadata[key], text)
		}
	}
	return ""
}

func isInformative(path string) bool {
	path, _ = strings.CutSuffix(path, " deleted")
	return slices.Contains(informative, path)
}

// perturb returns a forgery in which a coefficient is another one: in one against
// one, of a row that the output did not learn from.
func (t *trial) perturb(s sealed) (forgery, error) {
	m, err := model.Decode(s.bytes)
	if err != nil {
		return forgery{}, err
	}
	r := t.draw
	output := r.IntN(len(m.Outputs))
	weights := m.Outputs[output].Weights
	if len(weights) == 0 {
		return forgery{}, nil
	}
	k := r.IntN(len(weights))
	what := "tensor weight"
	if m.Support != nil && m.Support.Index != nil {
		for range 10 {
			if !slices.Contains(t.court.members[output], int(m.Support.Index[k])) {
				what = "tensor coefficient outside of the pair"
				break
			}
			k = r.IntN(len(weights))
		}
	}
	weights[k] = weights[k]*one(r, 1.5, 1, -1) + one(r, 1, 1e-3, -7)
	_, data, err := again(m)
	return forgery{what, data}, err
}
