package adversary

// symbols returns the values of a row that are not zero.
func symbols(row []float64) (s []float64) {
	for _, v := range row {
		if v != 0 {
			s = append(s, v)
		}
	}
	return s
}

// subsequences returns the kernel ssk of two strings, with the default lambda 0.8:
// the sum over all pairs of equal subsequences of p symbols of lambda to the power of
// both their lengths, gaps included. With K'_0 = 1 it is that of lambda^2 K'_(p-1)
// (i-1,j-1) over all s_i = t_j, where
//
//	K'_l(i,j)  = lambda K'_l(i-1,j) + K''_l(i,j)
//	K''_l(i,j) = lambda K''_l(i,j-1) + [s_i = t_j] lambda^2 K'_(l-1)(i-1,j-1)
func subsequences(s, t []float64, p int) number {
	lambda := num(0.8)
	level := func(first number) [][]number {
		k := make([][]number, len(s)+1)
		for i := range k {
			k[i] = make([]number, len(t)+1)
			for j := range k[i] {
				k[i][j] = first
			}
		}
		return k
	}
	lower := level(num(1))
	for l := 1; l < p; l++ {
		next := level(zero())
		for i := range s {
			running := zero()
			for j := range t {
				running = mul(lambda, running)
				if s[i] == t[j] {
					running = add(running, mul(square(lambda), lower[i][j]))
				}
				next[i+1][j+1] = add(mul(lambda, next[i][j+1]), running)
			}
		}
		lower = next
	}
	total := zero()
	for i := range s {
		for j := range t {
			if s[i] == t[j] {
				total = add(total, mul(square(lambda), lower[i][j]))
			}
		}
	}
	return total
}
