package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// The library allocates what headers claim. So these are read before, without any memory, and their claims compared with the
// bytes that are there.

// errBroken says that a header ends, or is none.
var errBroken = errors.New("found damaged data (a header that is none)")

// A skimmer goes over a text of Thrift's compact protocol.
type skimmer struct {
	text  []byte
	at    int
	depth int
}

// deepest is how deep structures may be in each other.
const deepest = 32

func (s *skimmer) varint() (v uint64, err error) {
	v, n := binary.Uvarint(s.text[s.at:])
	if n <= 0 {
		return 0, errBroken
	}
	s.at += n
	return v, nil
}

func (s *skimmer) take(n uint64) error {
	if n > uint64(len(s.text)-s.at) {
		return errBroken
	}
	s.at += int(n)
	return nil
}

// structure goes over a structure; field, unless it is nil, is told the integers in it, and goes into structures by returning what is
// told theirs.
func (s *skimmer) structure(integer func(field int, v int64), inner func(field int) func(int, int64)) error {
	if s.depth++; s.depth > deepest {
		return errBroken
	}
	defer func() { s.depth-- }()
	for id := 0; ; {
		if s.at == len(s.text) {
			return errBroken
		}
		head := s.text[s.at]
		s.at++
		if head == 0 {
			return nil
		}
		if step := int(head >> 4); step > 0 {
			id += step
		} else {
			v, err := s.varint()
			if err != nil {
				return err
			}
			id = int(int16(v>>1) ^ -int16(v&1))
		}
		if err := s.value(head&15, true, func(v int64) {
			if integer != nil {
				integer(id, v)
			}
		}, func() func(int, int64) {
			if inner != nil {
				return inner(id)
			}
			return nil
		}); err != nil {
			return err
		}
	}
}

// value goes over a value of a type.
func (s *skimmer) value(kind byte, field bool, integer func(int64), inner func() func(int, int64)) error {
	switch kind {
	case 1, 2: // booleans
		if field {
			return nil
		}
		return s.take(1)
	case 3:
		return s.take(1)
	case 4, 5, 6:
		v, err := s.varint()
		if integer != nil {
			integer(int64(v>>1) ^ -int64(v&1))
		}
		return err
	case 7:
		return s.take(8)
	case 8:
		n, err := s.varint()
		if err != nil {
			return err
		}
		return s.take(n)
	case 9, 10:
		return s.list()
	case 12:
		var told func(int, int64)
		if inner != nil {
			told = inner()
		}
		return s.structure(told, nil)
	}
	return errBroken // Parquet has no maps
}

// list goes over a list, of which each item takes a byte at least.
func (s *skimmer) list() error {
	if s.at == len(s.text) {
		return errBroken
	}
	head := s.text[s.at]
	s.at++
	n := uint64(head >> 4)
	if n == 15 {
		var err error
		if n, err = s.varint(); err != nil {
			return err
		}
	}
	if n > uint64(len(s.text)-s.at) {
		return errBroken
	}
	if s.depth++; s.depth > deepest {
		return errBroken
	}
	defer func() { s.depth-- }()
	for range n {
		if err := s.value(head&15, false, nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// checkFooter goes over the footer of a file.
func checkFooter(r io.ReaderAt, size int64) error {
	var end [8]byte
	if size < 12 {
		return errors.New("found a file without its end")
	}
	if _, err := r.ReadAt(end[:], size-8); err != nil {
		return err
	}
	if string(end[4:]) == "PARE" {
		return errors.New("found an encrypted file, expected one that is not")
	}
	if string(end[4:]) != "PAR1" {
		return errors.New("found a file without its end")
	}
	n := int64(binary.LittleEndian.Uint32(end[:]))
	if n > size-12 {
		return fmt.Errorf("found a footer of %d bytes in a file of %d", n, size)
	}
	text := make([]byte, n)
	if _, err := r.ReadAt(text, size-8-n); err != nil {
		return err
	}
	return (&skimmer{text: text}).structure(nil, nil)
}

// What a page may hold at most: writers make them of a megabyte or so.
const (
	mostBytes    = 1 << 24
	bytesPerByte = 1 << 11 // of packed ones
	mostValues   = 1 << 26
)

// headerBytes is the most that a header of a page may take, which has the least and the greatest value.
const headerBytes = 1 << 20

// checkPages goes over the headers of all pages of a column, or up to the first that has values.
func checkPages(o *opened, group, leaf int, first bool) error {
	meta := &o.file.Metadata().RowGroups[group].Columns[leaf].MetaData
	from, size := meta.DataPageOffset, meta.TotalCompressedSize
	if meta.DictionaryPageOffset != 0 { // as the library does
		from = meta.DictionaryPageOffset
	}
	if from < 0 || size < 0 || from+size > o.size || from+size < 0 {
		return fmt.Errorf("found a column of %d bytes at %d in a file of %d", size, from, o.size)
	}
	left := mostCells + int64(cellsPerByte)*o.size
	text := make([]byte, 0, 4096)
	for size > 0 {
		h, err := readHeader(o.file, from, size, &text)
		if err != nil {
			return err
		}
		switch {
		case h.packed < 0 || h.packed > size-h.length || h.unpacked < 0 || h.values < 0:
			return errBroken
		case h.unpacked > mostBytes+bytesPerByte*h.packed || h.values > mostValues:
			return fmt.Errorf("found a page of %d values and %d bytes, packed in %d, expected fewer", h.values, h.unpacked, h.packed)
		}
		if left -= h.values; left < 0 {
			return fmt.Errorf("found more values than a file of %d bytes may have", o.size)
		}
		if first && h.data && h.values > 0 {
			return nil
		}
		from, size = from+h.length+h.packed, size-h.length-h.packed
	}
	return nil
}

// A file may have so many values, and so many more for each of its bytes: a byte may say that thousands are the same.
const (
	mostCells    = 1 << 26
	cellsPerByte = 1 << 10
)

// A header is that of a page.
type header struct {
	length           int64
	packed, unpacked int64
	values           int64
	data             bool // it is no dictionary
}

// readHeader reads the header at from, which has at most size bytes behind it.
func readHeader(r io.ReaderAt, from, size int64, buffer *[]byte) (h header, err error) {
	for n := min(size, 512); ; n = min(size, 8*n) {
		text := append((*buffer)[:0], make([]byte, n)...)
		*buffer = text
		if _, err := r.ReadAt(text, from); err != nil {
			return h, err
		}
		h = header{}
		s := &skimmer{text: text}
		err = s.structure(func(field int, v int64) {
			switch field {
			case 1:
				h.data = v != 2
			case 2:
				h.unpacked = v
			case 3:
				h.packed = v
			}
		}, func(field int) func(int, int64) {
			if field != 5 && field != 7 && field != 8 {
				return nil
			}
			return func(field int, v int64) {
				if field == 1 || v < 0 {
					h.values = v
				}
			}
		})
		if h.length = int64(s.at); err == nil || n == size || n > headerBytes {
			return h, err
		}
	}
}
