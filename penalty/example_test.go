package penalty_test

import (
	"fmt"
	"log"

	"github.com/fenchel-ml/fenchel/penalty"
)

// What makes weights small, and what makes them zero? The step of each penalty alone shows
// it.
func ExampleNew() {
	for _, spec := range []string{"l1", "l2"} {
		p, err := penalty.New(spec)
		if err != nil {
			log.Fatal(err)
		}
		w := []float64{3, 0.5, -0.2}
		p.Prox(w, w, 1)
		fmt.Printf("%s: %.2f\n", spec, w)
	}
	// Output:
	// l1: [2.00 0.00 0.00]
	// l2: [1.50 0.25 -0.10]
}
