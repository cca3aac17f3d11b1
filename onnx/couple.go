package onnx

import "github.com/fenchel-ml/fenchel/model"

// couple returns probabilities of classes from those of pairs, as package model does.
//
//	Problem     p = argmin p^T Q p over the simplex, Q_tt = sum_s r_st^2, Q_ts = -r_st r_ts;
//	            r_ij, N x pairs, is the probability of the first class of a pair; Q differs
//	            from row to row: N x classes x classes
//	Update      as in package model, for all rows at once: a loop of passes over the classes
//	            t. A row that is done keeps its p; the loop ends when all are
//	Returned    N x classes
//	Cost        O(N classes^2) a pass; classes x 12 nodes
//	Source      Wu, Lin, Weng, Probability Estimates for Multi-class Classification by
//	            Pairwise Coupling, 2004, algorithm 2
//
// As it stops early, the order of the classes counts: turned says that it is the opposite
// one, and that pairs are those of the second class, as in files of LIBSVM.
func (p *predictor) couple(pairs string, turned bool) string {
	classes := len(p.model.Classes)
	c := coupling{graph: p.graph, classes: classes}
	first := p.op("Min", p.op("Max", pairs, p.number(leastPair)), p.number(1-leastPair))
	q := c.quadratic(first, turned)
	ones := p.op("Mul", p.node("Gather", []string{first, p.wholes(make([]int64, classes)...)}, wholeAttribute("axis", 1)), p.number(0))
	start := p.op("Add", ones, p.number(1/float64(classes)))
	most := p.constant(nil, []int64{int64(max(100, classes))})
	going := p.cast(p.constant(nil, []int64{1}), truth)
	end := p.node("Loop", []string{most, going, start}, bodyAttribute("body", c.pass(q)))
	if turned {
		return c.backwards(end)
	}
	return end
}

const leastPair = 1e-7

// coupling is the graph of couple for so many classes.
type coupling struct {
	*graph
	classes int
}

// quadratic returns Q. Pair (i,j) of the coupling has r = r_ij.
func (c *coupling) quadratic(first string, turned bool) string {
	k := c.classes
	pairs := k * (k - 1) / 2
	squares, mixed := make([]float64, 2*pairs*k*k), make([]float64, pairs*k*k)
	for pair := range pairs {
		i, j := model.Pair(pair, k)
		from := pair // of the scores
		if turned {
			from = place(k-1-j, k-1-i, k)
		}
		squares[from*k*k+j*k+j] = 1         // Q_jj has r^2
		squares[(pairs+from)*k*k+i*k+i] = 1 // Q_ii has (1-r)^2
		mixed[from*k*k+i*k+j], mixed[from*k*k+j*k+i] = -1, -1
	}
	second := c.op("Sub", c.number(1), first)
	both := c.side([]string{c.op("Mul", first, first), c.op("Mul", second, second)})
	diagonal := c.op("MatMul", both, c.constant([]int{2 * pairs, k * k}, squares))
	rest := c.op("MatMul", c.op("Mul", first, second), c.constant([]int{pairs, k * k}, mixed))
	return c.op("Reshape", c.op("Add", diagonal, rest), c.wholes(0, int64(k), int64(k)))
}

// place returns the number of the pair of the classes i < j.
func place(i, j, classes int) int { return i*(2*classes-i-1)/2 + j - i - 1 }

// multiply returns Q p for p of N x classes.
func (c *coupling) multiply(g *graph, q, p string) string {
	column := g.op("Unsqueeze", p, g.wholes(2))
	return g.op("Squeeze", g.op("MatMul", q, column), g.wholes(2))
}

// pass is the body of the loop: from p to p after a step in each class.
func (c *coupling) pass(q string) *graph {
	b := c.body()
	round, going, p := b.name(), b.name(), b.name()
	rows := []dimension{{name: "N"}, {size: c.classes}}
	b.inputs = append(b.inputs, valueMessage(round, whole, nil), valueMessage(going, truth, nil), valueMessage(p, double, rows))
	qp := c.multiply(b, q, p)
	value := b.sum(b.op("Mul", p, qp)) // N x 1
	apart := b.node("ReduceMax", []string{b.op("Abs", b.op("Sub", qp, value)), b.wholes(1)}, wholeAttribute("keepdims", 1))
	moves := b.op("Not", b.op("Less", apart, b.number(0.005/float64(c.classes))))
	next := p
	for t := range c.classes {
		next, qp, value = c.step(b, q, t, next, qp, value)
	}
	some := b.node("ReduceMax", []string{b.cast(moves, single)}, wholeAttribute("keepdims", 0))
	b.outputs = append(b.outputs, valueMessage(b.cast(some, truth), truth, nil), valueMessage(b.op("Where", moves, next, p), double, rows))
	return b
}

// step moves p_t to where (Qp)_t = p^T Q p, and divides p by its sum.
func (c *coupling) step(b *graph, q string, t int, p, qp, value string) (string, string, string) {
	line := b.node("Gather", []string{q, b.constant(nil, []int64{int64(t)})}, wholeAttribute("axis", 1)) // N x classes
	own := b.node("Gather", []string{line, b.wholes(int64(t))}, wholeAttribute("axis", 1))               // N x 1
	at := b.node("Gather", []string{qp, b.wholes(int64(t))}, wholeAttribute("axis", 1))
	step := b.op("Div", b.op("Sub", value, at), own)
	grown := b.op("Add", b.number(1), step)
	twice := b.op("Mul", b.number(2), at)
	more := b.op("Mul", step, b.op("Add", b.op("Mul", step, own), twice))
	value = b.op("Div", b.op("Add", value, more), b.op("Mul", grown, grown))
	unit := make([]float64, c.classes)
	unit[t] = 1
	p = b.op("Div", b.op("Add", p, b.op("Mul", step, b.row(unit))), grown)
	qp = b.op("Div", b.op("Add", qp, b.op("Mul", step, line)), grown)
	return p, qp, value
}

// backwards turns the order of the columns.
func (c *coupling) backwards(x string) string {
	order := make([]int64, c.classes)
	for i := range order {
		order[i] = int64(c.classes - 1 - i)
	}
	return c.node("Gather", []string{x, c.wholes(order...)}, wholeAttribute("axis", 1))
}
