package task

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
)

// A Reference is what is known of an optimum: the least objective shown,
// and a bound that is proved.
type Reference struct {
	Primal float64 `json:"primal"`
	Dual   float64 `json:"dual"`
	By     string  `json:"by"` // whose weights have the primal
}

// Gap is how far, relatively, the optimum may be below Primal.
func (r Reference) Gap() float64 { return Accuracy(r.Primal, r.Dual) }

// References keeps them in a file: a hard optimum costs minutes.
type References struct {
	path  string
	Known map[string]Reference
}

func OpenReferences(path string) (*References, error) {
	r := &References{path: path, Known: map[string]Reference{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	return r, json.Unmarshal(data, &r.Known)
}

// ReferenceKey names a problem by its rows, not by its file.
func ReferenceKey(digest, loss string, l Lambda) string { return digest + " " + loss + " " + string(l) }

func (r *References) Find(key string) Reference {
	if known, ok := r.Known[key]; ok {
		return known
	}
	return Reference{Primal: math.MaxFloat64}
}

// Improve takes over what is better than what is known.
func (r *References) Improve(key string, primal, dual float64, by string) {
	known := r.Find(key)
	if primal < known.Primal {
		known.Primal, known.By = primal, by
	}
	known.Dual = max(known.Dual, dual)
	r.Known[key] = known
}

// Save writes the file.
func (r *References) Save() error {
	data, err := json.MarshalIndent(r.Known, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(r.path, data, 0o666)
}

// Accuracy is how far an objective is above the least one known, relatively.
func Accuracy(objective, least float64) float64 {
	return (objective - least) / math.Max(math.Abs(least), 1e-300)
}
