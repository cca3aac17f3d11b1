package array

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
)

// The header of an NPY file: the magic, two bytes for the version, the length
// of the text (two bytes in version 1, else four), and the text, a Python
// dictionary such as
//
//	{'descr': '<f4', 'fortran_order': False, 'shape': (100, 20), }
//
// NumPy evaluates it; we parse just this: three known keys in any order, each
// once, strings without escapes, True and False, a tuple of whole numbers.

const npyMagic = "\x93NUMPY"

// maxNPYHeader bounds the text; NumPy itself stops at 10,000 characters.
const maxNPYHeader = 10000

// npyHeader says what an array holds.
type npyHeader struct {
	descr   string
	element Element // its get is nil for text
	text    byte    // 'S' or 'U' when the array holds text, else 0
	order   binary.ByteOrder
	fortran bool
	Shape   []int64
	length  int64 // bytes before the numbers
}

// ReadHeader reads the header of an array; name is for messages.
func ReadHeader(r io.Reader, name string) (h npyHeader, err error) {
	text, fixed, err := readHeaderText(r)
	if err == nil {
		p := &npyParser{rest: text}
		if h, err = p.header(); err == nil {
			h.length = int64(fixed + len(text))
			err = h.setType()
		}
	}
	if err == nil {
		if _, ok := memory.Product(h.element.Size, h.Shape); !ok {
			err = fmt.Errorf("found shape %s, expected fewer than 2^63 bytes", h.shapeText())
		}
	}
	if err != nil {
		return h, fault.In(name, "NPY header: %w", err)
	}
	return h, nil
}

// readHeaderText also returns how many bytes are before the text.
func readHeaderText(r io.Reader) (text string, fixed int, err error) {
	head := make([]byte, 12)
	fixed = 10
	if n, err := io.ReadFull(r, head[:10]); err != nil {
		return "", 0, short(n, 10, err)
	}
	if string(head[:6]) != npyMagic {
		return "", 0, fmt.Errorf("found %q, expected %q", head[:6], npyMagic)
	}
	length := uint32(binary.LittleEndian.Uint16(head[8:]))
	switch version := head[6]; version {
	case 1:
	case 2, 3:
		if n, err := io.ReadFull(r, head[10:]); err != nil {
			return "", 0, short(10+n, 12, err)
		}
		fixed, length = 12, binary.LittleEndian.Uint32(head[8:])
	default:
		return "", 0, fmt.Errorf("found version %d.%d, expected 1, 2 or 3", version, head[7])
	}
	if length > maxNPYHeader {
		return "", 0, fmt.Errorf("found %d characters, expected at most %d", length, maxNPYHeader)
	}
	raw := make([]byte, length)
	if n, err := io.ReadFull(r, raw); err != nil {
		return "", 0, short(n, int(length), err)
	}
	return string(raw), fixed, nil
}

func short(found, expected int, err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("found %d bytes, expected %d", found, expected)
	}
	return err
}

// shapeText is the shape as Python writes it.
func (h npyHeader) shapeText() string {
	var b strings.Builder
	for i, d := range h.Shape {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.FormatInt(d, 10))
	}
	if len(h.Shape) == 1 {
		b.WriteByte(',')
	}
	return "(" + b.String() + ")"
}

// setType understands descr: byte order, kind, size.
func (h *npyHeader) setType() error {
	refuse := func(why string) error {
		return fmt.Errorf("found dtype %q, expected integers, floats, truth values or text%s", h.descr, why)
	}
	if h.descr == "" {
		return refuse("")
	}
	h.order = binary.LittleEndian
	rest := h.descr
	if strings.IndexByte("<>|=", rest[0]) >= 0 {
		if rest[0] == '>' {
			h.order = binary.BigEndian
		}
		rest = rest[1:]
	}
	if strings.HasPrefix(rest, "O") {
		return refuse(": objects are Python pickles, which can run any program, and are never read")
	}
	if len(rest) < 2 {
		return refuse("")
	}
	size, err := strconv.ParseUint(rest[1:], 10, 31)
	if err != nil || size == 0 {
		return refuse("")
	}
	switch kind := rest[0]; kind {
	case 'U':
		size *= 4
		fallthrough
	case 'S':
		if size > math.MaxInt32 {
			return refuse("")
		}
		h.text, h.element = kind, Element{Name: h.descr, Size: int(size)}
		return nil
	}
	e, ok := ElementOf(rest[0], int(size), h.order)
	if !ok {
		return refuse("")
	}
	h.element = e
	return nil
}

