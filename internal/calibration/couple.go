package calibration

import "math"

// Couple appends to dst the probabilities p of so many classes that suit those of their
// pairs, first(i,j) being that of i where it is i < j or j (Wu, Lin, Weng 2004, second
// method, as in LIBSVM):
//
//	Problem     min sum_t sum_{j != t} (r_jt p_t - r_tj p_j)^2 = p^T Q p over the simplex,
//	            r_ij = first(i,j) = 1 - r_ji, 1e-7 from 0 and 1 at least
//	Update      p_t += (p^T Q p - (Qp)_t)/Q_tt, then p is divided by its sum; t in turn
//	Returned    p once all (Qp)_t are within 0.005/classes of p^T Q p, where they are equal
//	            at the optimum, or after max(100, classes) passes
//	Cost        O(classes^2) a pass
func Couple(dst []float64, classes int, first func(i, j int) float64) []float64 {
	q, qp := pairMatrix(classes, first), make([]float64, classes)
	begin := len(dst)
	for range classes {
		dst = append(dst, 1/float64(classes))
	}
	p := dst[begin:]
	for range max(100, classes) {
		value := multiply(qp, q, p)
		if farthestFrom(value, qp) < 0.005/float64(classes) {
			break
		}
		for t := range p {
			row := q[t*classes : (t+1)*classes]
			step := (value - qp[t]) / row[t]
			p[t] += step
			value = (value + float64(step*(float64(step*row[t])+float64(2*qp[t])))) / float64((1+step)*(1+step))
			for j := range p {
				qp[j] = (qp[j] + float64(step*row[j])) / (1 + step)
				p[j] /= 1 + step
			}
		}
	}
	return dst
}

// pairMatrix returns Q by rows.
func pairMatrix(classes int, first func(i, j int) float64) []float64 {
	const least = 1e-7
	q := make([]float64, classes*classes)
	for i := range classes {
		for j := i + 1; j < classes; j++ {
			r := min(max(first(i, j), least), 1-least)
			q[i*classes+i] += float64((1 - r) * (1 - r))
			q[j*classes+j] += float64(r * r)
			q[i*classes+j] = -r * (1 - r)
			q[j*classes+i] = q[i*classes+j]
		}
	}
	return q
}

// multiply sets qp = Q p and returns p^T Q p.
func multiply(qp, q, p []float64) (value float64) {
	for t := range p {
		qp[t] = 0
		for j, x := range p {
			qp[t] += float64(q[t*len(p)+j] * x)
		}
		value += float64(p[t] * qp[t])
	}
	return value
}

// farthestFrom returns how far a number is from value at most.
func farthestFrom(value float64, numbers []float64) (most float64) {
	for _, x := range numbers {
		most = math.Max(most, math.Abs(x-value))
	}
	return most
}
