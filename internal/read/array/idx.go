package array

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"path/filepath"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

func init() {
	set.Register("idx", "IDX tensors of MNIST: images, and labels in a file beside them", idx{})
}

// idx is the format of the MNIST files: two zero bytes, a byte for the type,
// a byte for the number of dimensions, each dimension in four bytes, and then
// the numbers, all big-endian. The first dimension counts the rows, the others
// are flattened into columns.
//
// Unsigned bytes are read as fractions of 255, so that pixels are in [0, 1]:
// practically everyone who uses MNIST divides so, and raw bytes give squared
// norms of 10^7, for which no usual lambda or gamma fits. It is part of
// reading: digests and certificates are about the fractions. Other types are
// taken as they are, and so are labels.
//
// Labels are in the file that the options name, or in one beside the images
// whose name has "labels" for "images" and "idx1" for "idx3", compressed or
// not. Without such a file there is no target.
type idx struct{}

var _ set.Format = idx{}

// idxKinds maps the type byte to a kind and size of element.
var idxKinds = map[byte]struct {
	kind byte
	size int
}{8: {'u', 1}, 9: {'i', 1}, 0xb: {'i', 2}, 0xc: {'i', 4}, 0xd: {'f', 4}, 0xe: {'f', 8}}

// isIDX tells by the first four bytes; nobody has more than eight dimensions.
func isIDX(head []byte) bool {
	if len(head) < 4 || head[0] != 0 || head[1] != 0 {
		return false
	}
	_, ok := idxKinds[head[2]]
	return ok && 1 <= head[3] && head[3] <= 8
}

func (idx) Takes() []string { return []string{"weights", "labels"} }

func (idx) Detect(name string, head []byte) set.Match {
	if isIDX(head) {
		return set.MatchMagic
	}
	return set.NoMatch
}

func (idx) Read(ctx context.Context, in []*file.Input, opt *set.Options) (*set.Set, error) {
	all := &arrayRows{opt: opt}
	for _, i := range in {
		if err := all.readIDX(ctx, i); err != nil {
			return nil, err
		}
	}
	return all.set(ctx)
}

func (a *arrayRows) readIDX(ctx context.Context, in *file.Input) error {
	e, dims, cols, err := idxTable(in)
	if err != nil {
		return err
	}
	if err := a.begin(in.Name, dims[0], cols); err != nil {
		return err
	}
	from, err := openArray(ctx, in, int64(4+4*len(dims)), dims[0]*cols*int64(e.Size))
	if err != nil {
		return err
	}
	if err := a.add(ctx, newArrayPart(in.Name, from, e, e.scale(), dims[0], cols, -1, false)); err != nil {
		return err
	}
	if a.opt.Labels != "" {
		return nil
	}
	path := labelsBeside(a.opt.System().Path(in), a.opt)
	if path == "" {
		return a.Take(in.Name, nil)
	}
	target, err := ReadLabels(ctx, path, a.opt, dims[0])
	if err != nil {
		return err
	}
	return a.Take(in.Name, &target)
}

// idxTable reads the header of rows: their number and what is in each.
func idxTable(in *file.Input) (e Element, dims []int64, cols int64, err error) {
	if e, dims, err = idxHeader(in); err != nil {
		return e, nil, 0, err
	}
	if len(dims) == 1 {
		return e, nil, 0, fault.In(in.Name, "found 1 dimension, as in a file of labels, expected at least 2: rows and columns")
	}
	cols, ok := memory.Product(1, dims[1:])
	if !ok {
		return e, nil, 0, fault.In(in.Name, "found dimensions %v, expected fewer than 2^63 values", dims)
	}
	return e, dims, cols, nil
}

// scale is what the numbers are divided by.
func (e Element) scale() float64 {
	if e.Name == "u1" {
		return 255
	}
	return 1
}

