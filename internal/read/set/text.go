package set

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// AppendFloat32 appends the shortest text that reads back as the same bits.
func AppendFloat32(dst []byte, v float32) []byte {
	return strconv.AppendFloat(dst, float64(v), 'g', -1, 32)
}

// AppendLabel appends the target of row i, labels in their spelling.
func AppendLabel(dst []byte, t *Target, i int) []byte {
	if t.Code != nil {
		return append(dst, t.Label[t.Code[i]]...)
	}
	return strconv.AppendFloat(dst, t.Number[i], 'g', -1, 64)
}

// HasExtension reports whether name has one of the extensions, in any letter case.
func HasExtension(name string, extensions ...string) bool {
	return slices.Contains(extensions, strings.ToLower(filepath.Ext(name)))
}

// SpellNumber writes a number so that it reads back as the same bits, and
// whole numbers without an exponent.
func SpellNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}
