//go:build race

package model

// racing: the race detector makes a sync.Pool forget at random.
const racing = true
