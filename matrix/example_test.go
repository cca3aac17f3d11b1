package matrix_test

import (
	"fmt"
	"log"

	"github.com/fenchel-ml/fenchel/matrix"
)

// Build sparse rows one by one, and have them checked before anything is learned from them.
func ExampleCSR_Append() {
	m := &matrix.CSR{Cols: 5}
	m.Append([]uint32{0, 3}, []float32{1, 2})
	m.Append(nil, nil)
	m.Append([]uint32{4, 1}, []float32{3, 4})
	if err := matrix.Check(m); err != nil {
		fmt.Println(err)
	}
	m, err := matrix.NewCSR(5, []int64{0, 2, 2, 4}, []uint32{0, 3, 1, 4}, []float32{1, 2, 4, 3})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(m.Row(2))
	// Output:
	// row 3: found column 2 in place 2, expected increasing columns up to 5
	// {[1 4] [4 3]}
}
