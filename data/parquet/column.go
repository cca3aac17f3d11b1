package parquet

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/encoding"
	"github.com/parquet-go/parquet-go/format"

	"github.com/fenchel-ml/fenchel/internal/read/table"
)

// A column is a top-level column of a file.
type column struct {
	name    string
	leaf    *parquet.Column
	refused string // what it holds, if that is no column of a table
	list    bool
	ragged  bool                             // of any length each: parts of vectors
	parts   []*column                        // of vectors; nil: it has none
	length  int                              // of the lists or vectors
	present byte                             // the level of an item of one
	spell   func(dst []byte, v int64) []byte // integers; nil: as they are
	scale   int                              // of decimals
	bytes   func(dst, text []byte) []byte    // of bytes that are no text
}

// names are the columns of the table that it makes.
func (c *column) names() []string {
	if !c.list || c.refused != "" {
		return []string{c.name}
	}
	names := make([]string, c.length)
	for i := range names {
		names[i] = c.name + "_" + strconv.Itoa(i)
	}
	return names
}

// columnsOf describes the columns of a file.
func columnsOf(f *parquet.File) (all []*column, err error) {
	var half []bool // of each leaf whether the file says that it is of half precision, which the library does not tell
	for _, e := range f.Metadata().Schema {
		if e.Type.Valid {
			_, is := e.LogicalType.Value.(*format.Float16Type)
			half = append(half, is)
		}
	}
	for _, top := range f.Root().Columns() {
		c := &column{name: top.Name(), leaf: top, parts: partsOf(top, half)}
		if c.parts == nil {
			c = columnOf(top, half)
		}
		all = append(all, c)
	}
	return all, nil
}

// columnOf describes a column; half tells which leaves of the file are of half precision.
func columnOf(top *parquet.Column, half []bool) *column {
	c := &column{name: top.Name(), leaf: top}
	for depth := 0; !c.leaf.Leaf() && len(c.leaf.Columns()) == 1; depth++ { // a list is a group of a repeated group of its items
		if c.leaf = c.leaf.Columns()[0]; depth == 0 && !top.Repeated() && !c.leaf.Repeated() {
			break
		}
		if c.leaf.Repeated() {
			c.present = byte(c.leaf.MaxDefinitionLevel())
		}
	}
	if top.Repeated() {
		c.present = byte(top.MaxDefinitionLevel())
	}
	levels := c.leaf.MaxRepetitionLevel()
	switch {
	case !c.leaf.Leaf():
		c.refused = fmt.Sprintf("values of %d parts", len(c.leaf.Columns()))
	case levels > 1:
		c.refused = "lists of lists"
	case levels == 0 && c.leaf != top:
		c.refused = "a structure"
	default:
		if c.list = levels == 1; c.leaf.Index() < len(half) && half[c.leaf.Index()] {
			c.bytes = appendHalf
		} else {
			c.describe()
		}
	}
	return c
}

// describe finds out how the values of the leaf are spelled.
func (c *column) describe() {
	kind := c.leaf.Type().Kind()
	if logical := c.leaf.Type().LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.DecimalType:
			c.setDecimal(kind, int(l.Scale))
			return
		case *format.DateType:
			c.spell = appendDate
			return
		case *format.TimeType:
			c.spell = clock(unitOf(l.Unit))
			return
		case *format.TimestampType:
			c.spell = timestamp(unitOf(l.Unit))
			return
		case *format.IntType:
			if !l.IsSigned && l.BitWidth == 64 {
				c.spell = func(dst []byte, v int64) []byte { return strconv.AppendUint(dst, uint64(v), 10) }
			} else if !l.IsSigned && l.BitWidth == 32 {
				c.spell = func(dst []byte, v int64) []byte { return strconv.AppendUint(dst, uint64(uint32(v)), 10) }
			}
			return
		case *format.UUIDType:
			c.bytes = appendUUID
			return
		case *format.StringType, *format.EnumType, *format.JsonType, *format.NullType:
			return
		default:
			c.refused = "values of the type " + logical.String()
			return
		}
	}
	switch kind {
	case parquet.FixedLenByteArray:
		c.refused = "bytes"
	case parquet.Int96:
		c.spell = timestamp(1) // nanoseconds
	}
}

// setDecimal is for integers that count parts of a power of ten.
func (c *column) setDecimal(kind parquet.Kind, scale int) {
	if scale < 0 || scale > 400 {
		c.refused = fmt.Sprintf("decimals of %d places", scale)
		return
	}
	c.scale = scale
	switch kind {
	case parquet.Int32, parquet.Int64:
		c.spell = func(dst []byte, v int64) []byte { return appendDecimal(dst, big.NewInt(v), scale) }
	default:
		c.bytes = func(dst, text []byte) []byte {
			v := new(big.Int).SetBytes(text)
			if len(text) > 0 && text[0] >= 0x80 {
				v.Sub(v, new(big.Int).Lsh(big.NewInt(1), uint(8*len(text))))
			}
			return appendDecimal(dst, v, scale)
		}
	}
}

func appendDecimal(dst []byte, v *big.Int, scale int) []byte {
	digits := v.String()
	if v.Sign() < 0 {
		dst, digits = append(dst, '-'), digits[1:]
	}
	for len(digits) <= scale {
		digits = "0" + digits
	}
	dst = append(dst, digits[:len(digits)-scale]...)
	if scale > 0 {
		dst = append(append(dst, '.'), digits[len(digits)-scale:]...)
	}
	return dst
}

