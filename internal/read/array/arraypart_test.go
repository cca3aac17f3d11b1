package array_test

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/array"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// arrayBytes is random numbers of one type, of which a share is zero, as an array
// has them: whole numbers of any sign, and for floating-point numbers negative zeros.
func arrayBytes(e array.Element, order binary.ByteOrder, count int, nonzero float64, r *rand.Rand) []byte {
	raw := make([]byte, count*e.Size)
	for k := range count {
		v := 0.0
		if r.Float64() < nonzero {
			v = float64(r.IntN(127) + 1)
			if e.Name[0] == 'b' {
				v = 1
			}
			if e.Name[0] != 'u' && e.Name[0] != 'b' && r.IntN(2) == 0 {
				v = -v
			}
		}
		at := raw[k*e.Size:]
		if e.Name[0] != 'f' {
			switch e.Size {
			case 1:
				at[0] = byte(int8(v))
			case 2:
				order.PutUint16(at, uint16(int16(v)))
			case 4:
				order.PutUint32(at, uint32(int32(v)))
			case 8:
				order.PutUint64(at, uint64(int64(v)))
			}
			continue
		}
		if v == 0 && r.IntN(10) == 0 {
			v = math.Copysign(0, -1)
		}
		switch e.Size {
		case 2: // 1 or 0, with a sign
			half := uint16(0x3c00)
			if v == 0 {
				half = 0
			}
			if math.Signbit(v) {
				half |= 1 << 15
			}
			order.PutUint16(at, half)
		case 4:
			order.PutUint32(at, math.Float32bits(float32(v/7)))
		case 8:
			order.PutUint64(at, math.Float64bits(v/7))
		}
	}
	return raw
}

// Arrays of several blocks, of every type and both orders, are what the slow twin
// reads, one number at a time into a row at a time: from a file, a compressed one and an archive,
// on one core and on several. Without -long half of the orders.
func TestArraySlowTwin(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	const rows, cols = 2500, 61
	for _, name := range strings.Fields("b1 u1 u2 u4 u8 i1 i2 i4 i8 f2 f4 f8") {
		for c, order := range map[string]binary.ByteOrder{"<": binary.LittleEndian, ">": binary.BigEndian} {
			for k, fortran := range []string{"False", "True"} {
				nonzero := []float64{0.2, 0.9}[r.IntN(2)]
				target := []string{"", "1", "30", "61"}[r.IntN(4)]
				columns := []int{0, 20, 70}[r.IntN(3)]
				e, _ := array.ElementOf(name[0], int(name[1]-'0'), order)
				file := readtest.NpyFile(fmt.Sprintf("{'descr': '%s%s', 'fortran_order': %s, 'shape': (%d, %d), }", c, name, fortran, rows, cols),
					string(arrayBytes(e, order, rows*cols, nonzero, r)))
				if turn := k + len(c+name) + int(name[1]); !*long && (c == "<") != (turn%2 == 0) {
					continue
				}
				t.Run(fmt.Sprint(c, name, fortran, nonzero, target, columns), func(t *testing.T) {
					checkSlowTwin(t, file, target, columns)
				})
			}
		}
	}
}

func checkSlowTwin(t *testing.T, file []byte, target string, columns int) {
	labels := readtest.WriteTemp(t, "labels", []byte(strings.Repeat("1\n2\n3\n4\n5\n", 500)))
	opt := data.Options{Target: target, Columns: columns}
	if target == "" {
		opt.Labels = labels
	}
	want := slowTwin(t, file, &opt)
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	z.Write(file)
	z.Close()
	paths := []string{readtest.WriteTemp(t, "data.npy", file), readtest.WriteTemp(t, "data.npy.gz", packed.Bytes())}
	if target == "" {
		paths = append(paths, readtest.WriteTemp(t, "data.npz", npzFile(t, zip.Store, "X", string(file))),
			readtest.WriteTemp(t, "data.npz", npzFile(t, zip.Deflate, "X", string(file))))
	}
	for _, path := range paths {
		for _, opt.Threads = range []int{1, 3} {
			got, err := readtest.ReadPath(path, opt)
			if err != nil {
				t.Fatal(err)
			}
			readtest.SameBits(t, path, got.X, want.X)
			if fmt.Sprint(got.Warnings) != fmt.Sprint(want.Warnings) {
				t.Errorf("%s: found %v, expected %v", path, got.Warnings, want.Warnings)
			}
			if target != "" && !reflect.DeepEqual(got.Target, want.Target) {
				t.Errorf("%s: found another target", path)
			}
		}
	}
}

