package exact

// Symbols returns the values of a row that are not zero.
func Symbols(row []float64) (s []float64) {
	for _, v := range row {
		if v != 0 {
			s = append(s, v)
		}
	}
	return s
}

// Subsequences returns the kernel ssk of two strings, with the default lambda 0.8:
// the sum over all pairs of equal subsequences of p symbols of lambda to the power of
// both their lengths, gaps included. With K'_0 = 1 it is that of lambda^2 K'_(p-1)
// (i-1,j-1) over all s_i = t_j, where
//
//	K'_l(i,j)  = lambda K'_l(i-1,j) + K''_l(i,j)
//	K''_l(i,j) = lambda K''_l(i,j-1) + [s_i = t_j] lambda^2 K'_(l-1)(i-1,j-1)
func Subsequences(s, t []float64, p int) Number {
	lambda := Num(0.8)
	level := func(first Number) [][]Number {
		k := make([][]Number, len(s)+1)
		for i := range k {
			k[i] = make([]Number, len(t)+1)
			for j := range k[i] {
				k[i][j] = first
			}
		}
		return k
	}
	lower := level(Num(1))
	for l := 1; l < p; l++ {
		next := level(Zero())
		for i := range s {
			running := Zero()
			for j := range t {
				running = Mul(lambda, running)
				if s[i] == t[j] {
					running = Add(running, Mul(square(lambda), lower[i][j]))
				}
				next[i+1][j+1] = Add(Mul(lambda, next[i][j+1]), running)
			}
		}
		lower = next
	}
	total := Zero()
	for i := range s {
		for j := range t {
			if s[i] == t[j] {
				total = Add(total, Mul(square(lambda), lower[i][j]))
			}
		}
	}
	return total
}
