//go:build linux || darwin

package vec

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"unsafe"
)

// TestNothingBeyondTheEnd places every slice once right before and once right
// after a page that may not be touched.
func TestNothingBeyondTheEnd(t *testing.T) {
	var mapped [][]byte
	page := os.Getpagesize()
	fenced := func(bytes int) (first, end unsafe.Pointer) {
		size := (bytes + page - 1) / page * page
		m, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		mapped = append(mapped, m)
		for _, fence := range [][]byte{m[:page], m[page+size:]} {
			if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
				t.Fatal(err)
			}
		}
		return unsafe.Pointer(&m[page]), unsafe.Pointer(&m[page+size])
	}
	before := func(bytes int) unsafe.Pointer { _, end := fenced(bytes); return unsafe.Add(end, -bytes) }
	after := func(bytes int) unsafe.Pointer { first, _ := fenced(bytes); return first }
	r := rand.New(rand.NewPCG(9, 10))
	for n := range 80 {
		o := drawOperands(r, n, 0)
		for _, place := range []func(int) unsafe.Pointer{before, after} {
			eachLevel(t, func(level) {
				c := o.clone(place)
				for _, k := range kernels {
					k.run(c)
				}
			})
			for _, m := range mapped {
				if err := syscall.Munmap(m); err != nil {
					t.Fatal(err)
				}
			}
			mapped = nil
		}
	}
}
