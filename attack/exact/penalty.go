package exact

import (
	"fmt"
	"math"
	"strings"
)

// penaltyTwin is ratio |w|_1 + (1-ratio) |w|^2/2: l2 with the ratio 0, l1 with 1. Where it is nonnegative, it is infinite
// with a weight below 0.
type penaltyTwin struct {
	ratio       Number
	nonnegative bool
}

func NewPenalty(spec string) (penaltyTwin, error) {
	switch name, ratio, err := parameter(spec, 0.5); {
	case name == "l2":
		return penaltyTwin{ratio: Zero()}, nil
	case name == "l1":
		return penaltyTwin{ratio: Num(1)}, nil
	case name == "elastic-net":
		return penaltyTwin{ratio: Num(ratio)}, err
	}
	switch name, ratio, err := parameter(spec, 0); {
	case name == "nonnegative-l1":
		return penaltyTwin{Num(1), true}, nil
	case name == "nonnegative":
		return penaltyTwin{Num(ratio), true}, err
	}
	name, _, _ := strings.Cut(spec, ":")
	return penaltyTwin{}, fmt.Errorf("penalty %q: found no twin in package exact, expected one for every penalty", name)
}

func (p penaltyTwin) value(w []Number) Number {
	total := Zero()
	rest := Sub(Num(1), p.ratio)
	for _, x := range w {
		if p.nonnegative && x.Sign() < 0 {
			return Num(math.Inf(1))
		}
		total = Add(total, Add(Mul(p.ratio, Abs(x)), half(Mul(rest, square(x)))))
	}
	return total
}

// size is what the conjugate sees of a number: its magnitude, or its positive part.
func (p penaltyTwin) size(x Number) Number {
	if p.nonnegative {
		return Largest(Zero(), x)
	}
	return Abs(x)
}

// conjugate returns the largest scale <= 1 that makes scale u feasible, and the
// conjugate there.
func (p penaltyTwin) conjugate(u []Number) (scale, value Number) {
	rest := Sub(Num(1), p.ratio)
	if rest.Sign() == 0 { // the box |u_j| <= 1
		most := Num(1)
		for _, x := range u {
			most = Largest(most, p.size(x))
		}
		return Quo(Num(1), most), Zero()
	}
	value = Zero()
	for _, x := range u {
		value = Add(value, square(Largest(Zero(), Sub(p.size(x), p.ratio))))
	}
	return Num(1), Quo(value, Mul(Num(2), rest))
}
