package file

import (
	"compress/bzip2"
	"compress/gzip"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
)

// maxWindow bounds what a decoder may hold: the window of zstd --long=27. The
// 64 MiB of xz -9 are the bound of xz.
const maxWindow = 128 << 20

// Compressions are told apart by how a file begins. A decoder streams: its
// memory is bounded by its window, whatever the stream expands to.
var Compressions = []struct {
	name, Magic string
	Extension   string
	open        func(io.Reader) (io.Reader, func(), error)
}{
	{"gzip", "\x1f\x8b", ".gz", func(r io.Reader) (io.Reader, func(), error) {
		z, err := gzip.NewReader(r)
		return z, func() {}, err
	}},
	{"zstd", "\x28\xb5\x2f\xfd", ".zst", func(r io.Reader) (io.Reader, func(), error) {
		z, err := zstd.NewReader(r, zstd.WithDecoderMaxWindow(maxWindow), zstd.WithDecoderMaxMemory(maxWindow),
			zstd.WithDecoderLowmem(true), zstd.WithDecoderConcurrency(1))
		if err != nil {
			return nil, nil, err
		}
		return z, z.Close, nil
	}},
	{"bzip2", "BZh", ".bz2", func(r io.Reader) (io.Reader, func(), error) { return bzip2.NewReader(r), func() {}, nil }},
	{"xz", "\xfd7zXZ\x00", ".xz", func(r io.Reader) (io.Reader, func(), error) {
		z, err := xz.NewReader(r, xz.DefaultDictMax)
		return z, func() {}, err
	}},
}

// PlainName returns name without the extension of a compression.
func PlainName(name string) string {
	for _, c := range Compressions {
		if strings.EqualFold(filepath.Ext(name), c.Extension) {
			return name[:len(name)-len(c.Extension)]
		}
	}
	return name
}

// PackerFor returns what compresses a file of that name.
func PackerFor(path string) (func(io.Writer) (io.WriteCloser, error), error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".gz":
		return func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriter(w), nil }, nil
	case ".zst":
		return func(w io.Writer) (io.WriteCloser, error) {
			return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1))
		}, nil
	case ".bz2", ".xz":
		return nil, fmt.Errorf("%s: found the extension %s, expected .gz or .zst to compress", path, ext)
	}
	return func(w io.Writer) (io.WriteCloser, error) { return unpacked{w}, nil }, nil
}

type unpacked struct{ io.Writer }

func (unpacked) Close() error { return nil }
