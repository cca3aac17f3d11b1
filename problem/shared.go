package problem

import "sync"

// Shared is what several problems have in common that differ in their targets alone: rows, weights,
// loss, penalty, lambda and bias are the same.
type Shared struct {
	Count int // of these problems

	once sync.Once
	made any
}

// Make returns what the first call makes.
func (s *Shared) Make(what func() any) any {
	s.once.Do(func() { s.made = what() })
	return s.made
}
