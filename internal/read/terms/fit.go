package terms

import (
	"maps"
	"slices"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
)

// Fit makes the vocabulary of texts, of which each stands for so many rows, n in all, and the weights of its terms.
func (s *Space) Fit(texts []string, rows []int, n, threads int) {
	if s.Bits > 0 {
		return
	}
	var mutex sync.Mutex
	all := map[string]int{} // rows with each term
	parallel.Blocks(len(texts), 256, threads, func(_, lo, hi int) {
		here, seen := map[string]int{}, map[string]bool{}
		for k := lo; k < hi; k++ {
			clear(seen)
			s.Each(texts[k], func(term []byte) {
				if !seen[string(term)] {
					word := string(term)
					seen[word] = true
					here[word] += rows[k]
				}
			})
		}
		mutex.Lock()
		defer mutex.Unlock()
		for word, count := range here {
			all[word] += count
		}
	})
	s.Words = []string{}
	for _, word := range slices.Sorted(maps.Keys(all)) {
		if s.Keeps(all[word], n) {
			s.Words = append(s.Words, word)
		}
	}
	if s.IDF = nil; s.Rare {
		s.IDF = []float64{}
		for _, word := range s.Words {
			s.IDF = append(s.IDF, IDF(float64(all[word]), float64(n)))
		}
	}
}

// Keeps reports whether a term that so many of n texts have is one of the vocabulary.
func (s *Space) Keeps(texts, n int) bool {
	return texts >= max(s.MinCount, 1) && (s.MaxShare == 0 || float64(texts) <= s.MaxShare*float64(n))
}
