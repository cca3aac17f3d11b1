package attack

// Attacks on the models of a problem: some of each kind, on models drawn at random.
const (
	forgeries = 4
	damages   = 6
)

// attack forges models and damages files.
func (t *trial) attack() {
	if len(t.models) == 0 || t.court == nil {
		return
	}
	for range forgeries {
		t.attackOne(t.models[t.draw.IntN(len(t.models))])
	}
	for range probes {
		t.probe()
	}
	for range damages {
		t.tryDamage(t.models[t.draw.IntN(len(t.models))])
	}
	t.attackForeign()
	t.attackData()
}

// attackOne forges a model in one of two ways.
func (t *trial) attackOne(s sealed) {
	if t.isUnproved(s) { // there is nothing to be believed
		return
	}
	f, err := t.draw.forge(s.bytes)
	if t.draw.chance(40) {
		f, err = t.perturb(s)
	}
	if err != nil {
		t.tally.Forged["refused"]++
		return
	}
	t.tryForgery(s, f)
}

// isUnproved reports whether a model has no dual variables: its bound cannot be
// checked, and verify says so. What is not honest itself is no ground for forging.
func (t *trial) isUnproved(s sealed) bool {
	for _, o := range s.model.Outputs {
		if o.Dual == nil {
			return true
		}
	}
	for _, f := range t.found {
		if f.Solver == s.solver {
			return true
		}
	}
	return false
}
