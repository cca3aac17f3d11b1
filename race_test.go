//go:build race

package fenchel_test

// The race detector has memory that is shared dropped at random, and made anew.
func init() { raced = true }
