package exact

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// lossTwin is a loss written down again, from its formula. Domains are doubles:
// their ends are 0, 1, a parameter or infinite.
type lossTwin struct {
	Margin    bool // its targets are -1 and 1
	curved    bool // its slope is not bounded
	value     func(p Number, y float64) Number
	conjugate func(a Number, y float64) Number
	domain    func(y float64) (lo, hi float64)
}

// LossDefaults has all losses that have a twin, with the name and the default
// of their parameter.
var LossDefaults = map[string]struct {
	Key   string
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

// NewLoss makes the twin of a loss.
func NewLoss(spec string) (lossTwin, error) {
	plain, _, _ := strings.Cut(spec, ":")
	d, ok := LossDefaults[plain]
	if !ok {
		return lossTwin{}, fmt.Errorf("loss %q: found no twin in package exact, expected one of those in lossDefaults", plain)
	}
	name, h, err := parameter(spec, d.value)
	if err != nil {
		return lossTwin{}, err
	}
	switch name {
	case "squared", "absolute", "huber", "epsilon-insensitive", "squared-epsilon-insensitive":
		return distanceLoss(name, Num(h)), nil
	}
	return marginLoss(name, Num(h)), nil
}

// marginLoss is a loss of m = y p. Its conjugate is written for b = -y a.
func marginLoss(name string, h Number) lossTwin {
	l := lossTwin{Margin: true, curved: name == "squared-hinge"}
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
	l.value = func(p Number, y float64) Number {
		m := Mul(Num(y), p)
		short := Largest(Zero(), Sub(Num(1), m))
		switch name {
		case "squared-hinge":
			return square(short)
		case "huber-hinge":
			if Less(short, h) {
				return Quo(square(short), Mul(Num(2), h))
			}
			return Sub(short, half(h))
		case "logistic":
			if m.Sign() < 0 { // log(1+e^-m) = -m + log(1+e^m)
				return Sub(log1p(exp(m)), m)
			}
			return log1p(exp(Neg(m)))
		}
		return short
	}
	l.conjugate = func(a Number, y float64) Number {
		b := Mul(Num(-y), a)
		switch name {
		case "squared-hinge":
			return Sub(Quo(square(b), Num(4)), b)
		case "huber-hinge":
			return Sub(half(Mul(h, square(b))), b)
		case "logistic":
			return Add(entropy(b), entropy(Sub(Num(1), b)))
		}
		return Neg(b)
	}
	return l
}

// entropy returns b log b, 0 at 0.
func entropy(b Number) Number {
	if b.Sign() <= 0 {
		return Zero()
	}
	if rest := Sub(b, Num(1)); rest.MantExp(nil) < -1 {
		return Mul(b, log1p(rest))
	}
	return Mul(b, log(b))
}

// distanceLoss is a loss of p - y.
func distanceLoss(name string, h Number) lossTwin {
	l := lossTwin{curved: strings.HasPrefix(name, "squared")}
	reach := math.Inf(1)
	switch name {
	case "absolute", "epsilon-insensitive":
		reach = 1
	case "huber":
		reach = Float(h)
	}
	l.domain = func(float64) (lo, hi float64) { return -reach, reach }
	l.value = func(p Number, y float64) Number {
		r := Abs(Sub(p, Num(y)))
		beyond := Largest(Zero(), Sub(r, h))
		switch name {
		case "squared":
			return half(square(r))
		case "absolute":
			return r
		case "huber":
			if r.Cmp(h) <= 0 {
				return half(square(r))
			}
			return Mul(h, Sub(r, half(h)))
		case "squared-epsilon-insensitive":
			return square(beyond)
		}
		return beyond
	}
	l.conjugate = func(a Number, y float64) Number {
		line := Mul(a, Num(y))
		switch name {
		case "squared", "huber":
			return Add(line, half(square(a)))
		case "absolute":
			return line
		case "squared-epsilon-insensitive":
			line = Add(line, Quo(square(a), Num(4)))
		}
		return Add(line, Mul(h, Abs(a)))
	}
	return l
}
