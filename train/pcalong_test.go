package train

import "flag"

// pcaLong asks for what takes too long for every change.
var pcaLong = flag.Bool("pca-long", false, "what a daily run samples")

// pcaNightly returns how much of something is tested: all with -long.
func pcaNightly(all, daily int) int {
	if *pcaLong {
		return all
	}
	return daily
}
