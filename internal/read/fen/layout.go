package fen

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
)

// The layout of a cache, all numbers little-endian:
//
//	  0  magic, 8 bytes
//	  8  uint32 version, uint32 zero
//	 16  uint64 size of the file
//	 24  uint64 rows n, uint64 columns d, uint64 stored values m
//	 48  32 bytes: the SHA-256 of Set.Digest
//	 80  for each section its offset and length, uint64 each
//	208  zeros
//	252  uint32 CRC-32C of the bytes before
//	256  the sections, each at the next multiple of 64, zeros between them
//
//	start   int64    n+1   where rows begin in index and value; absent: dense
//	index   uint32   m     columns, increasing within a row; absent: dense
//	value   float32  m     row after row
//	number  float64  n     targets that are numbers, or absent
//	code    uint32   n     targets as places in the labels, or absent
//	weight  float64  n     weights of rows, or absent
//	text    JSON           labels, names of features, schema
//	check   uint32         CRC-32C of each 256 KiB of each section before, in
//	                       order, and last of these numbers themselves
//
// Offsets follow from the lengths, and most lengths from n, d and m: a header
// says everything twice, and whatever does not agree is refused.
const (
	Magic    = "\x89FEN\r\n\x1a\n" // as PNG's: text it is not, and conversions of line ends show
	Version  = 1
	Head     = 256
	fenAlign = 64
	Block    = 256 << 10 // bytes with one checksum; a block stays in a core's cache
)

type Section int

const (
	Start Section = iota
	Index
	Value
	Number
	Code
	Weight
	Text
	Check
	Sections
)

func (s Section) String() string {
	return [...]string{"row offsets", "columns", "values", "numbers", "label codes", "weights", "names", "checksums"}[s]
}

var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// fenHeader is what the first bytes of a cache say.
type fenHeader struct {
	size, rows, cols, stored int64
	digest                   [32]byte
	Offset, length           [Sections]int64
}

func (h *fenHeader) dense() bool { return h.length[Start] == 0 }

// Blocks returns how many checksums a section has.
func (h *fenHeader) Blocks(s Section) int {
	return int((h.length[s] + Block - 1) / Block)
}

// place sets the offsets, the length of the checksums and the size of the file.
// It reports false when these do not fit into an int.
func (h *fenHeader) place() bool {
	at, blocks := int64(Head), 0
	for s := range Sections {
		if s == Check {
			h.length[s] = 4 * int64(blocks+1)
		}
		if at > math.MaxInt-fenAlign || h.length[s] < 0 || h.length[s] > math.MaxInt-fenAlign-at {
			return false
		}
		h.Offset[s] = at
		h.size = at + h.length[s]
		at = (h.size + fenAlign - 1) / fenAlign * fenAlign
		blocks += h.Blocks(s)
	}
	return true
}

func (h *fenHeader) encode() []byte {
	le := binary.LittleEndian
	b := append(make([]byte, 0, Head), Magic...)
	b = le.AppendUint32(b, Version)
	b = le.AppendUint32(b, 0)
	for _, v := range []int64{h.size, h.rows, h.cols, h.stored} {
		b = le.AppendUint64(b, uint64(v))
	}
	b = append(b, h.digest[:]...)
	for s := range Sections {
		b = le.AppendUint64(b, uint64(h.Offset[s]))
		b = le.AppendUint64(b, uint64(h.length[s]))
	}
	b = append(b, make([]byte, Head-4-len(b))...)
	return le.AppendUint32(b, crc32.Checksum(b, Castagnoli))
}

// DecodeHeader reads the header of the file of that name. What it returns is
// consistent; whether the file is as large is for the caller to check.
func DecodeHeader(name string, b []byte) (*fenHeader, error) {
	le := binary.LittleEndian
	switch {
	case len(b) < len(Magic) || string(b[:len(Magic)]) != Magic:
		return nil, fault.In(name, "found %s, expected %q as a .fen file begins", fault.Quote(b[:min(len(b), len(Magic))]), Magic)
	case len(b) < Head:
		return nil, fault.In(name, "found %d bytes, expected at least %d: the file is truncated", len(b), Head)
	}
	// The checksum comes first: only a header as it was written has a version.
	if found, expected := crc32.Checksum(b[:Head-4], Castagnoli), le.Uint32(b[Head-4:]); found != expected {
		return nil, fault.In(name, "found the checksum %08x of the header, expected %08x: the file is damaged", found, expected)
	}
	if v := le.Uint32(b[8:]); v != Version {
		return nil, fault.In(name, "found version %d of the format, expected %d: make the file again with fenchel convert", v, Version)
	}
	if slices.ContainsFunc(slices.Concat(b[12:16], b[208:Head-4]), func(reserved byte) bool { return reserved != 0 }) {
		return nil, fault.In(name, "found something in the reserved bytes of the header, expected zeros")
	}
	h := &fenHeader{}
	for i, field := range []*int64{&h.size, &h.rows, &h.cols, &h.stored} {
		*field = int64(le.Uint64(b[16+8*i:]))
	}
	copy(h.digest[:], b[48:])
	for s := range Sections {
		h.Offset[s] = int64(le.Uint64(b[80+16*s:]))
		h.length[s] = int64(le.Uint64(b[88+16*s:]))
	}
	if err := h.agrees(); err != nil {
		return nil, fault.In(name, "%w", err)
	}
	return h, nil
}

// agrees checks the numbers of a header against each other.
func (h *fenHeader) agrees() error {
	if h.rows < 1 || h.rows > math.MaxInt/8-1 || h.cols < 0 || h.cols > min(math.MaxUint32+1, math.MaxInt) || h.stored < 0 || h.stored > math.MaxInt/8 {
		return fmt.Errorf("found %d rows, %d columns and %d values, expected at least one row and at most 2^32 columns", h.rows, h.cols, h.stored)
	}
	if all, ok := memory.Product(4, []int64{h.rows, h.cols}); h.dense() && (h.cols == 0 || !ok || all != h.stored) {
		return fmt.Errorf("found %d values, expected %d rows of %d", h.stored, h.rows, h.cols)
	}
	expected := [...]int64{8 * (h.rows + 1), 4 * h.stored, 4 * h.stored, 8 * h.rows, 4 * h.rows, 8 * h.rows}
	for s, want := range expected {
		absent := h.dense()
		switch s := Section(s); s {
		case Value:
			absent = false
		case Number, Code, Weight:
			absent = h.length[s] == 0
		}
		if absent {
			want = 0
		}
		if h.length[s] != want {
			return fmt.Errorf("found %d bytes of %s, expected %d", h.length[s], Section(s), want)
		}
	}
	placed := *h
	if !placed.place() || placed != *h {
		return fmt.Errorf("found sections that do not follow each other in %d bytes, expected them in their order", h.size)
	}
	return nil
}
