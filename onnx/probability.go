package onnx

import "github.com/fenchel-ml/fenchel/model"

// probabilities returns what model.Model.Probabilities does: N x classes.
// Without a calibration the scores are log-odds.
func (p *predictor) probabilities(scores string) string {
	m := p.model
	classes := len(m.Classes)
	switch {
	case classes == 1:
		return p.op("Exp", p.op("Mul", scores, p.number(0)))
	case m.IsJoint() && m.Statement.Loss == "softmax":
		return p.node("Softmax", []string{scores}, wholeAttribute("axis", 1))
	case m.Calibration != nil:
		return p.calibrated(scores)
	case m.Statement.Scheme == model.OneAgainstOne:
		return p.couple(p.op("Sub", p.number(1), p.op("Sigmoid", scores)), false)
	case len(m.Outputs) == 1:
		return p.both(p.op("Sigmoid", scores))
	}
	return p.shares(p.op("Sigmoid", scores))
}

// shares divides the numbers of each row by their sum; all are the same if that is 0.
func (p *predictor) shares(each string) string {
	all := p.sum(each)
	some := p.op("Greater", all, p.number(0))
	shares := p.op("Div", each, p.op("Where", some, all, p.number(1)))
	return p.op("Where", some, shares, p.number(1/float64(len(p.model.Classes))))
}

// both returns 1 - second and second, N x 2.
func (p *predictor) both(second string) string {
	return p.side([]string{p.op("Sub", p.number(1), second), second})
}

// calibrated returns the probabilities of a model with a calibration.
func (p *predictor) calibrated(scores string) string {
	c, classes := p.model.Calibration, len(p.model.Classes)
	if c.Marks != nil {
		return p.marked(scores)
	}
	platt := c.Platt
	if classes == 2 { // two outputs that were learned together say the same twice
		platt = platt[:1]
		scores = p.node("Gather", []string{scores, p.wholes(0)}, wholeAttribute("axis", 1))
	}
	a, b := make([]float64, len(platt)), make([]float64, len(platt))
	for pair, numbers := range platt {
		a[pair], b[pair] = -numbers[0], -numbers[1]
	}
	const least = 1e-7
	second := p.op("Sigmoid", p.op("Add", p.op("Mul", scores, p.row(a)), p.row(b)))
	second = p.op("Min", p.op("Max", second, p.number(least)), p.number(1-least))
	switch {
	case classes == 2:
		return p.both(second)
	case p.model.Statement.Scheme != model.OneAgainstOne:
		return p.shares(second)
	}
	return p.couple(second, true)
}

// marked returns the probabilities of one class: by how many marks a score is not below.
func (p *predictor) marked(scores string) string {
	marks := p.model.Calibration.Marks
	shares := []float64{1e-3}
	for i := range marks {
		shares = append(shares, float64(i+1)/float64(len(marks)))
	}
	shares[len(marks)] = 1 - 1e-3
	reached := p.cast(p.op("GreaterOrEqual", scores, p.row(marks)), whole)
	count := p.sum(reached)
	return p.both(p.node("Gather", []string{p.constant([]int{len(shares)}, shares), count}, wholeAttribute("axis", 0)))
}
