package problem

// MarginUnit returns what the weights and bias of a model are multiplied by to be the point
// at which a slack-constrained problem has the objective primal = -f: f, rounded to single
// precision so that the last bits of the objective say nothing; 1 where f is no margin. The
// model so has the margin 1, to one part in 2^24, and is the classifier of [Slack].
func MarginUnit(primal float64) float64 {
	if f := float64(float32(-primal)); f >= 0x1p-100 && f <= 0x1p100 {
		return f
	}
	return 1
}
