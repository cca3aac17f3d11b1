//go:build !race

package kernel

const racing = false
