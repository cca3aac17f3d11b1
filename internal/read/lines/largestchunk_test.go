package lines

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/read/file"
)

// No buffer is larger than the largest file, where that is known.
func TestLargestChunk(t *testing.T) {
	for _, c := range []struct {
		sizes []int64
		want  int
	}{{[]int64{10}, 10}, {[]int64{10, 300}, 300}, {[]int64{10, 0}, chunkSize}, {[]int64{10, 2 * chunkSize}, chunkSize}} {
		var in []*file.Input
		for _, size := range c.sizes {
			in = append(in, &file.Input{Size: size})
		}
		if got := largestChunk(in); got != c.want {
			t.Errorf("files of %v bytes: found chunks of %d, expected %d", c.sizes, got, c.want)
		}
	}
}
