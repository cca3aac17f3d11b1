package set

import (
	"crypto/sha256"
	"encoding/hex"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/fenchel-ml/fenchel/internal/parallel"
)

// Digesting is a digest that is computed beside other work, on a core that this
// leaves idle for a while: training in a few milliseconds waits for its own workers
// a third of the time. The set must not change until Wait or Stop has returned.
type Digesting struct {
	known  string // it was stored
	set    *Set
	blocks [][sha256.Size]byte
	next   atomic.Int64 // block that nobody has begun
	hurry  atomic.Bool  // somebody waits, or nobody wants to know
	idle   sync.WaitGroup
}

func newDigesting(s *Set) *Digesting {
	return &Digesting{set: s, blocks: make([][sha256.Size]byte, (s.Rows()+digestRows-1)/digestRows)}
}

// alone is the number of values up to which one core computes the digest: waking another takes longer.
const alone = 1 << 14

// BeginDigest begins to compute what CachedDigest returns, unless only one core
// may be used or the values are few.
func (s *Set) BeginDigest(threads int) *Digesting {
	if s.isStored() {
		return &Digesting{known: s.stored.digest}
	}
	d := newDigesting(s)
	if rows, cols := s.X.Dims(); rows*cols > alone && parallel.Cores(threads) > 1 {
		d.idle.Go(func() {
			defer parallel.Guard()()
			d.work(d.giveWay)
		})
	}
	return d
}

// giveWay lets others have the core as long as nobody waits for the digest.
func (d *Digesting) giveWay() {
	if !d.hurry.Load() {
		runtime.Gosched()
	}
}

// work computes blocks until all are begun.
func (d *Digesting) work(pause func()) {
	n := d.set.Rows()
	for b := int(d.next.Add(1)) - 1; b < len(d.blocks); b = int(d.next.Add(1)) - 1 {
		lo := b * digestRows
		d.blocks[b] = d.set.digestBlock(lo, min(lo+digestRows, n), pause)
	}
}

// Wait has all cores compute what is left, and returns the digest.
func (d *Digesting) Wait() string {
	if d.known != "" {
		return d.known
	}
	d.hurry.Store(true)
	parallel.Blocks(min(parallel.Cores(0), len(d.blocks)), 1, 0, func(_, _, _ int) { d.work(nil) })
	d.idle.Wait()
	n, cols := d.set.X.Dims()
	return wholeDigest(n, cols, d.blocks)
}

// Stop returns when the set may change again. A digest that Wait has not
// returned is lost.
func (d *Digesting) Stop() {
	d.hurry.Store(true)
	d.next.Store(int64(len(d.blocks)))
	d.idle.Wait()
}

// StoreDigest notes the digest in the cache that the set is from.
func (s *Set) StoreDigest(sum []byte) {
	s.stored = &storedDigest{digest: "sha256:" + hex.EncodeToString(sum), of: *s}
}

// CachedDigest returns the Digest of the set without computing it, if the set
// came from a cache that holds it and was not changed since. It vouches for the
// rows as far as the cache's checksums do: enough to note which rows a model
// was trained on, not to prove that it was those.
func (s *Set) CachedDigest() string {
	return s.BeginDigest(1).Wait()
}

// isStored reports whether the set is what the cache's digest is of.
func (s *Set) isStored() bool { return s.stored != nil && sameRows(s, &s.stored.of) }

// sameRows reports whether two sets hold the same memory.
func sameRows(a, b *Set) bool {
	return a.X == b.X && SameSlice(a.Weight, b.Weight) && SameSlice(a.Target.Code, b.Target.Code) &&
		SameSlice(a.Target.Number, b.Target.Number) && SameSlice(a.Target.Label, b.Target.Label) && SameSlice(a.Target.Further, b.Target.Further)
}

// SameSlice reports whether two slices are the same memory.
func SameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}

// Digest names the parsed rows: "sha256:" and the SHA-256, in hexadecimal, of
// n, d and the SHA-256 of each block of 4096 rows. A block is hashed as its
// number of rows and, for each row, the number of its nonzeros, their columns
// (uint32), their values (float32), the target (a tag, then a float64, a
// text with its length, or the number of several targets and a float64 each) and the weight (float64; 1 if there is none); all
// integers little-endian. Of rows of double precision the number of nonzeros has its highest bit set, and values are
// float64. So it depends on what the rows say, not on how they
// were written down: text or binary, compressed or not, dense or sparse.
func (s *Set) Digest() string { return newDigesting(s).Wait() }
