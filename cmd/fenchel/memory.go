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
