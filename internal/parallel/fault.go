package parallel

import (
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"
)

// A file that is mapped is memory that can go: where it is cut short, or its disk
// fails, reading is a fault, which ends a Go program with a trace of all goroutines. Go
// can make a panic of it, on goroutines that ask for that: those that Guard is deferred
// on. The workers of this package are among them. Such a panic is the end of the
// process all the same: others may wait for what this goroutine holds.

// mapping is a mapped file.
type mapping struct {
	name       string
	begin, end uintptr
}

var (
	changing sync.Mutex // guards mapped
	mapped   []mapping
	onFault  atomic.Pointer[func(name string)]
	faulted  sync.Once
)

// OnFault has report called, on the goroutine that reads, when a mapped file cannot be
// read any more. It is to end the process: if it returns, the panic goes on.
func OnFault(report func(name string)) { onFault.Store(&report) }

// Mapped says that data are a mapped file of that name. It stays so until another is
// mapped there: a panic closes files on its way to where it is reported.
func Mapped(name string, data []byte) {
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(data)))
	m := mapping{name, begin, begin + uintptr(len(data))}
	changing.Lock()
	defer changing.Unlock()
	mapped = slices.DeleteFunc(mapped, func(old mapping) bool { return old.begin < m.end && m.begin < old.end })
	mapped = append(mapped, m)
}

// mappedAt returns the name of the file that is mapped at an address, "" for none.
func mappedAt(address uintptr) string {
	changing.Lock()
	defer changing.Unlock()
	for _, m := range mapped {
		if m.begin <= address && address < m.end {
			return m.name
		}
	}
	return ""
}

// Guard has faults of mapped files on this goroutine reported to OnFault, from now until
// the function ends that defers what Guard returns: defer parallel.Guard()().
func Guard() (end func()) {
	before := debug.SetPanicOnFault(true)
	return func() {
		if v := recover(); v != nil {
			report(v)
		}
		debug.SetPanicOnFault(before)
	}
}

// report reports a panic that is a fault of a mapped file, and has it go on.
func report(v any) {
	fault, ok := v.(interface {
		runtime.Error
		Addr() uintptr
	})
	if faulty := onFault.Load(); ok && faulty != nil {
		if name := mappedAt(fault.Addr()); name != "" {
			faulted.Do(func() { (*faulty)(name) }) // others wait for the end of the process
		}
	}
	panic(v)
}
