package solver

// retrace makes a run again that was lost between two certificates, with one after every
// epoch as far as it got: what it had reached on the way was not certified. A certificate
// may change the course a little, so it ends as any run does; if only because its epochs
// are used up, it is lost all the same.
func (r *run) retrace(s Solver) {
	lost := r.epoch
	r.before, r.epoch, r.status = lost, 0, ""
	r.start(s)
	for r.status == "" {
		r.schedule.always = r.epoch < lost
		r.advance()
		r.assess(r.point())
	}
	if r.status == EpochLimit {
		r.status = Diverged
	}
}