// slowTwin reads an array a number at a time and gathers rows one by one.
func slowTwin(t *testing.T, file []byte, opt *data.Options) *data.Set {
	r := bytes.NewReader(file)
	h, err := array.ReadHeader(r, "twin")
	if err != nil {
		t.Fatal(err)
	}
	rows, cols := h.Shape[0], h.Shape[1]
	target, err := array.TargetColumn(opt, "twin", cols)
	if err != nil {
		t.Fatal(err)
	}
	features := cols
	if target >= 0 {
		features--
	}
	b := set.NewRowBuilder(int(features), opt)
	values, err := h.ReadTable(context.Background(), r, "twin", rows, cols, target, nil, b.AddDense)
	if err != nil {
		t.Fatal(err)
	}
	s := &data.Set{}
	s.X, s.Warnings = b.Matrix()
	if target >= 0 {
		s.Target = set.NumberTarget(values)
	}
	return s
}

// A mapped file keeps its bytes, and its rows have no negative zeros.
func TestMappedMinus(t *testing.T) {
	const rows, cols = 6000, 400
	raw := bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, rows*cols)
	raw[3], raw[2], raw[len(raw)-1], raw[len(raw)-2] = 0x80, 0, 0x80, 0
	file := npyOf("<f4", fmt.Sprintf("(%d, %d)", rows, cols), string(raw))
	for len(file)%4 != 0 { // blanks at the end of the header
		text := strings.Repeat(" ", 4-len(file)%4)
		file = readtest.NpyFile(fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }%s", rows, cols, text), string(raw))
	}
	path := readtest.WriteTemp(t, "data.npy", file)
	s, err := readtest.ReadPath(path, data.Options{Unlabelled: true})
	if err != nil {
		t.Fatal(err)
	}
	x := s.X.(*matrix.Dense)
	if first, last := math.Float32bits(x.Value[0]), math.Float32bits(x.Value[rows*cols-1]); first != 0 || last != 0 {
		t.Errorf("found the bits %x and %x, expected zeros", first, last)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, file) {
		t.Errorf("the file was changed, or %v", err)
	}
	if mapped := readtest.IsMapped(s); mapped != (runtime.GOOS != "windows") {
		t.Errorf("mapped: %v", mapped)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// No array takes more than 1.3 times its memory on the way, a mapped one next to none.
func TestArrayMemory(t *testing.T) {
	const rows, cols = 4000, 500
	r := rand.New(rand.NewPCG(5, 2))
	shape := fmt.Sprintf("(%d, %d)", rows, cols)
	of := func(descr string, nonzero float64) []byte {
		e, _ := array.ElementOf(descr[1], int(descr[2]-'0'), binary.LittleEndian)
		return npyOf(descr, shape, string(arrayBytes(e, binary.LittleEndian, rows*cols, nonzero, r)))
	}
	single, double, images := of("<f4", 0.9), of("<f8", 0.9), of("|u1", 0.9)
	images = append([]byte{0, 0, 8, 2, 0, 0, rows >> 8, rows & 255, 0, 0, cols >> 8, cols & 255}, images[len(images)-rows*cols:]...)
	for _, c := range []struct {
		name string
		file []byte
		opt  data.Options
	}{
		{"f4 with target", single, data.Options{}},
		{"f4", single, data.Options{Unlabelled: true}},
		{"f8", double, data.Options{Unlabelled: true}},
		{"sparse f4", of("<f4", 0.4), data.Options{}},
		{"images", images, data.Options{}},
		{"npz", npzFile(t, zip.Store, "X", string(single)), data.Options{}},
		{"npz deflated", npzFile(t, zip.Deflate, "X", string(single)), data.Options{}},
	} {
		path := readtest.WriteTemp(t, "data", c.file)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		s, err := readtest.ReadPath(path, c.opt)
		runtime.ReadMemStats(&after)
		if err != nil {
			t.Fatal(c.name, err)
		}
		if used := after.TotalAlloc - before.TotalAlloc; used > 1.3*rows*cols*4 {
			t.Errorf("%s: %d bytes were allocated for %d", c.name, used, rows*cols*4)
		}
		s.Close()
	}
}

// A sparse matrix takes no more than 1.3 times its memory either, with indices of any
// type.
func TestSparseArrayMemory(t *testing.T) {
	const rows, cols = 2000, 1000
	r := rand.New(rand.NewPCG(5, 3))
	var start, index, wide, value []byte
	le, stored := binary.LittleEndian, uint32(0)
	for range rows {
		start = le.AppendUint32(start, stored)
		for j := range cols {
			if r.IntN(4) == 0 {
				index, wide = le.AppendUint32(index, uint32(j)), le.AppendUint64(wide, uint64(j))
				value = le.AppendUint32(value, math.Float32bits(float32(r.NormFloat64())))
				stored++
			}
		}
	}
	start = le.AppendUint32(start, stored)
	shape := string(npyOf("<i4", "(2,)", string(le.AppendUint32(le.AppendUint32(nil, rows), cols))))
	one := func(descr string, data []byte, count uint32) string {
		return string(npyOf(descr, fmt.Sprintf("(%d,)", count), string(data)))
	}
	var first *data.Set
	for _, method := range []uint16{zip.Store, zip.Deflate} {
		for descr, places := range map[string][]byte{"<i4": index, "<i8": wide} {
			path := readtest.WriteTemp(t, "data.npz", npzFile(t, method, "shape", shape, "indptr", one("<i4", start, rows+1), "indices", one(descr, places, stored), "data", one("<f4", value, stored)))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			s, err := readtest.ReadPath(path, data.Options{})
			runtime.ReadMemStats(&after)
			if err != nil {
				t.Fatal(err)
			}
			if used := after.TotalAlloc - before.TotalAlloc; used > 13*8*uint64(stored)/10 {
				t.Errorf("method %d, %s: %d bytes were allocated for %d", method, descr, used, 8*stored)
			}
			if first == nil {
				first = s
			}
			readtest.SameBits(t, path, s.X, first.X)
			if x := s.X.(*matrix.CSR); !bytes.Equal(memory.AsBytes(x.Index), index) || !bytes.Equal(memory.AsBytes(x.Value), value) {
				t.Errorf("method %d, %s: found other values", method, descr)
			}
		}
	}
}

// Dense and sparse arrays make one set.
func TestArchivesMixed(t *testing.T) {
	dense := readtest.WriteTemp(t, "dense.npz", npzFile(t, zip.Store, "X", string(npyOf("|u1", "(2, 3)", "\x01\x02\x00\x04\x05\x06"))))
	sparse := "testdata/scipy_csr.npz"
	for _, c := range []struct {
		paths    []string
		expected string
	}{
		{[]string{dense, sparse}, "[1 2 0][4 5 6][1 0 -2.5][0 0.5 0][3 4 5][0 0 7]"},
		{[]string{sparse, dense}, "[1 0 -2.5][0 0.5 0][3 4 5][0 0 7][1 2 0][4 5 6]"},
	} {
		s, err := data.Read(context.Background(), c.paths, data.Options{})
		if err != nil || readtest.Show(s) != c.expected {
			t.Errorf("found %v, %v, expected %s", readtest.Show(s), err, c.expected)
		}
	}
}

// A fault is the first of the file, whoever finds another before.
func TestArrayFault(t *testing.T) {
	const rows, cols = 4000, 50
	raw := bytes.Repeat([]byte{0, 0, 0x80, 0x3f}, rows*cols)
	for _, row := range []int{1500, 3999} {
		copy(raw[(row*cols+7)*4:], "\x00\x00\x80\xff")
	}
	path := readtest.WriteTemp(t, "data.npy", npyOf("<f4", fmt.Sprintf("(%d, %d)", rows, cols), string(raw)))
	for _, threads := range []int{1, 4} {
		readtest.WantRead(t, path, data.Options{Threads: threads}, path+": row 1501, column 8: found -Inf, expected a finite number of magnitude below 3.4e38")
	}
}
