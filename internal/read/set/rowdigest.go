package set

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/parallel"
)

// A RowDigest names what a row says: the SHA-256 of what [Set.Digest] hashes of it.
type RowDigest [sha256.Size]byte

// Buckets is how many parts rows are dealt to by their digests. It is part of what [SortedDigest] means: never change it.
const Buckets = 1024

// Bucket returns the part that a row belongs to, in the order of digests.
func (d RowDigest) Bucket() int { return int(binary.BigEndian.Uint16(d[:]) >> 6) }

// RowDigests returns that of each row.
func (s *Set) RowDigests(threads int) []RowDigest {
	digests := make([]RowDigest, s.Rows())
	parallel.Blocks(len(digests), 1024, threads, func(_, lo, hi int) {
		var w digestWriter
		for i := lo; i < hi; i++ {
			w.buf = w.buf[:0]
			w.row(s, i)
			digests[i] = sha256.Sum256(w.buf)
		}
	})
	return digests
}

// BucketDigest names the rows of a bucket in any order.
func BucketDigest(rows []RowDigest) RowDigest {
	sorted := slices.Clone(rows)
	slices.SortFunc(sorted, func(a, b RowDigest) int { return bytes.Compare(a[:], b[:]) })
	h := sha256.New()
	for _, d := range sorted {
		h.Write(d[:])
	}
	return RowDigest(h.Sum(nil))
}

// SortedDigest names n rows of d columns in any order, by the digests of all their buckets: "sha256-sorted:" and
// the SHA-256 of n, d and these.
func SortedDigest(n, d int, buckets []RowDigest) string {
	h := sha256.New()
	h.Write(binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(n)), uint64(d)))
	for _, b := range buckets {
		h.Write(b[:])
	}
	return SortedPrefix + hex.EncodeToString(h.Sum(nil))
}

// SortedPrefix begins the digests of rows in any order.
const SortedPrefix = "sha256-sorted:"

// InOrder returns the set in the order of the digests of its rows.
func (s *Set) InOrder(threads int) (*Set, error) {
	digests, order := s.RowDigests(threads), make([]int, s.Rows())
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return bytes.Compare(digests[i][:], digests[j][:]) })
	return s.Subset(order)
}

// DigestSorted names the rows of the set in any order.
func (s *Set) DigestSorted(threads int) string {
	of := make([][]RowDigest, Buckets)
	for _, d := range s.RowDigests(threads) {
		of[d.Bucket()] = append(of[d.Bucket()], d)
	}
	buckets := make([]RowDigest, Buckets)
	for b, rows := range of {
		buckets[b] = BucketDigest(rows)
	}
	n, d := s.X.Dims()
	return SortedDigest(n, d, buckets)
}
