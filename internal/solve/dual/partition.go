package dual

// partition is a share of the rows that is worked on by itself for a while: a
// copy of u that only its own steps move.
type partition struct {
	u     []float64
	moved []move // kept where merging may take a part of them back
	keep  bool
	sum   float64 // of s_i (after - before)
	rise  float64 // of s_i (l*(after) - l*(before))
	gap   float64 // of s_i times the row's part of the gap, as it was met

	_ [128]byte // keeps the partitions' counters out of each other's cache lines
}

// move remembers where a dual variable came from.
type move struct {
	row    uint32
	before float64
}

// fetch takes the weights that others have merged, those outside lo..hi, into this
// core's cache, for writing: two cores that read the same line both keep it, and the
// first write then costs ten times as much as a line that only moves. To add 0 is a write that changes
// no bit, as no merged weight is -0: a sum of two numbers is -0 only where both are.
func (p *partition) fetch(lo, hi int) {
	const line = 8 // weights
	for j := 0; j < lo; j += line {
		p.u[j] += 0
	}
	for j := hi; j < len(p.u); j += line {
		p.u[j] += 0
	}
}
