package attack

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"regexp"
	"runtime/debug"
	"runtime/metrics"

	"github.com/fenchel-ml/fenchel/model"
)

// damage returns a copy of data with one kind of damage.
func (r draw) damage(data []byte) []byte {
	data = bytes.Clone(data)
	if len(data) == 0 {
		return data
	}
	switch r.IntN(6) {
	case 0:
		return data[:r.IntN(len(data))]
	case 1: // a length at the beginning
		binary.LittleEndian.PutUint64(append(data, make([]byte, 8)...)[:8], one(r, uint64(0), 1<<20, 1<<40, 1<<63, ^uint64(0), uint64(len(data))))
	case 2:
		return r.hugeNumber(data)
	case 3: // a part twice, or left out
		from := r.IntN(len(data))
		to := min(len(data), from+r.size(64))
		if r.chance(50) {
			return append(data[:from:from], data[to:]...)
		}
		return append(data[:to:to], data[from:]...)
	default:
		for range r.size(8) {
			data[r.IntN(len(data))] = byte(r.IntN(256))
		}
	}
	return data
}

var digits = regexp.MustCompile(`[0-9]+`)

// hugeNumber replaces a number in a text.
func (r draw) hugeNumber(data []byte) []byte {
	places := digits.FindAllIndex(data[:min(len(data), 1<<16)], -1)
	if len(places) == 0 {
		return data
	}
	at := places[r.IntN(len(places))]
	number := one(r, "0", "-1", "4294967296", "9223372036854775807", "1e300", "99999999999999999999", "2000000000", "nan", "16777217")
	return append(append(data[:at[0]:at[0]], number...), data[at[1]:]...)
}

// generous is how much memory may be taken for a file of so many bytes, in all.
func generous(size int) uint64 { return 64<<20 + 2000*uint64(size) }

// proving is what the size of a model is taken to be larger by where some model says where the optima are: to verify it some dozens of
// problems are solved.
func (t *trial) proving() int {
	for _, s := range t.models {
		if s.model.Outputs[0].Certificate.Region != nil {
			return 1 << 18
		}
	}
	return 0
}

// allocated returns the bytes that the program took so far.
func allocated() uint64 {
	sample := []metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}

// guarded calls do, and reports panics and huge allocations.
func (t *trial) guarded(what string, size int, do func()) {
	before := allocated()
	defer func() {
		if cause := recover(); cause != nil {
			t.fail("panic", what, "%v\n%s", cause, debug.Stack())
		}
		if took := allocated() - before; took > generous(size) {
			t.fail("memory", what, "found %d bytes taken for a file of %d", took, size)
		}
	}()
	do()
}

// tryDamage offers a damaged model.
func (t *trial) tryDamage(s sealed) {
	data := t.draw.damage(s.bytes)
	t.guarded("a damaged model", len(data), func() {
		m, err := model.Decode(data)
		switch {
		case err != nil:
			t.tally.Damaged["models refused"]++
		case bytes.Equal(data, s.bytes) || t.same(s, m):
			t.tally.Damaged["models unchanged"]++
		default:
			t.tally.Damaged["models ACCEPTED"]++
			t.fail("damage", s.solver, "%s", fmt.Sprintf("a damaged model of %d bytes was read without an error", len(data)))
		}
	})
}

// same reports whether a model has the content of the file before the damage.
func (t *trial) same(s sealed, m *model.Model) bool {
	var b bytes.Buffer
	return m.Write(&b) == nil && bytes.Equal(b.Bytes(), s.bytes)
}
