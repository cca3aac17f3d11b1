package exact

import (
	"math"
	"math/big"
)

// Rounded returns dual variables whose products with the weights of the rows are
// multiples of a number that is small beside their sum, rounded towards zero, as
// the program balances them. Where very large ones cancel this is another point.
func (r *Risk) Rounded(a []float64) []float64 {
	total, most := 0.0, 0.0
	v := make([]float64, len(a))
	for i, x := range a {
		lo, hi := r.loss.domain(r.y[i])
		v[i] = r.s[i] * min(max(x, lo), hi)
		total += math.Abs(v[i])
		most = max(most, math.Abs(v[i]))
	}
	if r.bias != "free" || !(total > 0) || math.IsInf(total, 1) {
		return a
	}
	quantum := math.Ldexp(1, max(math.Ilogb(total)-61, math.Ilogb(most)-52, -1022))
	units := make([]int64, len(v))
	for i := range v {
		units[i] = int64(v[i] / quantum)
	}
	shrink(units)
	for i, k := range units {
		v[i] = float64(k) * quantum / r.s[i]
	}
	return v
}

// shrink makes whole numbers add up to 0: those of the heavier sign are multiplied by
// what the lighter ones add up to over their own sum, rounded towards zero, and the
// first of those that were rounded get one each until the sum is right.
func shrink(units []int64) {
	heavy, light, sign := int64(0), int64(0), int64(1)
	for _, k := range units {
		heavy += max(k, 0)
		light -= min(k, 0)
	}
	if heavy < light {
		heavy, light, sign = light, heavy, -1
	}
	missing := light
	rounded := make([]bool, len(units))
	for i, k := range units {
		if k*sign <= 0 {
			continue
		}
		whole, rest := new(big.Int).QuoRem(new(big.Int).Mul(big.NewInt(k*sign), big.NewInt(light)), big.NewInt(heavy), new(big.Int))
		units[i], rounded[i] = sign*whole.Int64(), rest.Sign() != 0
		missing -= whole.Int64()
	}
	for i := 0; missing > 0 && i < len(units); i++ {
		if rounded[i] {
			units[i] += sign
			missing--
		}
	}
}

// balance shrinks the heavier sign of v.
func balance(v []Number, plus, minus Number) {
	var sign int
	var shrink Number
	switch {
	case plus.Cmp(minus) > 0:
		sign, shrink = 1, Quo(minus, plus)
	case minus.Cmp(plus) > 0:
		sign, shrink = -1, Quo(plus, minus)
	default:
		return
	}
	for i := range v {
		if v[i].Sign() == sign {
			v[i] = Mul(v[i], shrink)
		}
	}
}
