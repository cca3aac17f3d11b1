//go:build !linux

package gram

// inHugePages is for systems that choose the size of pages themselves.
func inHugePages[T float32 | float64](s []T) []T { return s }
