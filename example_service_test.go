package fenchel_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// From a table to the answers of a service: train on a CSV, keep the model, and predict one
// record at a time, as it comes from a form or a JSON object.
func Example_service() {
	ctx := context.Background()
	table := "age,city,member,churn\n" +
		"23,Rome,no,yes\n31,Oslo,no,yes\n45,Rome,yes,no\n52,Oslo,yes,no\n27,Rome,no,yes\n61,Paris,yes,no\n"
	set, err := data.ReadFrom(ctx, strings.NewReader(table), "customers.csv", data.Options{Target: "churn"})
	if err != nil {
		log.Fatal(err)
	}
	result, err := fenchel.Train(ctx, set, fenchel.Spec{Loss: "logistic", C: 10})
	if err != nil {
		log.Fatal(err)
	}
	var file bytes.Buffer
	if err := result.Model.Write(&file); err != nil {
		log.Fatal(err)
	}

	m, err := model.Decode(file.Bytes()) // in the service
	if err != nil {
		log.Fatal(err)
	}
	var row matrix.Vector // its memory is used again
	for _, record := range []map[string]any{
		{"age": 25, "city": "Rome", "member": false},
		{"age": nil, "city": "Lima", "member": true}, // an age that is missing, a city that is new
		{"age": "old", "city": "Rome", "member": true},
	} {
		if row, err = m.Schema.Row(row, record); err != nil {
			fmt.Println(err)
			continue
		}
		p := m.Probabilities(nil, m.Scores(nil, row))
		fmt.Printf("churn: %s, with a probability above one half: %v\n", m.Class(row), p[1] > 0.5)
	}
	// Output:
	// churn: yes, with a probability above one half: true
	// churn: no, with a probability above one half: false
	// column "age": found "old", expected a finite number, nil for a missing one
}