// npyParser reads the text from the front.
type npyParser struct{ rest string }

func (p *npyParser) header() (h npyHeader, err error) {
	if err := p.expect("{"); err != nil {
		return h, err
	}
	seen := map[string]bool{}
	for !p.accept("}") {
		key, err := p.quoted()
		if err != nil {
			return h, err
		}
		if seen[key] {
			return h, fmt.Errorf("found key %q twice", key)
		}
		seen[key] = true
		if err := p.expect(":"); err != nil {
			return h, err
		}
		switch key {
		case "descr":
			h.descr, err = p.descr()
		case "fortran_order":
			h.fortran, err = p.truth()
		case "shape":
			h.Shape, err = p.shape()
		default:
			err = fmt.Errorf("found key %q, expected descr, fortran_order and shape", key)
		}
		if err != nil {
			return h, err
		}
		if !p.accept(",") {
			if err := p.expect("}"); err != nil {
				return h, err
			}
			break
		}
	}
	if len(seen) != 3 {
		return h, fmt.Errorf("found %d keys, expected descr, fortran_order and shape", len(seen))
	}
	if p.skip(); p.rest != "" {
		return h, p.unexpected("the end")
	}
	return h, nil
}

func (p *npyParser) skip() { p.rest = strings.TrimLeft(p.rest, " \t\n\r") }

func (p *npyParser) accept(word string) bool {
	p.skip()
	rest, ok := strings.CutPrefix(p.rest, word)
	p.rest = rest
	return ok
}

func (p *npyParser) expect(word string) error {
	if !p.accept(word) {
		return p.unexpected(strconv.Quote(word))
	}
	return nil
}

func (p *npyParser) unexpected(expected string) error {
	return fmt.Errorf("found %s, expected %s", fault.Quote([]byte(p.rest)), expected)
}

// quoted reads a string in single or double quotes, without escapes.
func (p *npyParser) quoted() (string, error) {
	if p.skip(); p.rest == "" || p.rest[0] != '\'' && p.rest[0] != '"' {
		return "", p.unexpected("a string in quotes")
	}
	end := strings.IndexByte(p.rest[1:], p.rest[0])
	if end < 0 || strings.IndexByte(p.rest[1:1+end], '\\') >= 0 {
		return "", p.unexpected("a string in quotes, without \\")
	}
	s := p.rest[1 : 1+end]
	p.rest = p.rest[2+end:]
	return s, nil
}

func (p *npyParser) descr() (string, error) {
	if p.skip(); strings.HasPrefix(p.rest, "[") {
		return "", fmt.Errorf("found a structured dtype, expected one type for all columns")
	}
	return p.quoted()
}

func (p *npyParser) truth() (bool, error) {
	if p.accept("True") {
		return true, nil
	}
	if p.accept("False") {
		return false, nil
	}
	return false, p.unexpected("True or False")
}

// shape reads (), (n,), (n, d) and longer; Python 2 wrote (3L, 4L).
func (p *npyParser) shape() ([]int64, error) {
	if err := p.expect("("); err != nil {
		return nil, err
	}
	shape := []int64{}
	for !p.accept(")") {
		if len(shape) == 32 {
			return nil, p.unexpected("at most 32 dimensions")
		}
		p.skip()
		digits := 0
		for digits < len(p.rest) && p.rest[digits]-'0' <= 9 {
			digits++
		}
		d, err := strconv.ParseInt(p.rest[:digits], 10, 64)
		if err != nil {
			return nil, p.unexpected("a dimension")
		}
		shape = append(shape, d)
		p.rest = strings.TrimPrefix(p.rest[digits:], "L")
		if !p.accept(",") {
			if len(shape) == 1 {
				return nil, p.unexpected("\",\"") // (5) is a number
			}
			if err := p.expect(")"); err != nil {
				return nil, err
			}
			break
		}
	}
	return shape, nil
}
