// Package safetensors reads and writes named tensors of numbers in one file, with texts
// beside them. Numbers are viewed where the file lies in memory, and copied where they
// cannot be; a header is checked before anything is allocated.
package safetensors

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"unsafe"
)

// The container: a safetensors file is the length of a JSON header (8 bytes,
// little endian), the header, and the tensors' bytes one after another. The
// format is public and tiny; no Go module that implements it is kept.

// Tensor is one named array of numbers: []float64, short, []float32, []int64 or
// []uint32.
type Tensor struct {
	Shape []int
	Value any
}

// maxHeader is the longest header that the format allows.
const maxHeader = 100 << 20

// tensorHeader is what the JSON header says of one tensor.
type tensorHeader struct {
	DType   string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`

	name string
}

// Write writes a container. The bytes depend on the arguments alone.
func Write(w io.Writer, metadata map[string]string, tensors map[string]Tensor) error {
	names := tensorNames(tensors)
	header := map[string]any{"__metadata__": metadata}
	var end uint64
	for _, name := range names {
		t := tensors[name]
		begin := end
		end += uint64(t.size())
		header[name] = tensorHeader{DType: t.DType(), Shape: t.Shape, Offsets: [2]uint64{begin, end}}
	}
	text, err := json.Marshal(header)
	if err != nil {
		return err
	}
	if pad := len(text) % 8; pad != 0 { // the tensors are then aligned in a memory map
		text = append(text, bytes.Repeat([]byte(" "), 8-pad)...)
	}
	if len(text) > maxHeader {
		return fmt.Errorf("model: the header has %d bytes, the format allows %d: too many feature names or categories", len(text), maxHeader)
	}
	if err := binary.Write(w, binary.LittleEndian, uint64(len(text))); err != nil {
		return err
	}
	if _, err := w.Write(text); err != nil {
		return err
	}
	for _, name := range names {
		if err := tensors[name].write(w); err != nil {
			return err
		}
	}
	return nil
}

// tensorNames returns the names in the order of the file: wide numbers first,
// so that all stay aligned.
func tensorNames(tensors map[string]Tensor) []string {
	names := make([]string, 0, len(tensors))
	for name := range tensors {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		if wide := tensors[b].width() - tensors[a].width(); wide != 0 {
			return wide
		}
		return strings.Compare(a, b)
	})
	return names
}

// dtypes names the types of numbers, with their widths in bytes.
var dtypes = map[string]int{"F64": 8, "I64": 8, "F32": 4, "U32": 4}

func (t Tensor) DType() string {
	switch t.Value.(type) {
	case []float32, short:
		return "F32"
	case []int64:
		return "I64"
	case []uint32:
		return "U32"
	}
	return "F64"
}

func (t Tensor) width() int { return dtypes[t.DType()] }

func (t Tensor) size() int {
	if v, ok := t.Value.(short); ok {
		return 4 * len(v)
	}
	return binary.Size(t.Value)
}

// write writes the numbers, little endian.
func (t Tensor) write(w io.Writer) error {
	switch v := t.Value.(type) {
	case short:
		return v.write(w)
	case []float32:
		return writeNumbers(w, v)
	case []int64:
		return writeNumbers(w, v)
	case []uint32:
		return writeNumbers(w, v)
	}
	return writeNumbers(w, t.Value.([]float64))
}

// isLittleEndian tells whether numbers in memory are as they are in a file.
var isLittleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// writeNumbers writes them as they are in memory, or some thousand at a time.
func writeNumbers[T float64 | float32 | int64 | uint32](w io.Writer, numbers []T) error {
	if isLittleEndian && len(numbers) > 0 {
		_, err := w.Write(unsafe.Slice((*byte)(unsafe.Pointer(&numbers[0])), len(numbers)*int(unsafe.Sizeof(numbers[0]))))
		return err
	}
	buf := make([]byte, 0, 32<<10)
	for some := range slices.Chunk(numbers, cap(buf)/8) {
		buf, _ = binary.Append(buf[:0], binary.LittleEndian, some) // fails for other types only
		if _, err := w.Write(buf); err != nil {
			return err
		}
	}
	return nil
}

// Floats returns the numbers of a tensor of F64 or F32, in double precision;
// nil for one that is not there or holds whole numbers.
func (t Tensor) Floats() []float64 {
	switch v := t.Value.(type) {
	case []float64:
		return v
	case []float32:
		wide := make([]float64, len(v))
		for i, x := range v {
			wide[i] = float64(x)
		}
		return wide
	}
	return nil
}

// Digest returns a digest of all names, types, shapes and numbers.
func Digest(tensors map[string]Tensor) string {
	h := sha256.New()
	for _, name := range tensorNames(tensors) {
		t := tensors[name]
		fmt.Fprintf(h, "%q %s %v\n", name, t.DType(), t.Shape)
		_ = t.write(h) // a hash takes everything
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// DigestMetadata returns a digest of all metadata but itself.
func DigestMetadata(metadata map[string]string) string {
	h := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(metadata)) {
		if key != "metadata_digest" {
			h.Write(append(strconv.AppendQuote(append(strconv.AppendQuote(nil, key), ' '), metadata[key]), '\n'))
		}
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil))
}

// Read reads a container. It trusts nothing: every length is compared
// with what is there before memory is taken for it. Tensors may share the memory of
// data, which must not change.
func Read(data []byte) (metadata map[string]string, tensors map[string]Tensor, err error) {
	if len(data) < 8 {
		return nil, nil, fmt.Errorf("found %d bytes, expected a safetensors file", len(data))
	}
	length := binary.LittleEndian.Uint64(data)
	if length > maxHeader {
		return nil, nil, fmt.Errorf("found %q, expected the length of a safetensors header", data[:8])
	}
	if length > uint64(len(data)-8) {
		return nil, nil, fmt.Errorf("found a header of %d bytes in a file of %d, expected a safetensors file", length, len(data))
	}
	text, body := data[8:8+length], data[8+length:]
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(text, &raw); err != nil {
		return nil, nil, fmt.Errorf("the header is not a JSON object: %w", err)
	}
	if m, ok := raw["__metadata__"]; ok {
		if err := json.Unmarshal(m, &metadata); err != nil {
			return nil, nil, fmt.Errorf("the metadata is not an object of strings: %w", err)
		}
		delete(raw, "__metadata__")
	}
	headers := make([]tensorHeader, 0, len(raw))
	for name, r := range raw {
		h := tensorHeader{name: name}
		if err := json.Unmarshal(r, &h); err != nil {
			return nil, nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		headers = append(headers, h)
	}
	tensors, err = cutTensors(headers, body)
	return metadata, tensors, err
}

// cutTensors takes all tensors out of body, which they must cover without a gap
// and without overlap.
func cutTensors(headers []tensorHeader, body []byte) (map[string]Tensor, error) {
	slices.SortFunc(headers, func(a, b tensorHeader) int {
		return cmp.Or(cmp.Compare(a.Offsets[0], b.Offsets[0]), cmp.Compare(a.Offsets[1], b.Offsets[1]), strings.Compare(a.name, b.name))
	})
	tensors := make(map[string]Tensor, len(headers))
	var end uint64
	for _, h := range headers {
		if h.Offsets[0] != end {
			return nil, fmt.Errorf("tensor %q: found offset %d, expected %d, the end of the one before", h.name, h.Offsets[0], end)
		}
		t, err := readTensor(h, body)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", h.name, err)
		}
		tensors[h.name], end = t, h.Offsets[1]
	}
	if end != uint64(len(body)) {
		return nil, fmt.Errorf("found %d bytes of tensors, the header describes %d", len(body), end)
	}
	return tensors, nil
}

// readTensor takes one tensor out of body.
func readTensor(h tensorHeader, body []byte) (Tensor, error) {
	begin, end := h.Offsets[0], h.Offsets[1]
	if begin > end || end > uint64(len(body)) {
		return Tensor{}, fmt.Errorf("found offsets %d to %d, expected at most %d", begin, end, len(body))
	}
	count := uint64(1)
	for _, s := range h.Shape {
		if s < 0 || s > 0 && count > math.MaxInt64/uint64(s) {
			return Tensor{}, fmt.Errorf("found shape %v, expected sizes that fit", h.Shape)
		}
		count *= uint64(s)
	}
	width, ok := dtypes[h.DType]
	if !ok {
		return Tensor{}, fmt.Errorf("found numbers of type %q, expected F64, F32, I64 or U32", h.DType)
	}
	if size := end - begin; size/uint64(width) != count || size%uint64(width) != 0 {
		return Tensor{}, fmt.Errorf("found %d bytes, expected shape %v of %s", end-begin, h.Shape, h.DType)
	}
	t := Tensor{Shape: h.Shape}
	if t.Value = viewNumbers(h.DType, body[begin:end]); t.Value != nil {
		return t, nil
	}
	t.Value = newNumbers(h.DType, int(count))
	_, err := binary.Decode(body[begin:end], binary.LittleEndian, t.Value)
	return t, err
}
