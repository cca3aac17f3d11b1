package adversary

import (
	"fmt"
	"strings"
)

// penaltyTwin is ratio |w|_1 + (1-ratio) |w|^2/2: l2 with the ratio 0, l1 with 1.
type penaltyTwin struct{ ratio number }

func newPenalty(spec string) (penaltyTwin, error) {
	switch name, ratio, err := parameter(spec, 0.5); {
	case name == "l2":
		return penaltyTwin{zero()}, nil
	case name == "l1":
		return penaltyTwin{num(1)}, nil
	case name == "elastic-net":
		return penaltyTwin{num(ratio)}, err
	}
	name, _, _ := strings.Cut(spec, ":")
	return penaltyTwin{}, fmt.Errorf("penalty %q: found no twin in package adversary, expected one for every penalty", name)
}

func (p penaltyTwin) value(w []number) number {
	total := zero()
	rest := sub(num(1), p.ratio)
	for _, x := range w {
		total = add(total, add(mul(p.ratio, abs(x)), half(mul(rest, square(x)))))
	}
	return total
}

// conjugate returns the largest scale <= 1 that makes scale u feasible, and the
// conjugate there.
func (p penaltyTwin) conjugate(u []number) (scale, value number) {
	rest := sub(num(1), p.ratio)
	if rest.Sign() == 0 { // the box |u_j| <= 1
		most := num(1)
		for _, x := range u {
			most = largest(most, abs(x))
		}
		return quo(num(1), most), zero()
	}
	value = zero()
	for _, x := range u {
		value = add(value, square(largest(zero(), sub(abs(x), p.ratio))))
	}
	return num(1), quo(value, mul(num(2), rest))
}
