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
	case m.Calibration != nil:
		return p.calibrated(scores)
	case m.IsJoint() && m.Statement.Loss == "softmax":
		return p.node("Softmax", []string{scores}, wholeAttribute("axis", 1))
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
	var second string
	switch {
	case c.Temperature != 0 && classes > 2:
		return p.node("Softmax", []string{p.op("Div", scores, p.number(c.Temperature))}, wholeAttribute("axis", 1))
	case c.Temperature != 0:
		second = p.op("Sigmoid", p.op("Div", p.margin(scores), p.number(c.Temperature)))
	case c.Isotonic != nil:
		var each []string
		for output := range c.Isotonic {
			each = append(each, p.isotonic(output, scores))
		}
		second = p.side(each)
	default:
		second = p.sigmoids(scores)
	}
	const least = 1e-7
	second = p.op("Min", p.op("Max", second, p.number(least)), p.number(1-least))
	switch {
	case classes == 2:
		return p.both(second)
	case p.model.Statement.Scheme != model.OneAgainstOne:
		return p.shares(second)
	}
	return p.couple(second, true)
}

// sigmoids returns Platt's of each output.
func (p *predictor) sigmoids(scores string) string {
	platt := p.model.Calibration.Platt
	if len(p.model.Classes) == 2 { // two outputs that were learned together say the same twice
		platt = platt[:1]
		scores = p.node("Gather", []string{scores, p.wholes(0)}, wholeAttribute("axis", 1))
	}
	a, b := make([]float64, len(platt)), make([]float64, len(platt))
	for pair, numbers := range platt {
		a[pair], b[pair] = -numbers[0], -numbers[1]
	}
	return p.op("Sigmoid", p.op("Add", p.op("Mul", scores, p.row(a)), p.row(b)))
}

// margin returns the number that decides between two classes, N x 1.
func (p *predictor) margin(scores string) string {
	if len(p.model.Outputs) == 2 {
		return p.op("MatMul", scores, p.constant([]int{2, 1}, []float64{-1, 1}))
	}
	return scores
}

// isotonic returns the increasing function of an output, N x 1: on the line that begins at the last of its
// scores that the row reaches.
func (p *predictor) isotonic(output int, scores string) string {
	f := p.model.Calibration.Isotonic[output]
	if len(p.model.Classes) == 2 {
		scores = p.margin(scores)
	} else {
		scores = p.node("Gather", []string{scores, p.wholes(int64(output))}, wholeAttribute("axis", 1))
	}
	last := len(f.Score) - 1
	from, width, share, rise := []float64{f.Score[0]}, []float64{1}, []float64{f.Share[0]}, []float64{0}
	for k := range last {
		from, width = append(from, f.Score[k]), append(width, f.Score[k+1]-f.Score[k])
		share, rise = append(share, f.Share[k]), append(rise, f.Share[k+1]-f.Share[k])
	}
	from, width, share, rise = append(from, f.Score[last]), append(width, 1), append(share, f.Share[last]), append(rise, 0)
	count := p.sum(p.cast(p.op("GreaterOrEqual", scores, p.row(f.Score)), whole))
	of := func(values []float64) string {
		return p.node("Gather", []string{p.constant([]int{len(values)}, values), count}, wholeAttribute("axis", 0))
	}
	return p.op("Add", of(share), p.op("Mul", of(rise), p.op("Div", p.op("Sub", scores, of(from)), of(width))))
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
