package exact

import (
	"fmt"
	"strings"
)

// penaltyTwin is ratio |w|_1 + (1-ratio) |w|^2/2: l2 with the ratio 0, l1 with 1.
type penaltyTwin struct{ ratio Number }

func NewPenalty(spec string) (penaltyTwin, error) {
	switch name, ratio, err := parameter(spec, 0.5); {
	case name == "l2":
		return penaltyTwin{Zero()}, nil
	case name == "l1":
		return penaltyTwin{Num(1)}, nil
	case name == "elastic-net":
		return penaltyTwin{Num(ratio)}, err
	}
	name, _, _ := strings.Cut(spec, ":")
	return penaltyTwin{}, fmt.Errorf("penalty %q: found no twin in package exact, expected one for every penalty", name)
}

func (p penaltyTwin) value(w []Number) Number {
	total := Zero()
	rest := Sub(Num(1), p.ratio)
	for _, x := range w {
		total = Add(total, Add(Mul(p.ratio, Abs(x)), half(Mul(rest, square(x)))))
	}
	return total
}

// conjugate returns the largest scale <= 1 that makes scale u feasible, and the
// conjugate there.
func (p penaltyTwin) conjugate(u []Number) (scale, value Number) {
	rest := Sub(Num(1), p.ratio)
	if rest.Sign() == 0 { // the box |u_j| <= 1
		most := Num(1)
		for _, x := range u {
			most = Largest(most, Abs(x))
		}
		return Quo(Num(1), most), Zero()
	}
	value = Zero()
	for _, x := range u {
		value = Add(value, square(Largest(Zero(), Sub(Abs(x), p.ratio))))
	}
	return Num(1), Quo(value, Mul(Num(2), rest))
}
