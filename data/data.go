// Package data turns files, streams and generators into sets of rows, and
// sets of rows into files.
//
// [Read] is the door: it opens the sources (files, globs, standard input,
// "@generator" specs), undoes compression, finds the format by content and
// returns one [Set]. [ReadFrom] is the door for what is no file, and [Schema.Row] for
// single records. [Blocks] is the door for rows to be seen once, in memory
// that does not grow with them. One format lives in one file and registers
// itself; adding one touches that file and one row of the formats test.
// Generators likewise.
//
// The rooms are below internal/read: set has the types, scaling what measures and scales columns,
// generate the generators; table, array, fen and svmlight are the families of formats, over lines
// (text parsed in chunks) and stream (rows in blocks). This package imports them all, and they import
// each other only towards set.
//
// Input is hostile until proven otherwise: every error says where (file, line,
// column), what was found and what was expected; sizes are checked before
// anything is allocated. Training, scaling and what a target means are not
// decided here.
package data

import (
	_ "github.com/fenchel-ml/fenchel/internal/read/array" // the formats register themselves
	_ "github.com/fenchel-ml/fenchel/internal/read/fen"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/read/stream"
	_ "github.com/fenchel-ml/fenchel/internal/read/svmlight"
	_ "github.com/fenchel-ml/fenchel/internal/read/table"

	"github.com/fenchel-ml/fenchel/matrix"
)

// What package set says of rows, of how they are read and of formats.
type (
	Set       = set.Set
	Target    = set.Target
	Schema    = set.Schema
	Column    = set.Column
	Kind      = set.Kind
	Options   = set.Options
	Tally     = set.Tally
	Digesting = set.Digesting

	Format = set.Format
	Match  = set.Match
	Writer = set.Writer
	Input  = set.Input

	RowStream = stream.RowStream

	Scaling = scaling.Scaling
	Moments = scaling.Moments
)

// MaxLabels is the largest number of distinct numeric labels that may still be
// class names.
const MaxLabels = set.MaxLabels

// The kinds of columns.
const (
	KindPlain   = set.KindPlain
	KindComma   = set.KindComma
	KindBoolean = set.KindBoolean
	KindDate    = set.KindDate
	KindDMY     = set.KindDMY
	KindMDY     = set.KindMDY
	KindClock   = set.KindClock
	KindAmount  = set.KindAmount
	KindIgnored = set.KindIgnored
)

// From a veto to certainty.
const (
	NoMatch        = set.NoMatch
	MatchPossible  = set.MatchPossible
	MatchExtension = set.MatchExtension
	MatchContent   = set.MatchContent
	MatchMagic     = set.MatchMagic
)

// Times returns the numbers that order the fields of a column of times, numbers or dates however a
// table may have them; it refuses the first that is missing or unlike most others.
func Times(fields []string) ([]float64, error) { return set.Times(fields) }

// ScalingNames returns the names that NewScaling takes.
func ScalingNames() []string {
	return scaling.Names()
}

// NewScaling learns a scaling of that kind from s; nil for "none".
func NewScaling(kind string, s *Set) (*Scaling, error) {
	return scaling.New(kind, s)
}

// RestoreScaling makes the scaling of a model from its two vectors.
func RestoreScaling(kind string, offset, factor []float64) (*Scaling, error) {
	return scaling.Restore(kind, offset, factor)
}

// NewMoments returns the moments of the rows of x, on at most threads cores;
// 0: all.
func NewMoments(x matrix.Matrix, threads int) *Moments {
	return scaling.NewMoments(x, threads)
}

// MomentScalings returns the names that [Moments.Scaling] takes.
func MomentScalings() []string {
	return scaling.MomentScalings()
}

// Gapless refuses rows of which the features are numbered with such gaps that a number for
// each would not fit into memory.
func Gapless(x matrix.Matrix) error { return scaling.Gapless(x) }

// Disparity returns how many times as large as the smallest feature the largest one is, and
// which these are, by the largest magnitude of each in rows spread evenly over x. Features
// that are zero there do not count; 1 if there are no others.
func Disparity(x matrix.Matrix) (ratio float64, small, large int) {
	return scaling.Disparity(x)
}

// SameLabel reports whether two spellings mean the same label: as the same number, exactly.
func SameLabel(a, b string) bool { return set.SameLabel(a, b) }
