package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"math"
	"os"
)

// A reference is what is known of an optimum: the least objective anyone has
// shown, and a bound that is proved.
type reference struct {
	Primal float64 `json:"primal"`
	Dual   float64 `json:"dual"`
	By     string  `json:"by"` // whose weights have the primal
}

// gap is how far, relatively, the optimum may be below Primal.
func (r reference) gap() float64 { return accuracy(r.Primal, r.Dual) }

// references keeps them in a file: a hard optimum costs minutes.
type references struct {
	path  string
	known map[string]reference
}

func openReferences(path string) (*references, error) {
	r := &references{path: path, known: map[string]reference{}}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, err
	}
	return r, json.Unmarshal(data, &r.known)
}

// referenceKey names a problem by its rows, not by its file.
func referenceKey(digest, loss string, l lambda) string { return digest + " " + loss + " " + string(l) }

func (r *references) find(key string) reference {
	if known, ok := r.known[key]; ok {
		return known
	}
	return reference{Primal: math.MaxFloat64}
}

// improve takes over what is better than what is known.
func (r *references) improve(key string, primal, dual float64, by string) {
	known := r.find(key)
	if primal < known.Primal {
		known.Primal, known.By = primal, by
	}
	known.Dual = max(known.Dual, dual)
	r.known[key] = known
}

// save writes the file.
func (r *references) save() error {
	data, err := json.MarshalIndent(r.known, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(r.path, data, 0o666)
}

// accuracy is how far an objective is above the least one known, relatively.
func accuracy(objective, least float64) float64 {
	return (objective - least) / math.Max(math.Abs(least), 1e-300)
}
