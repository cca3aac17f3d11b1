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

// These types are of the packages below internal/read, whose readers make them: "go doc -all" of
// github.com/fenchel-ml/fenchel/internal/read/set has every field with its meaning.
type (
	// Set is n rows of d numbers and what belongs to each row: X (a matrix.Matrix), Target, Weight (n numbers, nil: all 1), Feature (d names), Schema
	// (of a table: how columns became features), ID, Kept, Gaps (missing numbers) and Warnings (doubts that did not stop the reading). Methods: Rows, Cols, Check, Digest,
	// Subset, Close.
	Set = set.Set
	// Target is what is predicted: Label and Code of classes (Label[Code[i]] is that of row i), Number of numbers, Names and Further of several targets.
	// Both Code and Number are set where labels are numbers of which there are few.
	Target = set.Target
	// Schema says how the columns of a table became features: Columns, Target and Weight (indices, -1: none). Schema.Row makes a row of a
	// map from names of columns to values, as a web service has it; Features names all of them.
	Schema = set.Schema
	// Column is one column of a table: Name, Category (nil: numbers), Fill (for a missing number), Offset, Factor, Kind, Text, Unit.
	Column = set.Column
	// Options says how to read: Format ("": found), Target, Weights, Ignore, Categorical, Numeric, ID, Labels, Schema (of a model, to make the same features), Columns,
	// Threads, and those of Spelling, Source and Blocking, which it embeds.
	Options = set.Options
	// Spelling says how fields of a table are written: Missing, Dates ("dmy", "mdy"), Separator, Keep, Terms (of texts).
	Spelling = set.Spelling
	// Source says where sources are: Stdin for the source "-", FS for files that are not the system's, Tally.
	Source = set.Source
	// Blocking says how many rows or bytes a step of a stream takes: InOrder, BlockRows, Bits, Chunk.
	Blocking = set.Blocking
	// Tally counts the bytes that were read, for others to watch.
	Tally = set.Tally

	// RowStream gives rows in blocks to methods that see each row once (Next, All, Close), of standard input and of files larger than memory.
	RowStream = stream.RowStream

	// Scaling brings features to comparable sizes, x to (x - Offset[j]) Factor[j]; Kind is "max" or "std".
	Scaling = scaling.Scaling
)
