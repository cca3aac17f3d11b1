package reduce

import "flag"

var long = flag.Bool("long", false, "sparsify hundreds of machines")

// nightly returns how much of something is tested: all with -long.
func nightly(all, daily int) int {
	if *long {
		return all
	}
	return daily
}
