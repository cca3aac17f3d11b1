package stochastic

// A source turns the slope g of row i at the iterate into parts of the gradient estimate:
//
//	direct  of x_i in this step
//	early   of x_i in the direction of this step and later ones
//	late    of x_i in the direction of later steps
//
// The direction, with all weights, counts share() times. renew, before a step, makes what takes
// a pass over the rows, and reports whether it did.
type source interface {
	estimate(i int, g float64) (direct, early, late float64)
	share() float64
	renew() bool
}

// plain is the gradient of the rows themselves.
type plain struct{}

func (plain) estimate(_ int, g float64) (direct, early, late float64) { return g, 0, 0 }
func (plain) share() float64                                          { return 1 }
func (plain) renew() bool                                             { return false }
