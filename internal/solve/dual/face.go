package dual

import (
	"math"

	"github.com/fenchel-ml/fenchel/internal/parallel"
	"github.com/fenchel-ml/fenchel/internal/vec"
	"github.com/fenchel-ml/fenchel/matrix"
)

// face solves for all free rows at once, those whose dual variable is inside
// its domain, the others held fixed. SDCA finds soon which rows these are, and
// then turns long about their values where lambda or the gap is small (after
// Moré and Toraldo's GPCG, 1991).
//
//	Problem   for a loss whose conjugate is y a on its domain (hinge, absolute)
//	          the predictions of free rows are their targets at the optimum: with
//	          e_i = (factor (|x_i|^2 + beta))^(-1/2), factor = 1/(lambda N), and
//	          a_i moved by e_i t_i/s_i,
//	              K t = r,  r_i = e_i (p_i - y_i),  K_ij = factor e_i e_j <x_i,x_j>
//	Rows      free rows that a step of their own would put on a bound are not of
//	          the face (the active set of the semismooth Newton method)
//	Method    conjugate residuals (Stiefel, 1955): of the Krylov space the t with
//	          the least |r|, and with it the primal, which near the optimum rises
//	          with |r| where the dual falls with |r|^2 only. The dual rises, too
//	Ends      when |r| is a tenth of what it was, or after sixty steps
//	Returned  two points. Weights: where all steps lead, whatever becomes of the
//	          domains (lead). Dual variables: rows that leave are put on the bound;
//	          then the longest of the steps 1, 1/2, 1/4 ... that raises the dual is
//	          taken, or none
//	Cost      one pass over the free rows a step, on all cores: what K r changes of
//	          u is added up while a row is at hand, and the change by the next r
//	          follows, as r itself does
//
// The weights are the greater part: where lambda is small it is the primal that is far
// from the optimum, and steps cut off at the bounds make it worse.
//
// Plain conjugate gradients were rejected: they raise the dual as far, but |r| grows on
// the way. So were the best point in the space of the last epochs' moves, which are not
// conjugate, preconditioning by symmetric Gauss-Seidel, which saves no pass, lifting only
// rows that fall short, and mean weights.
type face struct {
	s           *sdca
	rows        []uint32
	e           []float64   // a number for each of rows, as those of the next two lines; see above
	t, r, p     []float64   // steps so far, residual, direction
	kr, kp      []float64   // K r, K p
	ur, ukp     []float64   // d+1: change of u by r and K p
	du          []float64   // d+1: by t, once there are no more steps
	part        [][]float64 // d+1 each: of the change by K r; the first becomes the sum
	first, rkr  float64     // |r| at the start, <r,Kr> of the last step
	alpha, beta float64     // of the last step: its length, the share of p it keeps
	steps       int
}

const (
	faceSteps = 60
	faceGoal  = 0.1
)

// newFace lists the rows and their residuals; nil if there is nothing to solve,
// or if there are so many rows that their predictions cannot all be chosen: no
// face of the optimum.
func (s *sdca) newFace() *face {
	f := &face{s: s}
	for i, a := range s.a {
		if s.inside(s.p.Y[i], a) && s.p.SquaredNorm[i]+s.beta > 0 {
			f.rows = append(f.rows, uint32(i))
		}
	}
	f.e, f.r = make([]float64, len(f.rows)), make([]float64, len(f.rows))
	parallel.Blocks(len(f.rows), 256, s.p.Threads, func(_, lo, hi int) { f.residuals(lo, hi) })
	nonzeros := f.keep()
	f.first = math.Sqrt(vec.SquaredNorm64(f.r))
	m, d := len(f.rows), len(s.u)
	if m >= d || !(f.first > 0) || math.IsInf(f.first, 0) {
		return nil
	}
	for _, v := range []*[]float64{&f.t, &f.p, &f.kr, &f.kp} {
		*v = make([]float64, m)
	}
	f.ur, f.ukp = s.vector(), s.vector()
	clear(f.ukp)
	for range max(1, min(4, nonzeros/(2*d))) {
		f.part = append(f.part, s.vector())
	}
	f.combine(f.ur, f.r)
	return f
}

// residuals sets e and r of the rows lo to hi.
func (f *face) residuals(lo, hi int) {
	for k := lo; k < hi; k++ {
		f.e[k] = 1 / math.Sqrt(f.s.factor*(f.s.p.SquaredNorm[f.rows[k]]+f.s.beta))
	}
	f.predict(f.r, f.s.u, lo, hi)
	for k := lo; k < hi; k++ {
		f.r[k] -= float64(f.e[k] * f.s.p.Y[f.rows[k]])
	}
}

