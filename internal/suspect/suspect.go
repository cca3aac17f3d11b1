// Package suspect tells what of a table speaks against learning from it as it is: columns that give
// the target away, columns that say nothing, classes of one row, test rows that were learned from. A
// sample of rows tells, the same in every run. It refuses nothing.
package suspect

import (
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/pose"
)

const (
	suspectCells = 1 << 19 // of the sample, at most, and at least the least rows
	suspectRows  = 1 << 14
	leastRows    = 30    // by which a column may be suspected
	leastOthers  = 10    // rows that are not of the most frequent class
	given        = 0.999 // accuracy or R2 of a column that gives the target away
)

// Find returns the warnings about a table with its labels.
func Find(set *data.Set, y *pose.Labels) (said []error) {
	if !set.Schema.Table() || set.Rows() == 0 {
		return nil
	}
	if y.Classes != nil {
		said = y.Lonely()
	}
	rows := Sample(set.Rows(), min(suspectRows, max(suspectCells/(set.Cols()+1), 256)))
	columns := suspectsOf(set, rows)
	var leaks, same []string
	for _, c := range columns {
		switch {
		case c.constant() && c.constantIn(set):
			same = append(same, c.name)
		case len(rows) >= leastRows && len(columns) > 1 && c.tells(y, rows[:leastRows], 0.9) && c.tells(y, rows, given):
			leaks = append(leaks, c.name)
		}
	}
	if len(leaks) > 0 && len(leaks) < len(columns) {
		said = append(said, fmt.Errorf("%s nearly all of the target alone: unless known before it, train with 'ignore=%s'", listed(leaks, "tells", "tell"), strings.Join(leaks, ",")))
	}
	if len(same) > 0 {
		said = append(said, fmt.Errorf("%s one value in all rows, which tells nothing", listed(same, "has", "have")))
	}
	return said
}

// listed names columns with their verb.
func listed(names []string, one, many string) string {
	const most = 5
	list := make([]string, 0, most)
	for _, name := range names[:min(most, len(names))] {
		list = append(list, fmt.Sprintf("%q", name))
	}
	switch more := len(names) - most; {
	case len(names) == 1:
		return "column " + list[0] + " " + one
	case more > 0:
		return fmt.Sprintf("columns %s and %d more %s", strings.Join(list, ", "), more, many)
	}
	return "columns " + strings.Join(list, ", ") + " " + many
}

// Sample returns at most so many of n rows, in an order in which any first ones are spread.
func Sample(n, most int) []int {
	rows := make([]int, min(n, most))
	step := int(float64(len(rows))*0.6180339887) | 1
	for gcd(step, len(rows)) != 1 {
		step += 2
	}
	for k := range rows {
		rows[k] = int(int64(k*step%len(rows)) * int64(n) / int64(len(rows)))
	}
	return rows
}

