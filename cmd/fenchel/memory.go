package main

import (
	"os"
	"runtime/debug"

	"github.com/fenchel-ml/fenchel/dataset"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
)

// limitMemory has garbage collected before the memory of a kernel machine exceeds
// the cache, twice the data and some tens of megabytes: by itself the collector
// waits until there is as much garbage as there are rows in the cache. It is no
// limit of what is needed; whoever sets GOMEMLIMIT knows better.
func limitMemory(cache int64, set *dataset.Set) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if cache == 0 {
		cache = kernel.DefaultCache
	}
	const besides = 32 << 20 // with what the program itself takes, 64 MB
	const stored = 8         // bytes of a value and its index
	debug.SetMemoryLimit(cache + 2*stored*matrix.Nonzeros(set.X) + besides)
}

// tidyMemory has garbage collected when there is a third as much as there is in
// use. What methods for components use is a few large blocks: the collector, left
// to itself, lets as much garbage be. Whoever sets GOGC or GOMEMLIMIT knows better.
func tidyMemory() {
	if os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetGCPercent(33)
	}
}
