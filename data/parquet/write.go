package parquet

import (
	"encoding/binary"
	"errors"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/fenchel-ml/fenchel/internal/read/set"
)

var _ set.ResultWriter = reader{}

// groupRows is how many rows of results are in a row group: they are in memory until it is written.
const groupRows = 1 << 17

// Results writes texts and numbers in double precision, none of which are null.
func (reader) Results(w io.Writer, columns []set.Result) (io.WriteCloser, error) {
	root := ordered{parquet.Group{}, nil}
	for _, c := range columns {
		if root.Group[c.Name] != nil || c.Name == "" {
			return nil, errors.New("found two columns of one name, or one without a name, expected different names")
		}
		root.Group[c.Name] = parquet.Leaf(parquet.DoubleType)
		if c.Text {
			root.Group[c.Name] = parquet.String()
		}
		root.names = append(root.names, c.Name)
	}
	out := parquet.NewWriter(w, parquet.NewSchema("predictions", root), parquet.Compression(&parquet.Snappy), parquet.MaxRowsPerRowGroup(groupRows))
	return &results{Writer: out, columns: columns}, nil
}

// ordered is a group of columns in an order: that of the library is by name.
type ordered struct {
	parquet.Group
	names []string
}

func (o ordered) Fields() []parquet.Field {
	fields := o.Group.Fields()
	slices.SortFunc(fields, func(a, b parquet.Field) int {
		return slices.Index(o.names, a.Name()) - slices.Index(o.names, b.Name())
	})
	return fields
}

// results takes rows.
type results struct {
	*parquet.Writer
	columns []set.Result
	rows    []parquet.Row
}

func (r *results) Write(block []byte) (n int, err error) {
	n, r.rows = len(block), r.rows[:0]
	for len(block) > 0 {
		row := make(parquet.Row, len(r.columns))
		for k, c := range r.columns {
			if c.Text {
				size := 4 + binary.LittleEndian.Uint32(block)
				row[k] = parquet.ByteArrayValue(block[4:size]).Level(0, 0, k)
				block = block[size:]
			} else {
				row[k] = parquet.DoubleValue(math.Float64frombits(binary.LittleEndian.Uint64(block))).Level(0, 0, k)
				block = block[8:]
			}
		}
		r.rows = append(r.rows, row)
	}
	_, err = r.WriteRows(r.rows)
	return n, err
}
