package loss_test

import (
	"fmt"
	"log"

	"github.com/fenchel-ml/fenchel/loss"
)

// How hard does a loss punish an outlier? Compare some of them on errors of 1 and of 10.
func ExampleNew() {
	for _, spec := range []string{"squared", "absolute", "huber:delta=1"} {
		l, err := loss.New(spec)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%-14s an error of 10 costs %.0f times one of 1\n", spec, l.Value(10, 0)/l.Value(1, 0))
	}
	// Output:
	// squared        an error of 10 costs 100 times one of 1
	// absolute       an error of 10 costs 10 times one of 1
	// huber:delta=1  an error of 10 costs 19 times one of 1
}
