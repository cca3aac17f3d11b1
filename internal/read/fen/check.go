package fen

import (
	"context"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sort"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
)

// A cache is checked as a whole when it is opened: checksums find accidents,
// and what they cannot promise is checked one by one, all while a block is in
// a core's cache. It is one pass at the speed of memory, on all cores.
// To check a block only when it is first used would open faster, but training
// uses every block at once, a row has no way to fail, and kernels that gather
// by column rely on every column being below d.

// check returns the first fault of the file.
func (f *fenFile) check(ctx context.Context, workers int) error {
	if err := f.checkSums(); err != nil {
		return err
	}
	// Columns are looked at row by row: offsets come first.
	for _, wave := range [][]Section{{Start, Text}, {Index, Value, Number, Code, Weight}} {
		if err := f.checkBlocks(ctx, workers, wave); err != nil {
			return err
		}
		if wave[0] == Start {
			if err := f.readNames(); err != nil {
				return fault.In(f.name, "%w", err)
			}
		}
	}
	if err := f.checkOrder(); err != nil {
		return fault.In(f.name, "%w", err)
	}
	return nil
}

// checkSums checks the checksums themselves, and the zeros between sections.
func (f *fenFile) checkSums() error {
	sums := f.section(Check)
	last := len(sums) - 4
	if found, expected := crc32.Checksum(sums[:last], Castagnoli), binary.LittleEndian.Uint32(sums[last:]); found != expected {
		return f.damaged(Check, 0, int64(last), found, expected)
	}
	for s := Start; s < Check; s++ {
		for at := f.Offset[s] + f.length[s]; at < f.Offset[s+1]; at++ {
			if f.data[at] != 0 {
				return fault.In(f.name, "found %#02x at byte %d, expected zero between sections: the file is damaged", f.data[at], at)
			}
		}
	}
	return nil
}

func (f *fenFile) damaged(s Section, from, length int64, found, expected uint32) error {
	at := f.Offset[s] + from
	return fault.In(f.name, "found the checksum %08x in bytes %d to %d (%s), expected %08x: the file is damaged", found, at, at+length-1, s, expected)
}

// checkBlocks checks all blocks of some sections.
func (f *fenFile) checkBlocks(ctx context.Context, workers int, sections []Section) error {
	type part struct {
		section Section
		block   int
	}
	var parts []part
	for _, s := range sections {
		for b := range f.Blocks(s) {
			parts = append(parts, part{s, b})
		}
	}
	return lines.Each(ctx, workers, len(parts), func(i int) error { return f.checkBlock(parts[i].section, parts[i].block) })
}

func (f *fenFile) checkBlock(s Section, block int) error {
	from := int64(block) * Block
	raw := f.section(s)[from:min(from+Block, f.length[s])]
	if found, expected := crc32.Checksum(raw, Castagnoli), f.sum(s, block); found != expected {
		return f.damaged(s, from, int64(len(raw)), found, expected)
	}
	lo, hi := int(from), int(from)+len(raw)
	var err error
	switch s {
	case Start:
		err = f.checkStart(lo/8, hi/8)
	case Index:
		err = f.checkIndex(int64(lo/4), int64(hi/4))
	case Value:
		err = f.checkValue(lo/4, hi/4)
	case Number:
		err = checkNumbers(f.number, lo/8, hi/8)
	case Weight:
		err = checkWeights(f.weight, lo/8, hi/8)
	case Code:
		err = f.checkCode(lo/4, hi/4)
	}
	if err != nil {
		return fault.In(f.name, "%w", err)
	}
	return nil
}

// sum returns the stored checksum of a block.
func (f *fenFile) sum(s Section, block int) uint32 {
	for before := range s {
		block += f.Blocks(before)
	}
	return binary.LittleEndian.Uint32(f.section(Check)[4*block:])
}

