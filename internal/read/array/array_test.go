package array_test

import (
	"archive/zip"
	"runtime"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
)

// What a header claims costs no memory.
func TestHostileSizes(t *testing.T) {
	huge := string(npyOf("<f4", "(1000000000000, 1000)", "abcd"))
	for name, file := range map[string][]byte{
		"idx":     append([]byte{0, 0, 8, 2, 0xff, 0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff}, 1, 2, 3),
		"npy":     []byte(huge),
		"fortran": readtest.NpyFile("{'descr': '<f4', 'fortran_order': True, 'shape': (1000000000, 1000), }", "abcd"),
		"npz":     npzFile(t, zip.Deflate, "X", huge),
		"sparse": npzFile(t, zip.Deflate, "shape", string(npyOf("<i8", "(2,)", "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x00\x00\x00\x00")),
			"indptr", string(npyOf("<i8", "(2,)", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00")), "indices", bytesOf(1), "data", bytesOf(1)),
		"text": npzFile(t, zip.Deflate, "X", string(npyOf("|u1", "(1, 1)", "\x01")), "y", string(npyOf("<U500000000", "(1,)", "abcd"))),
	} {
		path := readtest.WriteTemp(t, "data", file)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := readtest.ReadPath(path, data.Options{})
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; err == nil || used > 4<<20 {
			t.Errorf("%s: %d bytes were allocated, error %v", name, used, err)
		}
	}
}