// keep leaves out the rows that a step of their own would put on a bound, and
// returns how many nonzeros the others have.
func (f *face) keep() (nonzeros int) {
	s, m := f.s, 0
	for k, i := range f.rows {
		if s.inside(s.p.Y[i], s.a[i]+float64(f.e[k]*f.r[k])/s.p.S[i]) {
			f.rows[m], f.e[m], f.r[m] = i, f.e[k], f.r[k]
			m++
			nonzeros += s.p.X.Row(int(i)).Nonzeros()
		}
	}
	f.rows, f.e, f.r = f.rows[:m], f.e[:m], f.r[:m]
	return nonzeros
}

// predict sets dst_k to e_k times the prediction of row k by u.
func (f *face) predict(dst, u []float64, lo, hi int) {
	d := len(u) - 1
	for k := lo; k < hi; k++ {
		dst[k] = f.e[k] * (f.row(k).Dot(u[:d]) + u[d])
	}
}

func (f *face) row(k int) matrix.Vector { return f.s.p.X.Row(int(f.rows[k])) }

// span returns the free rows of part b.
func (f *face) span(b int) (lo, hi int) {
	m := len(f.rows)
	return b * m / len(f.part), (b + 1) * m / len(f.part)
}

// add adds to u the change that the step t of row k makes of it.
func (f *face) add(u []float64, k int, t float64) {
	d := len(u) - 1
	scale := -f.s.factor * float64(f.e[k]*t)
	f.row(k).AddTo(u[:d], scale)
	u[d] += float64(f.s.beta * scale)
}

// combine sets u to the change that steps t make of it.
func (f *face) combine(u, t []float64) {
	parallel.Blocks(len(f.part), 1, f.s.p.Threads, func(b, _, _ int) {
		clear(f.part[b])
		lo, hi := f.span(b)
		for k := lo; k < hi; k++ {
			f.add(f.part[b], k, t[k])
		}
	})
	f.gather(0, len(u))
	copy(u, f.part[0])
}

// gather adds up the parts of the changes of the weights lo to hi.
func (f *face) gather(lo, hi int) {
	for _, u := range f.part[1:] {
		vec.Axpy64(f.part[0][lo:hi], 1, u[lo:hi])
	}
}

// multiply sets K r, and part b of the change of u by it, for the rows of the part.
func (f *face) multiply(b int) {
	u := f.part[b]
	d := len(u) - 1
	clear(u)
	lo, hi := f.span(b)
	for k := lo; k < hi; k++ {
		f.kr[k] = -f.e[k] * (f.row(k).Dot(f.ur[:d]) + f.ur[d])
		f.add(u, k, f.kr[k])
	}
}

// advance makes steps that are worth a pass over all rows; it reports whether
// there is more to do. What each member of the team does depends on the others'
// results alone, not on who they are.
func (f *face) advance() bool {
	left := max(1, len(f.s.a)/len(f.rows))
	more, taken := true, false
	team := parallel.NewTeam(f.s.p.Threads, len(f.part))
	team.Run(func(member int) {
		lo, hi := team.Share(member, len(f.ur))
		for left > 0 && more {
			for b := member; b < len(f.part); b += team.Size() {
				f.multiply(b)
			}
			team.Meet()
			f.gather(lo, hi)
			if member == 0 {
				taken, more = f.step()
				left--
			}
			team.Meet()
			if taken {
				vec.ScaledAdd(f.ukp[lo:hi], f.beta, 1, f.part[0][lo:hi])
				vec.Axpy64(f.ur[lo:hi], -f.alpha, f.ukp[lo:hi])
			}
			team.Meet()
		}
	})
	return more
}

// step makes one step of the method, given K r. It reports whether the step was taken and whether
// another makes sense.
func (f *face) step() (taken, more bool) {
	rkr := vec.Dot64(f.r, f.kr)
	f.beta = 0
	if f.steps > 0 {
		f.beta = rkr / f.rkr
	}
	f.rkr = rkr
	vec.ScaledAdd(f.p, f.beta, 1, f.r)
	vec.ScaledAdd(f.kp, f.beta, 1, f.kr)
	f.alpha = rkr / vec.SquaredNorm64(f.kp)
	if !(rkr > 0) || math.IsInf(f.alpha, 0) {
		return false, false
	}
	vec.Axpy64(f.t, f.alpha, f.p)
	vec.Axpy64(f.r, -f.alpha, f.kp)
	f.steps++
	return true, f.steps < faceSteps && f.left() > faceGoal
}

// lead sets w to the weights where the steps lead.
func (f *face) lead(w []float64) {
	f.du = f.part[0]
	f.combine(f.du, f.t)
	copy(w, f.s.u)
	vec.Axpy64(w, 1, f.du)
}

// left is the share of |r| that is left: about that of the gap.
func (f *face) left() float64 { return math.Sqrt(vec.SquaredNorm64(f.r)) / f.first }
