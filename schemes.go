package fenchel

import "github.com/fenchel-ml/fenchel/model"

// Schemes returns the names of the ways to tell several classes apart.
func Schemes() []string { return []string{"one-against-rest", model.OneAgainstOne, model.Joint} }
