package pca

// Choose returns the method for all rows, and why.
func Choose(Rows, Problem) (method, why string) { return "krylov", "few looks at the rows" }
