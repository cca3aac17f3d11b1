//go:build linux || darwin

package vectest

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
)

// Fences places memory beside pages that may not be touched.
type Fences struct {
	T      *testing.T
	mapped [][]byte
}

func (f *Fences) room(bytes int) (first, end unsafe.Pointer) {
	page := os.Getpagesize()
	size := (bytes + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		f.T.Fatal(err)
	}
	f.mapped = append(f.mapped, m)
	for _, fence := range [][]byte{m[:page], m[page+size:]} {
		if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
			f.T.Fatal(err)
		}
	}
	return unsafe.Pointer(&m[page]), unsafe.Pointer(&m[page+size])
}

// Before returns memory right before a page that may not be touched.
func (f *Fences) Before(bytes int) unsafe.Pointer {
	_, end := f.room(bytes)
	return unsafe.Add(end, -bytes)
}

// After returns memory right after one.
func (f *Fences) After(bytes int) unsafe.Pointer {
	first, _ := f.room(bytes)
	return first
}

// Remove gives all back.
func (f *Fences) Remove() {
	for _, m := range f.mapped {
		if err := syscall.Munmap(m); err != nil {
			f.T.Fatal(err)
		}
	}
	f.mapped = nil
}

// NothingBeyondTheEnd places every slice once right before and once right
// after a page that may not be touched.
func NothingBeyondTheEnd(t *testing.T, kernels Kernels) {
	f := &Fences{T: t}
	r := rand.New(rand.NewPCG(9, 10))
	for n := range 80 {
		o := DrawOperands(r, n, 0)
		for _, place := range []func(int) unsafe.Pointer{f.Before, f.After} {
			EachLevel(t, func(cpu.Level) {
				c := o.Clone(place)
				for _, k := range kernels {
					k(c)
				}
			})
			f.Remove()
		}
	}
}
