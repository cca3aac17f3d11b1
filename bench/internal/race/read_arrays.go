package race

import (
	"archive/zip"
	"bufio"
	"compress/flate"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/data"
)

// The race of reading binary arrays and tables of numbers, of the shape of MNIST, against
// what reads them in Python.

// arraysName is what its rows are called among the sets.
const arraysName = "arrays"

// An arrayFile is a file of the race. Labels say that its targets are in another file.
type arrayFile struct {
	kind, file string
	labels     bool
	write      func(a *arrayMaker, w io.Writer) error
}

var arrayFiles = []arrayFile{
	{"npy float32", "f4.npy", true, func(a *arrayMaker, w io.Writer) error { return a.npy(w, "<f4", 1) }},
	{"npy float32, target", "f4target.npy", false, func(a *arrayMaker, w io.Writer) error { return a.npy(w, "<f4", 1) }},
	{"npy float64", "f8.npy", true, func(a *arrayMaker, w io.Writer) error { return a.npy(w, "<f8", 1) }},
	{"npz", "f4.npz", false, func(a *arrayMaker, w io.Writer) error { return a.npz(w, zip.Store, 1) }},
	{"npz deflated", "deflated.npz", false, func(a *arrayMaker, w io.Writer) error { return a.npz(w, zip.Deflate, 0.2) }},
	{"idx", "images-idx3-ubyte", true, (*arrayMaker).idx},
	{"csv", "numbers.csv", false, (*arrayMaker).csv},
}

// An arrayMaker writes random rows, the same each time.
type arrayMaker struct {
	rows, cols int
	r          *rand.Rand
}

// value is a number of which such a share is not zero.
func (a *arrayMaker) value(nonzero float64) float64 {
	if nonzero < 1 && a.r.Float64() >= nonzero {
		return 0
	}
	return a.r.NormFloat64()
}

func (a *arrayMaker) npy(w io.Writer, descr string, nonzero float64) error {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }", descr, a.rows, a.cols)
	head := append([]byte("\x93NUMPY\x01\x00"), 0, 0)
	for (len(head)+len(text)+1)%64 != 0 {
		text += " "
	}
	binary.LittleEndian.PutUint16(head[8:], uint16(len(text)+1))
	b := append(append(head, text...), '\n')
	for range a.rows {
		for range a.cols {
			if v := a.value(nonzero); descr == "<f4" {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(float32(v)))
			} else {
				b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
			}
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	return nil
}

func (a *arrayMaker) npz(w io.Writer, method uint16, nonzero float64) error {
	z := zip.NewWriter(w)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) { return flate.NewWriter(w, flate.BestSpeed) })
	x, err := z.CreateHeader(&zip.FileHeader{Name: "X.npy", Method: method})
	if err == nil {
		err = a.npy(x, "<f4", nonzero)
	}
	if err != nil {
		return err
	}
	return z.Close()
}

func (a *arrayMaker) idx(w io.Writer) error {
	b := []byte{0, 0, 8, 3}
	for _, d := range []int{a.rows, 1, a.cols} {
		b = binary.BigEndian.AppendUint32(b, uint32(d))
	}
	for range a.rows {
		for range a.cols {
			b = append(b, byte(a.r.Uint32()))
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	return nil
}

// csv has a quarter of the rows.
func (a *arrayMaker) csv(w io.Writer) error {
	var b []byte
	for j := range a.cols {
		b = append(b, fmt.Sprintf("f%d,", j)...)
	}
	b = append(b, "y\n"...)
	for i := range a.rows / 4 {
		for range a.cols {
			b = append(strconv.AppendFloat(b, a.value(1), 'f', 5, 64), ',')
		}
		b = append(b, byte('0'+i%10), '\n')
		if _, err := w.Write(b); err != nil {
			return err
		}
		b = b[:0]
	}
	return nil
}

// readArrays races all files.
func (l *lab) readArrays(ctx context.Context) error {
	const cols = 784
	rows := 60000
	if l.opt.quick {
		rows = 6000
	}
	dir := filepath.Join(l.opt.Work, "arrays")
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	for k, f := range arrayFiles {
		l.progress("read %s of %d x %d", f.kind, rows, cols)
		path := filepath.Join(dir, f.file)
		maker := &arrayMaker{rows: rows, cols: cols, r: rand.New(rand.NewPCG(1, uint64(k)))}
		if err := writeWith(path, func(w io.Writer) error { return f.write(maker, w) }); err != nil {
			return err
		}
		opt := data.Options{Unlabelled: f.labels}
		err := l.readArray(ctx, measure.Measurement{Race: "read", Kind: f.kind, Set: arraysName, Size: measure.Size{Rows: int64(rows), Columns: cols}}, path, opt)
		if err != nil {
			return err
		}
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	return nil
}

func writeWith(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// readArray has all contenders read one file, by turns.
func (l *lab) readArray(ctx context.Context, m measure.Measurement, path string, opt data.Options) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	m.Bytes = info.Size()
	rivals, stop := l.readRivals(ctx, m.Kind)
	defer stop()
	for m.Repeat = 1; m.Repeat <= l.opt.repeats; m.Repeat++ {
		for _, m.Threads = range slices.Compact([]int{1, l.opt.Threads}) {
			runtime.GC()
			opt.Threads = m.Threads
			begin := time.Now()
			s, err := data.Read(ctx, []string{path}, opt)
			if err != nil {
				return err
			}
			m.Contender, m.Seconds = measure.OwnName, time.Since(begin).Seconds()
			l.log.Add(m)
			if err := s.Close(); err != nil {
				return err
			}
		}
		for _, r := range rivals {
			for _, way := range r.ways {
				m.Contender = r.name + " " + way
				if m.Seconds, err = peer.ReadBy(ctx, r.worker, r.name, way, path); err != nil {
					l.note("%s did not read %s: %v", m.Contender, m.Kind, err)
					continue
				}
				l.log.Add(m)
			}
		}
	}
	return nil
}

// A readRival is a program that runs and its ways to read a file.
type readRival struct {
	name   string
	worker *peer.Worker
	ways   []string
}

// readRivals starts those that can read a kind of file.
func (l *lab) readRivals(ctx context.Context, kind string) (all []readRival, stop func()) {
	for _, p := range l.readers {
		ways := p.Ways(kind)
		if len(ways) == 0 {
			continue
		}
		w, err := p.Open(ctx, &l.opt.Config)
		if err != nil {
			l.note("%s did not read %s: %v", p.Name(), kind, err)
			continue
		}
		all = append(all, readRival{p.Name(), w, ways})
	}
	return all, func() {
		for _, r := range all {
			r.worker.Close()
		}
	}
}
