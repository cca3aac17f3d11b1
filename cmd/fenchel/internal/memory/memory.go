// Package memory sets the garbage collector and the pages of the system for what a verb
// is about to do.
package memory

import (
	"os"
	"runtime"
	"runtime/debug"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/gram"
	"github.com/fenchel-ml/fenchel/matrix"
)

// LimitMemory has garbage collected before the memory of a kernel machine exceeds
// the cache, twice the data and some tens of megabytes: by itself the collector
// waits until there is as much garbage as there are rows in the cache. It is no
// limit of what is needed; whoever sets GOMEMLIMIT knows better.
func LimitMemory(cache int64, set *data.Set) {
	if os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	if cache == 0 {
		cache = gram.DefaultCache
	}
	const besides = 32 << 20 // with what the program itself takes, 64 MB
	const stored = 8         // bytes of a value and its index
	debug.SetMemoryLimit(cache + 2*stored*matrix.Nonzeros(set.X) + besides)
}

// TidyMemory has garbage collected when there is a third as much as there is in
// use. What methods for components use is a few large blocks: the collector, left
// to itself, lets as much garbage be. Whoever sets GOGC or GOMEMLIMIT knows better.
func TidyMemory() {
	if !CollectorIsSet() {
		debug.SetGCPercent(33)
	}
}

// CollectorIsSet reports whether the surroundings say when garbage is collected.
func CollectorIsSet() bool { return os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" }

// The collector begins its first turn at firstTurn bytes, five times as late as it
// would by itself: training on small sets then needs none, or one instead of three.
// Each stops all threads twice, takes a quarter of the cores while it lasts and
// touches a hundred pages for its books: 2 ms of 30. A turn while rows have just been
// read also finds little: on 90,000 rows the peak is lower with one turn later on.
const (
	UsualPercent = 100
	FirstTurn    = 20 << 20
	usualTurn    = 4 << 20 // of the runtime, at the usual percentage
)

// CollectLate has the first turn begin late. The turns after it come as usual, so
// that no heap grows larger than it does by itself.
func CollectLate() {
	if CollectorIsSet() {
		return
	}
	debug.SetGCPercent(UsualPercent * FirstTurn / usualTurn)
	unused := new([1]*int) // found in the first turn
	runtime.AddCleanup(unused, func(usual int) { debug.SetGCPercent(usual) }, UsualPercent)
}