func gcd(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// A suspect is a column of a table in the sample: numbers, or codes of categories.
type suspect struct {
	name         string
	first, width int // its features; width 0: one of numbers
	value        []float64
}

func suspectsOf(set *data.Set, rows []int) []suspect {
	s := set.Schema
	first, features := s.Places()
	first = append(first, features)
	var columns []suspect
	of := make([]int, features) // the column of each feature
	for i, c := range s.Columns {
		if first[i+1] == first[i] {
			continue
		}
		for k := first[i]; k < first[i+1]; k++ {
			if of[k] = len(columns); c.Text != nil || c.Size > 0 {
				of[k] = -1
			}
		}
		if c.Text != nil || c.Size > 0 { // of which no value tells all
			continue
		}
		columns = append(columns, suspect{c.Name, first[i], len(c.Category), make([]float64, len(rows))})
	}
	for k, i := range rows {
		row := set.X.Row(i)
		for at, v := range row.Value {
			feature := row.Column(at)
			if feature >= features || of[feature] < 0 {
				continue
			}
			if c := &columns[of[feature]]; c.width == 0 {
				c.value[k] = float64(v)
			} else if v != 0 {
				c.value[k] = float64(feature - c.first + 1)
			}
		}
	}
	return columns
}

func (c *suspect) constant() bool {
	return !slices.ContainsFunc(c.value, func(v float64) bool { return v != c.value[0] })
}

// constantIn reports whether all rows are as the sample.
func (c *suspect) constantIn(set *data.Set) bool {
	for i := range set.Rows() {
		row, v := set.X.Row(i), 0.0
		at := c.first
		if row.Index != nil {
			at = sort.Search(len(row.Index), func(k int) bool { return int(row.Index[k]) >= c.first })
		}
		for ; at < len(row.Value) && row.Column(at) < c.first+max(c.width, 1); at++ {
			if v = float64(row.Value[at]); c.width > 0 && v != 0 {
				v = float64(row.Column(at) - c.first + 1)
				break
			}
		}
		if v != c.value[0] {
			return false
		}
	}
	return true
}

// tells reports whether a column gives the target of the first rows of the sample with that
// accuracy or R2: by its categories, the order of its numbers or a line.
func (c suspect) tells(y *pose.Labels, rows []int, least float64) bool {
	n := len(rows)
	switch {
	case len(y.Class) == 0 && len(y.Number) == 0: // of one class
		return false
	case y.Classes == nil:
		return c.correlates(y.Number, rows, least) || slices.ContainsFunc(y.Further, func(other []float64) bool { return c.correlates(other, rows, least) })
	}
	order, class := make([]int, n), y.Class
	counts := make([]int, len(y.Classes))
	for k, i := range rows {
		order[k] = k
		counts[class[i]]++
	}
	if n > leastRows && n-slices.Max(counts) < leastOthers {
		return false
	}
	slices.SortFunc(order, func(a, b int) int {
		if c.value[a] != c.value[b] {
			return int(math.Copysign(1, c.value[a]-c.value[b]))
		}
		return int(class[rows[a]]) - int(class[rows[b]])
	})
	wrong, changes, before, seen := 0, 0, -1, 0
	for _, n := range counts {
		seen += min(n, 1)
	}
	for lo, hi := 0, 0; lo < n; lo = hi {
		clear(counts)
		for hi = lo; hi < n && c.value[order[hi]] == c.value[order[lo]]; hi++ {
			counts[class[rows[order[hi]]]]++
		}
		most := slices.Max(counts)
		if wrong += hi - lo - most; c.width > 0 && hi-lo == 1 {
			wrong++ // a category of one row tells nothing of others
		}
		if only := slices.Index(counts, most); only != before {
			changes, before = changes+1, only
		}
	}
	if c.width == 0 {
		wrong += max(0, changes-seen) / 2
	}
	return float64(wrong) <= (1-least)*float64(n)
}

// correlates is tells for numbers.
func (c suspect) correlates(y []float64, rows []int, least float64) bool {
	n := float64(len(rows))
	sums, count := map[float64]float64{}, map[float64]float64{}
	meanX, meanY := 0.0, 0.0
	for k, i := range rows {
		meanX, meanY = meanX+c.value[k]/n, meanY+y[i]/n
		sums[c.value[k]], count[c.value[k]] = sums[c.value[k]]+y[i], count[c.value[k]]+1
	}
	xx, xy, yy, within := 0.0, 0.0, 0.0, 0.0
	for k, i := range rows {
		x, v := c.value[k]-meanX, y[i]-meanY
		xx, xy, yy = xx+float64(x*x), xy+float64(x*v), yy+float64(v*v)
		if m := count[c.value[k]]; m > 1 {
			v = y[i] - sums[c.value[k]]/m
		}
		within += float64(v * v)
	}
	if yy == 0 || xx == 0 {
		return false
	}
	if c.width > 0 {
		return within <= (1-least)*yy
	}
	return float64(xy*xy) >= least*float64(xx*yy)
}

// Duplicates warns where many test rows, with their targets, are rows of the training data
// too, and more than these repeat each other; nil if that is not so.
func Duplicates(set, test *data.Set) error {
	seed := maphash.MakeSeed()
	learned, again := map[uint64]bool{}, 0
	for i := range set.Rows() {
		h := hashOf(seed, set, i)
		if learned[h] {
			again++
		}
		learned[h] = true
	}
	found := 0
	for i := range test.Rows() {
		if learned[hashOf(seed, test, i)] {
			found++
		}
	}
	share := float64(found) / float64(max(1, test.Rows()))
	if share <= 0.05 || share <= 2*float64(again)/float64(max(1, set.Rows())) {
		return nil
	}
	return fmt.Errorf("%d of %d test rows are rows of the training data too: their score says nothing of new rows", found, test.Rows())
}

// hashOf is the same for rows of the same features and target.
func hashOf(seed maphash.Seed, set *data.Set, i int) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	row := set.X.Row(i)
	for k, v := range row.Value {
		if v != 0 {
			maphash.WriteComparable(&h, row.Column(k))
			maphash.WriteComparable(&h, v)
		}
	}
	switch t := set.Target; {
	case t.Code != nil:
		h.WriteString(t.Label[t.Code[i]])
	case t.Number != nil:
		maphash.WriteComparable(&h, t.Number[i])
	}
	return h.Sum64()
}
