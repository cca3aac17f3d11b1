package dual

import (
	"encoding/binary"
	"fmt"
	"math"
)

// Numbers are sent as bytes: all of them, or those that are not 0 with their places, whichever is shorter. Encoded one by one
// they would take most of the time of a round where columns are many.
type Numbers []float64

// What encoded Numbers begin with, before how many they are.
const (
	wireAll = byte(iota)
	wireSparse
)

// GobEncode returns them as bytes.
func (n Numbers) GobEncode() ([]byte, error) {
	some := 0
	for _, x := range n {
		if math.Float64bits(x) != 0 {
			some++
		}
	}
	if 12*some >= 8*len(n) {
		raw := binary.LittleEndian.AppendUint32(append(make([]byte, 0, 5+8*len(n)), wireAll), uint32(len(n)))
		return binary.Append(raw, binary.LittleEndian, []float64(n))
	}
	raw := binary.LittleEndian.AppendUint32(append(make([]byte, 0, 5+12*some), wireSparse), uint32(len(n)))
	for j, x := range n {
		if bits := math.Float64bits(x); bits != 0 {
			raw = binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(raw, uint32(j)), bits)
		}
	}
	return raw, nil
}

// GobDecode takes them from bytes.
func (n *Numbers) GobDecode(raw []byte) error {
	if len(raw) < 5 {
		return fmt.Errorf("numbers: found %d bytes, expected 5 at least", len(raw))
	}
	size, rest := int(binary.LittleEndian.Uint32(raw[1:])), raw[5:]
	switch {
	case raw[0] == wireAll && len(rest) == 8*size:
		*n = make(Numbers, size)
		_, err := binary.Decode(rest, binary.LittleEndian, []float64(*n))
		return err
	case raw[0] == wireSparse && len(rest)%12 == 0:
		*n = make(Numbers, size)
		for ; len(rest) > 0; rest = rest[12:] {
			j := binary.LittleEndian.Uint32(rest)
			if int(j) >= size {
				return fmt.Errorf("numbers: found place %d of %d", j, size)
			}
			(*n)[j] = math.Float64frombits(binary.LittleEndian.Uint64(rest[4:]))
		}
		return nil
	}
	return fmt.Errorf("numbers: found %d bytes for %d numbers", len(rest), size)
}
