//go:build !race

package gram

const racing = false
