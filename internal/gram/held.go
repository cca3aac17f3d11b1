package gram

// Hold returns the matrix of the same rows in double precision with all values at hand, 8 n^2
// bytes: Combine then costs no values of the kernel. Its results have the same bits as those of
// any other Gram of these rows. What is computed for it counts here too; where that is cut short
// (StopWhen) it computes its values when they are asked for.
func (g *Gram) Hold() *Gram {
	h := g.InDouble(g.Len())
	h.fitted = g.fitted
	h.Fill(nil)
	return h
}
