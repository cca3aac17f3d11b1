package pca

import "flag"

// Long asks for what takes too long for every change.
var Long = flag.Bool("long", false, "what a daily run samples")

// nightly returns how much of something is tested: all with -long.
func nightly(all, daily int) int {
	if *Long {
		return all
	}
	return daily
}
