package theory

import "fmt"

// Advice says which kind of method takes the least work.
type Advice struct {
	Cost
	Why     string `json:"why"`
	Ulbrich []Cost `json:"ulbrich"`
	Lecture []Cost `json:"lecture"` // null: the condition is not known
	Rules   []Rule `json:"rules"`
}

// A Rule is experience, not a theorem: what to use in some case.
type Rule struct {
	When string `json:"when"`
	Use  string `json:"use"`
}

// Advise compares the work of methods by the table that knows the condition, or else by that
// which does without. Where a loss has kinks and rows are passed more than once, dual ascent
// wins at nearly the same work: it alone can tell when to stop.
func Advise(s Setting) Advice {
	a := Advice{Ulbrich: Ulbrich(s), Lecture: Lecture(s), Rules: rules(s)}
	table := a.Lecture
	if table == nil {
		table = a.Ulbrich
	}
	a.Cost = table[0]
	for _, c := range table[1:] {
		if c.Gradients < a.Gradients {
			a.Cost = c
		}
	}
	a.Why = "the fewest gradients:"
	if last := table[len(table)-1]; s.Kinked && table[0].Passes > 1 {
		a.Cost, a.Why = last, "it proves its gap, and takes at most one pass more:"
	}
	mark := " "
	for _, c := range table {
		if c.Method != a.Method {
			a.Why += fmt.Sprintf("%s%s takes %.2g", mark, c.Method, c.Gradients)
			mark = ", "
		}
	}
	return a
}

// rules are those of practice for a setting. An accuracy is low if a stochastic method gets
// there before the first pass ends.
func rules(s Setting) []Rule {
	var list []Rule
	low := max(1, s.Condition)/s.Accuracy <= s.Rows
	switch {
	case low:
		list = append(list, Rule{"many rows for a low accuracy", "the primal gradient solver, or stochastic gradients with averaging"})
	case !s.Kinked:
		list = append(list, Rule{"a smooth loss and a high accuracy", "L-BFGS, SAG or SAGA"})
	}
	if s.Kinked {
		list = append(list, Rule{"a loss with kinks whose gap is to be proved", "dual ascent (SDCA)"})
	}
	if s.Corner {
		list = append(list, Rule{"a penalty with a corner, as l1", "proximal SAGA, dual averaging or OWL-QN"})
	}
	return append(list,
		Rule{"if there are many cores", "mini-batches, or batches that grow"},
		Rule{"if rows arrive as a stream", "one pass of the primal gradient solver or AdaGrad, tested on each row before it is learned"},
		Rule{"if rows are sparse", "any of these with steps that cost the nonzeros of a row"})
}