// checkStart checks that offsets rise from 0 to the number of values.
func (f *fenFile) checkStart(lo, hi int) error {
	for i := lo; i < hi; i++ {
		before := int64(0)
		if i > 0 {
			before = f.start[i-1]
		}
		if at := f.start[i]; at < before || i == 0 && at != 0 || at > f.stored || i == len(f.start)-1 && at != f.stored {
			return fmt.Errorf("row offset %d: found %d after %d, expected offsets that rise from 0 to %d", i+1, at, before, f.stored)
		}
	}
	return nil
}

// checkIndex checks the columns of the values from lo to hi. Offsets are known
// to be good.
func (f *fenFile) checkIndex(lo, hi int64) error {
	row := sort.Search(int(f.rows), func(i int) bool { return f.start[i+1] > lo })
	for at := lo; at < hi; row++ {
		end := min(f.start[row+1], hi)
		before := int64(-1)
		if at > f.start[row] { // the row began in an earlier block
			before = int64(f.index[at-1])
		}
		if !rising(before, f.index[at:end], f.cols) {
			return f.badColumn(row)
		}
		at = end
	}
	return nil
}

// rising reports whether columns increase from one after before to one below
// cols. Every difference must be negative: their signs are gathered, without a
// branch for each column.
func rising(before int64, index []uint32, cols int64) bool {
	all := int64(-1)
	k := 0
	for ; k+4 <= len(index); k += 4 {
		four := index[k : k+4 : k+4]
		a, b, c, d := int64(four[0]), int64(four[1]), int64(four[2]), int64(four[3])
		all &= (before - a) & (a - b) & (b - c) & (c - d)
		before = d
	}
	for _, j := range index[k:] {
		all &= before - int64(j)
		before = int64(j)
	}
	return all < 0 && before < cols
}

// badColumn says what is wrong with the columns of a row.
func (f *fenFile) badColumn(row int) error {
	before := int64(-1)
	for _, j := range f.index[f.start[row]:f.start[row+1]] {
		if int64(j) <= before || int64(j) >= f.cols {
			return fmt.Errorf("row %d: found column %d after %d, expected increasing columns below %d", row+1, j, before, f.cols)
		}
		before = int64(j)
	}
	return fmt.Errorf("row %d: the columns changed while they were read", row+1)
}

// checkValue checks that the values from lo to hi are finite.
func (f *fenFile) checkValue(lo, hi int) error {
	if decimal.AllFinite(f.value[lo:hi]) {
		return nil
	}
	for k := lo; k < hi; k++ {
		if v := f.value[k]; !decimal.Finite(float64(v)) {
			row := k / int(max(f.cols, 1))
			if !f.dense() {
				row = sort.Search(int(f.rows), func(i int) bool { return f.start[i+1] > int64(k) })
			}
			return fmt.Errorf("row %d: found the value %v, expected finite numbers", row+1, v)
		}
	}
	return fmt.Errorf("value %d: the values changed while they were read", lo+1)
}

func checkNumbers(number []float64, lo, hi int) error {
	for i := lo; i < hi; i++ {
		if !decimal.Finite(number[i]) {
			return fmt.Errorf("row %d: found the target %v, expected a finite number", i+1, number[i])
		}
	}
	return nil
}

func checkWeights(weight []float64, lo, hi int) error {
	for i := lo; i < hi; i++ {
		if w := weight[i]; !(w >= 0) || !decimal.Finite(w) {
			return fmt.Errorf("row %d: found %v, expected a positive number as weight", i+1, w)
		}
	}
	return nil
}

// checkCode checks that codes are those of labels, and that a label that is a
// number is the row's.
func (f *fenFile) checkCode(lo, hi int) error {
	for i := lo; i < hi; i++ {
		code := int64(f.code[i])
		if code >= int64(len(f.names.Label)) {
			return fmt.Errorf("row %d: found the label code %d, expected one below %d", i+1, code, len(f.names.Label))
		}
		if f.number != nil && f.number[i] != f.labelNumber[code] {
			return fmt.Errorf("row %d: found the label %q and the number %v, expected the same", i+1, f.names.Label[code], f.number[i])
		}
	}
	return nil
}
