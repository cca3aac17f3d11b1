//go:build linux || darwin

package vec

import (
	"math/rand/v2"
	"os"
	"syscall"
	"testing"
	"unsafe"

	"github.com/fenchel-ml/fenchel/internal/vec/cpu"
)

// fences places memory beside pages that may not be touched.
type fences struct {
	t      *testing.T
	mapped [][]byte
}

func (f *fences) room(bytes int) (first, end unsafe.Pointer) {
	page := os.Getpagesize()
	size := (bytes + page - 1) / page * page
	m, err := syscall.Mmap(-1, 0, size+2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		f.t.Fatal(err)
	}
	f.mapped = append(f.mapped, m)
	for _, fence := range [][]byte{m[:page], m[page+size:]} {
		if err := syscall.Mprotect(fence, syscall.PROT_NONE); err != nil {
			f.t.Fatal(err)
		}
	}
	return unsafe.Pointer(&m[page]), unsafe.Pointer(&m[page+size])
}

func (f *fences) before(bytes int) unsafe.Pointer {
	_, end := f.room(bytes)
	return unsafe.Add(end, -bytes)
}

func (f *fences) after(bytes int) unsafe.Pointer {
	first, _ := f.room(bytes)
	return first
}

func (f *fences) remove() {
	for _, m := range f.mapped {
		if err := syscall.Munmap(m); err != nil {
			f.t.Fatal(err)
		}
	}
	f.mapped = nil
}

// TestNothingBeyondTheEnd places every slice once right before and once right
// after a page that may not be touched.
func TestNothingBeyondTheEnd(t *testing.T) {
	f := &fences{t: t}
	r := rand.New(rand.NewPCG(9, 10))
	for n := range 80 {
		o := drawOperands(r, n, 0)
		for _, place := range []func(int) unsafe.Pointer{f.before, f.after} {
			eachLevel(t, func(cpu.Level) {
				c := o.clone(place)
				for _, k := range kernels {
					k.run(c)
				}
			})
			f.remove()
		}
	}
}

// TestSparseOutersEdge: a row whose indices, values and room end with a page reads and writes
// nothing beyond, however many values it has.
func TestSparseOutersEdge(t *testing.T) {
	f := &fences{t: t}
	for n := 1; n <= 20; n++ {
		for step := 1; step < 3; step++ {
			size := n * step
			index, value := make([]uint32, n), make([]float32, n)
			for k := range n {
				index[k], value[k] = uint32(k*step+step-1), float32(k+1)
			}
			eachLevel(t, func(l cpu.Level) {
				h, x := placed(make([]float64, size*size), f.before), placed(make([]float64, n), f.before)
				index, value := placed(index, f.before), placed(value, f.before)
				SparseOuters(h, size, []float64{1}, []int64{0, int64(n)}, index, value, x)
				for a := range n {
					for b := range a + 1 {
						if h[int(index[a])*size+int(index[b])] != float64((a+1)*(b+1)) {
							t.Fatalf("%v, %d values, every column of %d: wrong at %d, %d", l, n, step, a, b)
						}
					}
				}
			})
			f.remove()
		}
	}
}
