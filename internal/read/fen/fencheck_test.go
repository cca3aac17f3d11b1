package fen_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/read/fen"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/readtest"
	"github.com/fenchel-ml/fenchel/matrix"
)

// reseal makes the checksums of a cache right again, as far as its header
// leads to them.
func reseal(data []byte) []byte {
	if len(data) < fen.Head {
		return data
	}
	le := binary.LittleEndian
	copy(data, fen.Magic)
	le.PutUint32(data[8:], fen.Version)
	sums := []byte{}
	for s := range fen.Sections {
		offset, length := le.Uint64(data[80+16*s:]), le.Uint64(data[88+16*s:])
		size := uint64(len(data))
		if offset > size || length > size-offset {
			break
		}
		section := data[offset : offset+length]
		if s == fen.Check {
			copy(section, le.AppendUint32(sums, crc32.Checksum(sums, fen.Castagnoli)))
			break
		}
		for at := 0; at < len(section); at += fen.Block {
			sums = le.AppendUint32(sums, crc32.Checksum(section[at:min(at+fen.Block, len(section))], fen.Castagnoli))
		}
	}
	le.PutUint32(data[fen.Head-4:], crc32.Checksum(data[:fen.Head-4], fen.Castagnoli))
	return data
}

// What checksums cannot tell: a file that says wrong things in a right way.
func TestFENLies(t *testing.T) {
	le := binary.LittleEndian
	content := fenSample(t)
	h, err := fen.DecodeHeader("x", content)
	if err != nil {
		t.Fatal(err)
	}
	put32 := func(s fen.Section, i int, v uint32) func([]byte) {
		return func(b []byte) { le.PutUint32(b[h.Offset[s]+4*int64(i):], v) }
	}
	put64 := func(s fen.Section, i int, v uint64) func([]byte) {
		return func(b []byte) { le.PutUint64(b[h.Offset[s]+8*int64(i):], v) }
	}
	head := func(at int, v uint64) func([]byte) { return func(b []byte) { le.PutUint64(b[at:], v) } }
	text := func(old, new string) func([]byte) {
		return func(b []byte) { copy(b[bytes.Index(b, []byte(old)):], new) }
	}
	for _, c := range []struct {
		name string
		lie  func([]byte)
		want string
	}{
		{"nothing", func([]byte) {}, ""},
		{"no rows", head(24, 0), "found 0 rows, 4 columns and 5 values, expected at least one row and at most 2^32 columns"},
		{"endless rows", head(24, math.MaxInt64), "found 9223372036854775807 rows, 4 columns and 5 values, expected at least one row and at most 2^32 columns"},
		{"negative rows", head(24, 1<<63), "found -9223372036854775808 rows, 4 columns and 5 values, expected at least one row and at most 2^32 columns"},
		{"other rows", head(24, 4), "found 32 bytes of row offsets, expected 40"},
		{"too wide", head(32, 1<<32+1), "found 3 rows, 4294967297 columns and 5 values, expected at least one row and at most 2^32 columns"},
		{"other values", head(40, 6), "found 20 bytes of columns, expected 24"},
		{"endless values", head(40, 1<<62), "found 3 rows, 4 columns and 4611686018427387904 values, expected at least one row and at most 2^32 columns"},
		{"moved section", head(80, 320), "found sections that do not follow each other in 736 bytes, expected them in their order"},
		{"endless text", head(88+16*int(fen.Text), math.MaxInt64), "found sections that do not follow each other in 736 bytes, expected them in their order"},
		{"negative text", head(88+16*int(fen.Text), 1<<63), "found sections that do not follow each other in 736 bytes, expected them in their order"},
		{"dense", head(88, 0), "found 5 values, expected 3 rows of 4"},
		{"other size", head(16, 772), "found sections that do not follow each other in 772 bytes, expected them in their order"},
		{"reserved", func(b []byte) { b[210] = 1 }, "found something in the reserved bytes of the header, expected zeros"},
		{"first offset", put64(fen.Start, 0, 1), "row offset 1: found 1 after 0, expected offsets that rise from 0 to 5"},
		{"falling offset", put64(fen.Start, 2, 1), "row offset 3: found 1 after 2, expected offsets that rise from 0 to 5"},
		{"negative offset", put64(fen.Start, 1, math.MaxUint64), "row offset 2: found -1 after 0, expected offsets that rise from 0 to 5"},
		{"offset beyond", put64(fen.Start, 2, 6), "row offset 3: found 6 after 2, expected offsets that rise from 0 to 5"},
		{"last offset", put64(fen.Start, 3, 4), "row offset 4: found 4 after 2, expected offsets that rise from 0 to 5"},
		{"column beyond", put32(fen.Index, 4, 4), "row 3: found column 4 after 2, expected increasing columns below 4"},
		{"column far beyond", put32(fen.Index, 1, math.MaxUint32), "row 1: found column 4294967295 after 0, expected increasing columns below 4"},
		{"column twice", put32(fen.Index, 3, 1), "row 3: found column 1 after 1, expected increasing columns below 4"},
		{"falling column", put32(fen.Index, 0, 3), "row 1: found column 2 after 3, expected increasing columns below 4"},
		{"nan", put32(fen.Value, 2, math.Float32bits(float32(math.NaN()))), "row 3: found the value NaN, expected finite numbers"},
		{"negative nan", put32(fen.Value, 2, 0xffffffff), "row 3: found the value NaN, expected finite numbers"},
		{"inf", put32(fen.Value, 1, math.Float32bits(float32(math.Inf(-1)))), "row 1: found the value -Inf, expected finite numbers"},
		{"largest", put32(fen.Value, 1, math.Float32bits(-math.MaxFloat32)), ""},
		{"target nan", put64(fen.Number, 1, math.Float64bits(math.NaN())), "row 2: found the target NaN, expected a finite number"},
		{"other target", put64(fen.Number, 1, math.Float64bits(3)), `row 2: found the label "2" and the number 3, expected the same`},
		{"code beyond", put32(fen.Code, 1, 2), "row 2: found the label code 2, expected one below 2"},
		{"weight -1", put64(fen.Weight, 1, math.Float64bits(-1)), "row 2: found -1, expected a positive number as weight"},
		{"weight nan", put64(fen.Weight, 1, math.Float64bits(math.NaN())), "row 2: found NaN, expected a positive number as weight"},
		{"no JSON", text(`{"label"`, `["label"`), "found names that are not JSON (invalid character ':' after array element), expected labels, features and schema"},
		{"same label", text(`"2"`, `"1"`), `found the label "1" twice, expected each once`},
		{"text label", text(`"2"`, `"b"`), `found the label "b" and numbers as targets, expected labels that are numbers`},
		{"huge label", text(`"+1","2"`, `"9e999" `), `found the label "9e999", expected a finite number or a name`},
		{"features", text(`"c","d"`, `"c"    `), "found 3 names of features, expected 4"},
		{"schema", text(`"schema":null}`, `"schema":{}}  `), "found target column 0 and weight column 0 of 0"},
	} {
		lie := bytes.Clone(content)
		c.lie(lie)
		_, err := readBytes(reseal(lie), data.Options{})
		got := ""
		if err != nil {
			got = strings.TrimPrefix(err.Error(), "standard input: ")
		}
		if got != c.want {
			t.Errorf("%s\nfound    %s\nexpected %s", c.name, got, c.want)
		}
	}
}

