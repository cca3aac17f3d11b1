package dataset

import (
	"os"
	"sync"
)

// unfinished is the temporary files that are being written.
var unfinished = struct {
	sync.Mutex
	names map[string]bool
}{names: map[string]bool{}}

// writing notes that a file is being written until the function that it returns is called,
// which removes it, unless it has another name by then.
func writing(name string) (done func()) {
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.names[name] = true
	return func() {
		unfinished.Lock()
		defer unfinished.Unlock()
		delete(unfinished.names, name)
		_ = os.Remove(name) // fails, as it should, once it is renamed
	}
}

// Discard removes the temporary files of all that is being written, for a process that is
// to end at once: nothing else is written from then on.
func Discard() {
	unfinished.Lock()
	for name := range unfinished.names {
		_ = os.Remove(name)
	}
}
