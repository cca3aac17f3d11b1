package adversary

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// lossTwin is a loss written down again, from its formula. Domains are doubles:
// their ends are 0, 1, a parameter or infinite.
type lossTwin struct {
	margin    bool // its targets are -1 and 1
	curved    bool // its slope is not bounded
	value     func(p number, y float64) number
	conjugate func(a number, y float64) number
	domain    func(y float64) (lo, hi float64)
}

// lossDefaults has all losses that have a twin, with the name and the default
// of their parameter.
var lossDefaults = map[string]struct {
	key   string
	value float64
}{
	"hinge": {}, "squared-hinge": {}, "logistic": {}, "huber-hinge": {"width", 1},
	"squared": {}, "absolute": {}, "huber": {"delta", 1},
	"epsilon-insensitive": {"epsilon", 0.1}, "squared-epsilon-insensitive": {"epsilon", 0.1},
}

// parameter splits name:key=value.
func parameter(spec string, standard float64) (name string, value float64, err error) {
	name, rest, ok := strings.Cut(spec, ":")
	if !ok {
		return name, standard, nil
	}
	_, digits, _ := strings.Cut(rest, "=")
	value, err = strconv.ParseFloat(digits, 64)
	return name, value, err
}

// newLoss makes the twin of a loss.
func newLoss(spec string) (lossTwin, error) {
	plain, _, _ := strings.Cut(spec, ":")
	d, ok := lossDefaults[plain]
	if !ok {
		return lossTwin{}, fmt.Errorf("loss %q: found no twin in package adversary, expected one of those in lossDefaults", plain)
	}
	name, h, err := parameter(spec, d.value)
	if err != nil {
		return lossTwin{}, err
	}
	switch name {
	case "squared", "absolute", "huber", "epsilon-insensitive", "squared-epsilon-insensitive":
		return distanceLoss(name, num(h)), nil
	}
	return marginLoss(name, num(h)), nil
}

// marginLoss is a loss of m = y p. Its conjugate is written for b = -y a.
func marginLoss(name string, h number) lossTwin {
	l := lossTwin{margin: true, curved: name == "squared-hinge"}
	width := 1.0
	if l.curved {
		width = math.Inf(1)
	}
	l.domain = func(y float64) (lo, hi float64) {
		if y > 0 {
			return -width, 0
		}
		return 0, width
	}
	l.value = func(p number, y float64) number {
		m := mul(num(y), p)
		short := largest(zero(), sub(num(1), m))
		switch name {
		case "squared-hinge":
			return square(short)
		case "huber-hinge":
			if less(short, h) {
				return quo(square(short), mul(num(2), h))
			}
			return sub(short, half(h))
		case "logistic":
			if m.Sign() < 0 { // log(1+e^-m) = -m + log(1+e^m)
				return sub(log1p(exp(m)), m)
			}
			return log1p(exp(neg(m)))
		}
		return short
	}
	l.conjugate = func(a number, y float64) number {
		b := mul(num(-y), a)
		switch name {
		case "squared-hinge":
			return sub(quo(square(b), num(4)), b)
		case "huber-hinge":
			return sub(half(mul(h, square(b))), b)
		case "logistic":
			return add(entropy(b), entropy(sub(num(1), b)))
		}
		return neg(b)
	}
	return l
}

// entropy returns b log b, 0 at 0.
func entropy(b number) number {
	if b.Sign() <= 0 {
		return zero()
	}
	if rest := sub(b, num(1)); rest.MantExp(nil) < -1 {
		return mul(b, log1p(rest))
	}
	return mul(b, log(b))
}

// distanceLoss is a loss of p - y.
func distanceLoss(name string, h number) lossTwin {
	l := lossTwin{curved: strings.HasPrefix(name, "squared")}
	reach := math.Inf(1)
	switch name {
	case "absolute", "epsilon-insensitive":
		reach = 1
	case "huber":
		reach = float(h)
	}
	l.domain = func(float64) (lo, hi float64) { return -reach, reach }
	l.value = func(p number, y float64) number {
		r := abs(sub(p, num(y)))
		beyond := largest(zero(), sub(r, h))
		switch name {
		case "squared":
			return half(square(r))
		case "absolute":
			return r
		case "huber":
			if r.Cmp(h) <= 0 {
				return half(square(r))
			}
			return mul(h, sub(r, half(h)))
		case "squared-epsilon-insensitive":
			return square(beyond)
		}
		return beyond
	}
	l.conjugate = func(a number, y float64) number {
		line := mul(a, num(y))
		switch name {
		case "squared", "huber":
			return add(line, half(square(a)))
		case "absolute":
			return line
		case "squared-epsilon-insensitive":
			line = add(line, quo(square(a), num(4)))
		}
		return add(line, mul(h, abs(a)))
	}
	return l
}