// idxHeader reads the type and the dimensions.
func idxHeader(in *file.Input) (e Element, dims []int64, err error) {
	head, err := in.Reader().Peek(4)
	if err != nil && err != io.EOF {
		return e, nil, err
	}
	if !isIDX(head) {
		return e, nil, fault.In(in.Name, "found %q, expected two zero bytes, a type and 1 to 8 dimensions", head)
	}
	kind, count := idxKinds[head[2]], int(head[3])
	e, _ = ElementOf(kind.kind, kind.size, binary.BigEndian)
	raw := make([]byte, 4+4*count)
	if n, err := io.ReadFull(in.Reader(), raw); err == io.EOF || err == io.ErrUnexpectedEOF {
		return e, nil, fault.In(in.Name, "found %d bytes, expected a header of %d", n, len(raw))
	} else if err != nil {
		return e, nil, err
	}
	for raw = raw[4:]; len(raw) > 0; raw = raw[4:] {
		dims = append(dims, int64(binary.BigEndian.Uint32(raw)))
	}
	if _, ok := memory.Product(e.Size, dims); !ok {
		return e, nil, fault.In(in.Name, "found dimensions %v, expected fewer than 2^63 bytes", dims)
	}
	return e, dims, nil
}

// labelsBeside returns the path of the labels that belong to a file of images,
// "" if there is none. The compression of the images is tried first.
func labelsBeside(path string, opt *set.Options) string {
	folder, base := filepath.Split(path)
	plain := file.PlainName(base)
	label := strings.NewReplacer("images", "labels", "idx2", "idx1", "idx3", "idx1", "idx4", "idx1").Replace(plain)
	if !strings.Contains(plain, "images") {
		return ""
	}
	extensions := []string{base[len(plain):], ""}
	for _, c := range file.Compressions {
		extensions = append(extensions, c.Extension)
	}
	for _, ext := range extensions {
		found := folder + label + ext
		if info, err := opt.System().Stat(found); err == nil && info.Mode().IsRegular() {
			return found
		}
	}
	return ""
}

// ReadLabels reads a file with one target a row: IDX or NPY of one dimension,
// or text with one label a line.
func ReadLabels(ctx context.Context, path string, opt *set.Options, rows int64) (set.Target, error) {
	// Only a regular file can be looked at and then opened again as text.
	if info, err := opt.System().Stat(path); path == "-" || err == nil && !info.Mode().IsRegular() {
		return set.ReadTarget(ctx, path, opt, int(rows))
	}
	in, err := opt.System().Open(ctx, path)
	if err != nil {
		return set.Target{}, err
	}
	defer in.Close()
	head, err := in.Head()
	if err != nil {
		return set.Target{}, err
	}
	var target set.Target
	switch {
	case isIDX(head):
		target, err = idxLabels(ctx, in)
	case bytes.HasPrefix(head, []byte(npyMagic)):
		target, err = npyLabels(ctx, in.Name, in.Reader())
	default:
		return set.ReadTarget(ctx, path, opt, int(rows))
	}
	if err == nil && int64(target.Rows()) != rows {
		err = fault.In(in.Name, "found %d rows, expected %d, one for each row of the data", target.Rows(), rows)
	}
	return target, err
}

func idxLabels(ctx context.Context, in *file.Input) (set.Target, error) {
	e, dims, err := idxHeader(in)
	if err != nil {
		return set.Target{}, err
	}
	if len(dims) != 1 {
		return set.Target{}, fault.In(in.Name, "found %d dimensions, expected 1: one label a row", len(dims))
	}
	values, err := readTargets(ctx, in.Reader(), in.Name, e, dims[0])
	if err == nil {
		err = noMore(in.Reader(), in.Name)
	}
	if err != nil {
		return set.Target{}, err
	}
	return set.NumberTarget(values), nil
}

// readTargets reads numbers that are targets.
func readTargets(ctx context.Context, r io.Reader, name string, e Element, count int64) ([]float64, error) {
	var values []float64
	err := eachNumber(ctx, r, name, e, count, func(k int64, v float64) error {
		values = append(values, v)
		return checkTarget(v, e, name, k)
	})
	return values, err
}
