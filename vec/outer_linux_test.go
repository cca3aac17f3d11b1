package vec

import (
	"syscall"
	"testing"
	"unsafe"
)

// TestSparseOutersEdge: a row whose indices, values and room end with a page reads and writes
// nothing beyond, however many values it has.
func TestSparseOutersEdge(t *testing.T) {
	page := syscall.Getpagesize()
	room := func(bytes int) unsafe.Pointer {
		m, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mprotect(m[page:], syscall.PROT_NONE); err != nil {
			t.Fatal(err)
		}
		return unsafe.Pointer(&m[page-bytes])
	}
	for n := 1; n <= 20; n++ {
		for step := 1; step < 3; step++ {
			size := n * step
			index := unsafe.Slice((*uint32)(room(4*n)), n)
			value := unsafe.Slice((*float32)(room(4*n)), n)
			x := unsafe.Slice((*float64)(room(8*n)), n)
			if 8*size*size > page {
				continue
			}
			h := unsafe.Slice((*float64)(room(8*size*size)), size*size)
			for k := range n {
				index[k], value[k] = uint32(k*step+step-1), float32(k+1)
			}
			SparseOuters(h, size, []float64{1}, []int64{0, int64(n)}, index, value, x)
			for a := range n {
				for b := range a + 1 {
					if h[int(index[a])*size+int(index[b])] != float64((a+1)*(b+1)) {
						t.Fatalf("%d values, every column of %d: wrong at %d, %d", n, step, a, b)
					}
				}
			}
		}
	}
}
