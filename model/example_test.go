package model_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// Read a model once, and answer requests with it from any number of goroutines. What comes
// from outside is checked before it is scored.
func Example_serve() {
	path := trained()
	defer os.RemoveAll(filepath.Dir(path))
	m, err := model.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	serve := func(w http.ResponseWriter, r *http.Request) {
		var row matrix.Vector
		if err := json.NewDecoder(r.Body).Decode(&row.Value); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		if err := m.CheckRow(row); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		fmt.Fprintln(w, m.Class(row))
	}
	for _, body := range []string{"[1, 2]", "[-2, 0]", "[1, 2, 3]"} {
		answer := httptest.NewRecorder()
		serve(answer, httptest.NewRequest("POST", "/", strings.NewReader(body)))
		fmt.Print(answer.Code, " ", answer.Body)
	}
	// Output:
	// 200 spam
	// 200 ham
	// 400 found 3 values, expected 2
}

// trained returns the path of a model.
func trained() string {
	set, err := data.FromDense([][]float32{{1, 1}, {2, 1}, {-1, 0}, {-2, -1}}, data.Labels([]string{"spam", "spam", "ham", "ham"}))
	if err != nil {
		log.Fatal(err)
	}
	result, err := fenchel.Train(context.Background(), set, fenchel.Spec{})
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "fenchel")
	if err != nil {
		log.Fatal(err)
	}
	path := filepath.Join(folder, "mail.model")
	if err := result.Model.WriteFile(path); err != nil {
		log.Fatal(err)
	}
	return path
}
