//go:build race

package gram

const racing = true
