package algebra

// Bounds of rounding errors. Unit is that of float64. A sum or product of n
// roundings, in whatever order, is off by at most gamma(n) of the sum of magnitudes
// (Higham 2002, section 3.1); what underflows is far below all these bounds, because
// rows are balanced.
const Unit = 0x1p-53

// Gamma returns n Unit/(1 - n Unit), rounded up.
func Gamma(n int) float64 {
	x := float64(n) * Unit
	return Up(x / (1 - x))
}

// Up makes a number that is not negative larger by more than 30 roundings of it.
func Up(x float64) float64 { return float64(x * (1 + 0x1p-48)) }
