// Package loss holds convex functions of a prediction.
//
// A [Loss] measures how wrong the prediction p is for the target y. Each file
// holds one loss: its type, its methods, and the row that registers its name.
// Adding one is a new file and a new row in the table of loss_test.go; the
// examiner conform.Loss then checks every law below. What a loss can do beyond the
// six methods it declares in its file by the interfaces of capability.go, which conform.Loss
// examines too: no solver names a loss, and a capability that is not declared is not used. A program's own loss needs no
// name here: Spec.CustomLoss of package fenchel takes its value.
//
// Averages over rows, weights, lambda and bias are not here: package problem
// has them.
package loss

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Loss is a closed convex function of the prediction p, finite everywhere, for
// each target y. All methods are pure and safe for concurrent use.
//
// Laws, with l = Value(., y), g = Derivative(., y), l* = Conjugate(., y):
//
//	l(q) >= l(p) + g(p)(q-p)                        g is a subgradient
//	l(p) + l*(a) >= a p, with equality at a = g(p)  Fenchel and Young
//	l* is finite exactly on [lo, hi] = Domain(y)    and lo <= 0 <= hi
//	u = Prox(v, s, y) minimises l(u) + (u-v)^2/(2s) for s > 0
//	|g(p)-g(q)| <= Smoothness() |p-q|
//
// At a kink Derivative is the end of the subdifferential that is nearer to
// zero. Arguments of any size, up to +-1e300, give no NaN.
type Loss interface {
	Value(p, y float64) float64
	Derivative(p, y float64) float64
	Conjugate(a, y float64) float64
	Domain(y float64) (lo, hi float64)
	Prox(v, step, y float64) float64
	Smoothness() float64 // +Inf when the derivative jumps
}

var losses, nonconvex = registry.New[Loss]("loss"), registry.New[Loss]("loss")

// New makes the loss that spec describes: a name, or "name:key=value". A width in per cent, as
// epsilon=5%, is that of targets of the scale 1: see [Fit].
func New(spec string) (Loss, error) {
	if name, _, _ := strings.Cut(spec, ":"); slices.Contains(nonconvex.Names(), name) {
		return nonconvex.New(spec)
	}
	return losses.New(Fit(spec, 1))
}

// widths are the parameters that have the unit of the targets, of losses of numbers by name, and
// their values for targets of the scale 1.
var widths = map[string]width{}

type width struct {
	key       string
	otherwise float64
}

// Relative writes out the width of a loss of numbers, where it has one and spec does not say it, in
// per cent of the scale of the targets.
func Relative(spec string) string {
	if w, ok := widths[spec]; ok {
		return fmt.Sprintf("%s:%s=%g%%", spec, w.key, 100*w.otherwise)
	}
	return spec
}

// Fit makes a number of a width in per cent, for targets of that scale.
func Fit(spec string, scale float64) string {
	name, rest, _ := strings.Cut(spec, ":")
	share, relative := strings.CutSuffix(rest, "%")
	share, known := strings.CutPrefix(share, widths[name].key+"=")
	x, err := strconv.ParseFloat(share, 64)
	if _, has := widths[name]; !has || !relative || !known || err != nil {
		return spec
	}
	return fmt.Sprintf("%s:%s=%s", name, widths[name].key, strconv.FormatFloat(x*scale/100, 'g', -1, 64))
}

// Entries lists the convex losses by name.
func Entries() []registry.Entry[Loss] { return losses.Entries() }

// NonconvexEntries lists the others.
func NonconvexEntries() []registry.Entry[Loss] { return nonconvex.Entries() }

// Name returns the name of the kind of l, without parameters, for messages.
func Name(l Loss) string {
	if !IsConvex(l) {
		return nonconvex.NameOf(l)
	}
	return losses.NameOf(l)
}

// register adds a loss that takes no parameters.
func register(name, summary string, l Loss) {
	losses.Register(registry.Entry[Loss]{Name: name, Summary: summary,
		New: func(*registry.Params) (Loss, error) { return l, nil }})
}

// registerWith adds a loss with one parameter.
func registerWith(name, summary, key string, otherwise float64, positive bool, make func(float64) Loss) {
	expected, valid := "a number >= 0", func(v float64) bool { return v >= 0 && v <= math.MaxFloat64 }
	if positive {
		expected, valid = "a number > 0", func(v float64) bool { return v > 0 && v <= math.MaxFloat64 }
	}
	if _, numeric := make(otherwise).(Numeric); numeric {
		widths[name] = width{key, otherwise}
		expected += ", or a share of the scale of the targets as 5%"
	}
	losses.Register(registry.Entry[Loss]{Name: name, Summary: summary,
		New: func(p *registry.Params) (Loss, error) {
			return make(p.Float(key, otherwise, expected, valid)), p.Err()
		}})
}

// clip returns x moved into [lo, hi].
func clip(x, lo, hi float64) float64 { return math.Min(math.Max(x, lo), hi) }

// sign returns -1, 0 or +1.
func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}
