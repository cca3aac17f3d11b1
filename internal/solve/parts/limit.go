package parts

// Limit says in the middle of a start or an epoch whether a limit of the run is reached, and
// from then on always (solver.Start.Over); nil: never.
type Limit func() bool

func (l Limit) Reached() bool { return l != nil && l() }
