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
	all := map[string]int{}             // rows with each term
	type entry struct{ rows, last int } // and one more than the last text with it
	const parts = 32                    // of few texts each block would meet the same words
	parallel.Blocks(len(texts), max(256, len(texts)/parts), threads, func(_, lo, hi int) {
		here := map[string]*entry{}
		for k := lo; k < hi; k++ {
			s.Each(texts[k], func(term []byte) {
				e := here[string(term)]
				if e == nil {
					e = &entry{}
					here[string(term)] = e
				}
				if e.last != k+1 {
					e.rows, e.last = e.rows+rows[k], k+1
				}
			})
		}
		mutex.Lock()
		defer mutex.Unlock()
		for word, e := range here {
			all[word] += e.rows
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
