package linear

// limit says in the middle of a start or an epoch whether a limit of the run is reached, and
// from then on always (solver.Start.Over); nil: never.
type limit func() bool

func (l limit) reached() bool { return l != nil && l() }
