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
)

// What package set says of rows, of how they are read and of formats.
type (
	Set      = set.Set
	Target   = set.Target
	Schema   = set.Schema
	Column   = set.Column
	Options  = set.Options
	Spelling = set.Spelling
	Source   = set.Source
	Blocking = set.Blocking
	Tally    = set.Tally

	RowStream = stream.RowStream

	Scaling = scaling.Scaling
)