// Labels must be in the order of their rows, and rows have them all.
func TestFENLabelOrder(t *testing.T) {
	s := readtest.MustRead(t, data.Options{}, readtest.WriteTemp(t, "x.svm", []byte("a 1:1\nb 1:1\nb 1:1\n")))
	content := fenBytes(t, s)
	h, _ := fen.DecodeHeader("x", content)
	for codes, want := range map[[3]uint32]string{
		{0, 1, 0}: "", {1, 0, 0}: `row 1: found the label "b", expected the first of "a" here`, {0, 0, 0}: `found the label "b" in no row, expected labels that rows have`,
	} {
		lie := bytes.Clone(content)
		copy(lie[h.Offset[fen.Code]:], memory.AsBytes(codes[:]))
		_, err := readBytes(reseal(lie), data.Options{})
		if got := fmt.Sprint(err); want == "" && err != nil || want != "" && got != "standard input: "+want {
			t.Errorf("%v: found %v, expected %s", codes, err, want)
		}
	}
}

// Rows and faults at the edges of blocks: here rows of seven columns, so that
// most blocks begin and end within a row.
func TestFENBlocks(t *testing.T) {
	const rows, width = 30000, 7
	m := &matrix.CSR{Cols: width, Start: []int64{0}}
	for i := range rows {
		for j := range uint32(width) {
			m.Index, m.Value = append(m.Index, j), append(m.Value, float32(i))
		}
		m.Start = append(m.Start, int64(len(m.Value)))
	}
	content := fenBytes(t, &data.Set{X: m})
	h, err := fen.DecodeHeader("x", content)
	if err != nil || h.Blocks(fen.Index) < 3 {
		t.Fatal(err, h.Blocks(fen.Index))
	}
	if _, err := readBytes(content, data.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{0, 1, 6, 7, fen.Block/4 - 2, fen.Block/4 - 1, fen.Block / 4, fen.Block/4 + 1, fen.Block / 2, rows*width - 1} {
		for _, column := range []uint32{width, math.MaxUint32, uint32(at%width+1) % width, uint32(at%width+width-1) % width} {
			lie := bytes.Clone(content)
			binary.LittleEndian.PutUint32(lie[h.Offset[fen.Index]+4*int64(at):], column)
			for _, threads := range []int{1, 4} {
				_, err := readBytes(reseal(lie), data.Options{Threads: threads})
				if want := fmt.Sprintf("standard input: row %d: found column ", at/width+1); err == nil || !strings.HasPrefix(err.Error(), want) {
					t.Errorf("value %d in column %d: found %v", at, column, err)
				}
			}
		}
		lie := bytes.Clone(content)
		binary.LittleEndian.PutUint32(lie[h.Offset[fen.Value]+4*int64(at):], 0x7f800000)
		if _, err := readBytes(reseal(lie), data.Options{}); err == nil || err.Error() != fmt.Sprintf("standard input: row %d: found the value +Inf, expected finite numbers", at/width+1) {
			t.Errorf("value %d is infinite: found %v", at, err)
		}
	}
}