func appendUUID(dst, b []byte) []byte {
	if len(b) != 16 {
		return append(dst, b...)
	}
	return fmt.Appendf(dst, "%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// appendHalf spells a number of half precision.
func appendHalf(dst, b []byte) []byte {
	if len(b) != 2 {
		return append(dst, b...)
	}
	bits := uint16(b[0]) | uint16(b[1])<<8
	exponent, fraction := int(bits>>10&31), float64(bits&1023)
	v := math.Ldexp(fraction, -24)
	switch {
	case exponent == 31 && fraction != 0:
		return dst
	case exponent == 31:
		v = math.Inf(1)
	case exponent > 0:
		v = math.Ldexp(1024+fraction, exponent-25)
	}
	if bits>>15 != 0 {
		v = -v
	}
	return appendFloat(dst, v, 32)
}

// appendFloat spells a number as Python does: whole ones end in .0.
func appendFloat(dst []byte, v float64, bits int) []byte {
	if size := math.Abs(v); size != 0 && (size < 1e-4 || size >= 1e16) || math.IsInf(v, 0) {
		return strconv.AppendFloat(dst, v, 'e', -1, bits)
	}
	dst = strconv.AppendFloat(dst, v, 'f', -1, bits)
	if v == math.Trunc(v) {
		dst = append(dst, ".0"...)
	}
	return dst
}

func unitOf(u format.TimeUnit) int64 {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return 1e6
	case *format.MicroSeconds:
		return 1e3
	}
	return 1
}

func appendDate(dst []byte, days int64) []byte {
	return time.Unix(0, 0).UTC().AddDate(0, 0, int(days)).AppendFormat(dst, time.DateOnly)
}

// timestamp spells a time that counts so many nanoseconds since 1970.
func timestamp(unit int64) func([]byte, int64) []byte {
	per := int64(1e9) / unit
	return func(dst []byte, v int64) []byte {
		seconds := v / per
		if v%per < 0 {
			seconds--
		}
		return time.Unix(seconds, (v-seconds*per)*unit).UTC().AppendFormat(dst, "2006-01-02 15:04:05.999999999")
	}
}

// clock spells a time of day.
func clock(unit int64) func([]byte, int64) []byte {
	per := int64(1e9) / unit
	return func(dst []byte, v int64) []byte {
		return time.Unix(v/per, v%per*unit).UTC().AppendFormat(dst, "15:04:05.999999999")
	}
}

// A decoded is the values of a column in a row group.
type decoded struct {
	*column
	rows    int
	missing []bool // of each value; nil: none

	kind  encoding.Kind
	flags []bool
	whole []int64
	short []float32
	long  []float64
	text  [][]byte
	from  []int   // where each list of any length begins
	count []int   // of its items
	place []int32 // of each item of lists, among the values; -1: null
}

// fields are the values of one column of a table.
type fields struct {
	*decoded
	item, step int
}

// leaves are what is read of a column.
func (c *column) leaves() []*column {
	if c.parts != nil {
		return c.parts
	}
	return []*column{c}
}

// values returns the values of the columns of the table that a column makes, of what was read of its leaves.
func (c *column) values(leaves []*decoded) (all []table.Values) {
	switch {
	case c.parts != nil:
		return append(all, newVectors(c, leaves))
	case !c.list:
		return append(all, fields{leaves[0], 0, 1})
	}
	for item := range c.length {
		all = append(all, fields{leaves[0], item, c.length})
	}
	return all
}

// at returns where a value is, -1 if there is none.
func (f fields) at(row int) int {
	i := row*f.step + f.item
	if f.list {
		i = int(f.place[i])
	}
	if i >= 0 && f.missing != nil && f.missing[i] {
		return -1
	}
	return i
}

func (f fields) Missing(row int) bool {
	i := f.at(row)
	switch {
	case i < 0:
		return true
	case f.kind == encoding.Float:
		return f.short[i] != f.short[i]
	case f.kind == encoding.Double:
		return f.long[i] != f.long[i]
	}
	return false
}

func (f fields) Number(row int) (float64, bool) {
	i := f.at(row)
	if i < 0 {
		return 0, false
	}
	switch f.kind {
	case encoding.Float:
		return float64(f.short[i]), true
	case encoding.Double:
		return f.long[i], true
	case encoding.Int32, encoding.Int64:
		v := f.whole[i]
		return float64(v), f.spell == nil && v <= 1<<53 && v >= -1<<53
	}
	return 0, false
}

func (f fields) Append(dst []byte, row int) []byte {
	i := f.at(row)
	switch f.kind {
	case encoding.Boolean:
		return strconv.AppendBool(dst, f.flags[i])
	case encoding.Float:
		return appendFloat(dst, float64(f.short[i]), 32)
	case encoding.Double:
		return appendFloat(dst, f.long[i], 64)
	case encoding.ByteArray, encoding.FixedLenByteArray:
		if f.bytes != nil {
			return f.bytes(dst, f.text[i])
		}
		return append(dst, f.text[i]...)
	}
	if f.spell != nil {
		return f.spell(dst, f.whole[i])
	}
	return strconv.AppendInt(dst, f.whole[i], 10)
}
