package theory

import (
	"fmt"
	"math"
	"strings"
)

// Quadratic is what the work of a kernel machine depends on: the quadratic program of n dual
// variables of the hinge, with C = 1.
type Quadratic struct {
	Rows     float64 // n
	Values   float64 // stored, of a row
	Linear   bool    // the kernel
	Accuracy float64 // the relative gap to prove
	Memory   float64 // bytes
}

// A QuadraticCost is a row of the table of the lecture on these programs (reference kernel_qp,
// section 10), and the work of the method.
type QuadraticCost struct {
	Method     string  `json:"method"`
	Solver     string  `json:"solver"` // as "fenchel train" takes it
	Theory     string  `json:"theory"`
	Practice   string  `json:"practice"`
	Operations float64 `json:"operations"`
	Bytes      float64 `json:"bytes"`
	Reaches    float64 `json:"reaches"` // the smallest relative gap
}

// The sizes that the table takes where they are chosen: rank of a factor, features of a map.
const (
	tableRank = 100
	tableMap  = 500
)

// Costs are the rows of the table. Constants are those of "fenchel reproduce qp-scaling", on a
// chequered square with C = 1: operations a row and value of the kernel that counts were found to
// take, so that the order of methods means more than the numbers. A set with many free vectors
// takes an active set and working sets longer.
func (q Quadratic) Costs() []QuadraticCost {
	n, z := q.Rows, max(1, q.Values)
	square := n * n
	again := 1.0 // how often a value of the kernel is computed
	if 4*square > q.Memory {
		again = 1.5
	}
	passes := 30 + math.Log(1/q.Accuracy)
	kernels := []QuadraticCost{
		{"working sets", "working", "finite", "n^2 values", square * (30 + again*z), min(4*square, q.Memory), 1e-10},
		{"pairs (SMO)", "smo", "n^2/eps", "n^2 to n^2.5 values", square * (90 + again*z), min(4*square, q.Memory), 1e-10},
		{"active set", "active-set", "exponential", "n_s n^2", square * (500 + z), min(8*square, 8*n*(n/8+128)), 1e-13},
		{"interior point", "interior-point", "n^3 log(1/eps)", "10 to 30 times n^3", 1.5*n*square + square*z, 16 * square, 1e-9},
		{"interior point of low rank", fmt.Sprintf("interior-point:rank=%d", tableRank), "k^2 n log(1/eps)", "10 to 30 times k^2 n", n * tableRank * (15*tableRank + z), 16 * n * tableRank, 1e-2},
		{"cutting planes", "cutting-plane", "R^2/(lambda eps) planes", "100 planes of n^2 values", 100 * square * (1 + again*z/100), min(4*square, q.Memory), 1e-3},
		{"stochastic gradient (Pegasos)", "pegasos", "R^2/(lambda eps) steps", "n/eps steps of n values", square / q.Accuracy * 2, min(4*square, q.Memory), 1e-2},
		{"map to features", fmt.Sprintf("map nystrom:rank=%d", tableMap), "approximate kernel", "n D^2", n * tableMap * (tableMap + z + passes), 4 * n * tableMap, 1e-2},
	}
	if !q.Linear {
		return kernels
	}
	return append([]QuadraticCost{{"no kernel: weights of the features", "auto, without a kernel", "n z log(1/eps)", "tens of passes", n * z * passes, 8 * (n + z), 1e-12}}, kernels...)
}

// mostOperations is the work that counts as too much: hours.
const mostOperations = 2e13

// QuadraticAdvice is the method with the least work, and why it is not another one.
type QuadraticAdvice struct {
	QuadraticCost
	Why   string          `json:"why"`
	Table []QuadraticCost `json:"table"`
	Rules []Rule          `json:"rules"`
}

// Advise takes the method of fewest operations among those that reach the accuracy, fit into memory
// and take no more than hours. If there is none, it takes the map, which approximates the kernel.
func (q Quadratic) Advise() QuadraticAdvice {
	a := QuadraticAdvice{Table: q.Costs(), Rules: []Rule{
		{"all values of C", "active sets along the path: fenchel path"},
		{"rows that arrive later, or another C", "active set or working sets from the model before"},
		{"a few support vectors", "fenchel sparsify of the machine trained"}}}
	var refused []string
	best := -1
	for k, c := range a.Table {
		switch {
		case c.Reaches > q.Accuracy:
			refused = append(refused, fmt.Sprintf("%s prove no gap below %.0e", c.Method, c.Reaches))
		case c.Bytes > q.Memory:
			refused = append(refused, fmt.Sprintf("%s need %.3g GB", c.Method, c.Bytes/1e9))
		case c.Operations > mostOperations:
			refused = append(refused, fmt.Sprintf("%s take %.1g operations", c.Method, c.Operations))
		case best < 0 || c.Operations < a.Table[best].Operations:
			best = k
		}
	}
	if best < 0 {
		a.QuadraticCost = a.Table[len(a.Table)-1]
		a.Why = "nothing else fits, and its proof is of the approximate kernel: " + strings.Join(refused, "; ")
		return a
	}
	a.QuadraticCost = a.Table[best]
	a.Why = "the fewest operations of those that fit"
	if len(refused) > 0 {
		a.Why += ": " + strings.Join(refused, "; ")
	}
	return a
}

// Check refuses what is no setting.
func (q Quadratic) Check() error {
	if !(q.Memory >= 1e6) {
		return fmt.Errorf("memory %g: expected at least a megabyte", q.Memory)
	}
	return Setting{Rows: q.Rows, Accuracy: q.Accuracy}.Check()
}
