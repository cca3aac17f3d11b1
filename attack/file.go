package attack

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A file is the bytes of a model taken apart, as somebody would who forges one: he
// knows how digests are made, and makes them fit again.
type file struct {
	metadata map[string]string
	tensors  []tensor // in the order of the file
	body     []byte
}

type tensor struct {
	Name    string    `json:"-"`
	DType   string    `json:"dtype"`
	Shape   []int     `json:"shape"`
	Offsets [2]uint64 `json:"data_offsets"`
}

func (t tensor) width() int {
	if t.DType == "F32" || t.DType == "U32" {
		return 4
	}
	return 8
}

// openFile takes a file apart that the program wrote.
func openFile(data []byte) (*file, error) {
	if len(data) < 8 || binary.LittleEndian.Uint64(data) > uint64(len(data)-8) {
		return nil, errors.New("found no header")
	}
	end := 8 + binary.LittleEndian.Uint64(data)
	raw := map[string]json.RawMessage{}
	if err := json.Unmarshal(data[8:end], &raw); err != nil {
		return nil, err
	}
	f := &file{metadata: map[string]string{}, body: slices.Clone(data[end:])}
	for name, text := range raw {
		if name == "__metadata__" {
			if err := json.Unmarshal(text, &f.metadata); err != nil {
				return nil, err
			}
			continue
		}
		t := tensor{Name: name}
		if err := json.Unmarshal(text, &t); err != nil {
			return nil, err
		}
		f.tensors = append(f.tensors, t)
	}
	slices.SortFunc(f.tensors, func(a, b tensor) int {
		return cmp.Or(b.width()-a.width(), strings.Compare(a.Name, b.Name))
	})
	return f, nil
}

// bytes puts the file together, with digests that fit.
func (f *file) bytes() []byte {
	h := sha256.New()
	header := map[string]any{}
	for _, t := range f.tensors {
		header[t.Name] = t
		fmt.Fprintf(h, "%q %s %v\n", t.Name, t.DType, t.Shape)
		h.Write(f.body[t.Offsets[0]:t.Offsets[1]])
	}
	f.metadata["tensors_digest"] = "sha256:" + hex.EncodeToString(h.Sum(nil))
	h = sha256.New()
	for _, key := range slices.Sorted(maps.Keys(f.metadata)) {
		if key != "metadata_digest" {
			fmt.Fprintf(h, "%q %q\n", key, f.metadata[key])
		}
	}
	f.metadata["metadata_digest"] = "sha256:" + hex.EncodeToString(h.Sum(nil))
	header["__metadata__"] = f.metadata
	text, err := json.Marshal(header)
	if err != nil {
		panic(err) // strings and whole numbers
	}
	text = append(text, bytes.Repeat([]byte(" "), (8-len(text)%8)%8)...)
	data := binary.LittleEndian.AppendUint64(nil, uint64(len(text)))
	return append(append(data, text...), f.body...)
}
