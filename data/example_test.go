package data_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"strings"
	"testing/fstest"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
)

const houses = "rooms,garden,price\n2,no,180\n3,no,240\n3,yes,275\n4,yes,330\n5,yes,390\n"

// Read an upload, and tell its sender where it is wrong.
func ExampleReadFrom() {
	ctx := context.Background()
	for _, upload := range []string{houses, "rooms,price\n2,180\n3\n"} {
		set, err := data.ReadFrom(ctx, strings.NewReader(upload), "upload.csv", data.Options{Target: "price"})
		var wrong *data.ReadError
		switch {
		case errors.As(err, &wrong):
			fmt.Printf("please look at line %d of your file: %v\n", wrong.Line, wrong.Err)
		case err != nil:
			log.Fatal(err)
		default:
			fmt.Println("columns", set.Schema.Summary())
		}
	}
	// Output:
	// columns 3: 1 numeric, 1 true/false, target price
	// please look at line 3 of your file: found 1 field, expected 2
}

// Read files that are compiled into a program with embed, or that an archive holds.
func ExampleOptions_fs() {
	files := fstest.MapFS{"data/a.csv": {Data: []byte(houses)}, "data/b.csv": {Data: []byte(houses)}}
	set, err := data.Read(context.Background(), []string{"data/*.csv"}, data.Options{Source: data.Source{FS: files}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(set.Rows(), "rows of", set.Feature)
	// Output: 10 rows of [rooms garden]
}

// Keep some of the rows for a test.
func ExampleSet_Subset() {
	set, err := data.Read(context.Background(), []string{"@blobs:n=100"}, data.Options{})
	if err != nil {
		log.Fatal(err)
	}
	parts, err := data.Split(set.Rows(), 1, 0.8, 0.2)
	if err != nil {
		log.Fatal(err)
	}
	train, err := set.Subset(parts[0])
	if err != nil {
		log.Fatal(err)
	}
	test, err := set.Subset(parts[1])
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(train.Rows(), "to learn from,", test.Rows(), "to judge by")
	// Output: 80 to learn from, 20 to judge by
}

// Make the row of one record, as the reader would of a line.
func ExampleSchema_Row() {
	set, err := data.ReadFrom(context.Background(), strings.NewReader(houses), "houses.csv", data.Options{Target: "price"})
	if err != nil {
		log.Fatal(err)
	}
	var row matrix.Vector
	for _, record := range []map[string]any{{"rooms": 4, "garden": true}, {"rooms": nil, "garden": "no"}, {"rooms": 4}} {
		if row, err = set.Schema.Row(row, record); err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(row.Value)
	}
	// Output:
	// [4 1]
	// [3.4 0]
	// column "garden": found nothing in the record, expected a value, or nil for a missing one
}
