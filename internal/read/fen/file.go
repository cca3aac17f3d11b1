package fen

import (
	"unsafe"

	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/matrix"
)

// fenFile is the bytes of a cache and the sections in them.
type fenFile struct {
	*fenHeader
	name  string
	data  []byte
	unmap func() error // nil: the bytes are in memory

	start       []int64
	index, code []uint32
	value       []float32
	number      []float64
	weight      []float64
	names       fenNames
	labelNumber []float64 // of each label, when targets are labels and numbers
}

// fenNames is the section text.
type fenNames struct {
	Label   []string    `json:"label"`
	Feature []string    `json:"feature"`
	Schema  *set.Schema `json:"schema"`
	Gaps    []set.Gap   `json:"missing,omitempty"`
}

// newFenFile finds the sections. data is as long as the header says.
func newFenFile(name string, h *fenHeader, data []byte) *fenFile {
	f := &fenFile{fenHeader: h, name: name, data: data}
	f.start, f.index, f.value = words[int64](f, Start), words[uint32](f, Index), words[float32](f, Value)
	f.number, f.code, f.weight = words[float64](f, Number), words[uint32](f, Code), words[float64](f, Weight)
	return f
}

func (f *fenFile) section(s Section) []byte {
	return f.data[f.Offset[s] : f.Offset[s]+f.length[s] : f.Offset[s]+f.length[s]]
}

// words is a section as numbers, without copying; nil when it is empty.
func words[T uint32 | float32 | int64 | float64](f *fenFile, s Section) []T {
	raw := f.section(s)
	var zero T
	if len(raw) == 0 {
		return nil
	}
	if uintptr(unsafe.Pointer(&raw[0]))%unsafe.Sizeof(zero) != 0 {
		panic("dataset: a cache at an address that is not aligned")
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&raw[0])), len(raw)/int(unsafe.Sizeof(zero)))
}

// csr is the rows in the bytes of the file, with so many columns.
func (f *fenFile) csr(cols int) *matrix.CSR {
	index := f.index
	if index == nil {
		index = []uint32{}
	}
	return &matrix.CSR{Cols: cols, Start: f.start, Index: index, Value: f.value}
}
