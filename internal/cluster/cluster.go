// Package cluster trains linear models on rows that are in many places, the executors of a cluster, and proves them by the
// certificate of all rows.
//
// A [Place] has some of the rows. It answers requests; what it remembers between them is a [Memory], which is written
// beside its rows, so that a request may be repeated. A coordinator, [Train], asks all places the same, adds up the answers in the
// order of the places, and keeps what is as long as a row: no row leaves its place. How requests reach places is
// a [Cluster]: processes of one machine, or jobs of Spark, driven from Python.
//
// Methods: dual ascent with one merge a round (Ma et al. 2015; package internal/solve/dual), after a few rounds of which L-BFGS by sums of
// gradients goes on where the loss is smooth and the penalty l2; there, where columns are few, Newton's method by sums of Hessians instead. The number of places follows from the data, and sums go in order: the model does not depend on the machines.
package cluster

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// A Cluster asks all places the same, and returns their answers in the order of the places.
type Cluster interface {
	Ask(ctx context.Context, q *Request) ([]*Answer, error)
}

// A Request is what all places are asked. Round counts requests that change what places remember: one that has been
// answered is answered again without a change.
type Request struct {
	Verb   string         // describe, begin, round, units, shares, curve, duals; memory, resume
	Run    string         // a run of Train, which memories belong to
	Round  int            // that is asked for, or the last one
	Draft  *Draft         // begin
	Work   []Work         // of each output; those that are done have none
	Memory map[int][]byte // resume: of each place that is to go on
}

// A Draft is the problem: a model without weights, and numbers of all rows.
type Draft struct {
	Run       string
	Statement model.Statement
	Classes   []string
	N         []float64 // sum of the row weights, of each output
	Beta      []float64 // see dual.NewLocal, of each output; nil: Newton's method
	Group     []uint8   // of the columns; nil: rows are dense
}

// Work is what is asked of one output.
type Work struct {
	Skip   bool
	Round  dual.Round
	W      dual.Numbers // weights
	Slopes bool         // dual variables are the slopes of the losses at W
	Theta  float64      // share of the last round's moves that stays
	Units  int          // exponent of the quantum of dual variables
	Target []problem.Target
}

// An Answer is that of one place.
type Answer struct {
	Summary *Summary
	Output  []Output
	Memory  []byte
}

// Output is what a place has to say of one output.
type Output struct {
	Change          dual.Change
	Total, Largest  float64 // of s_i |a_i|
	Units           problem.Target
	Share           *problem.Share
	Curve           *Curve
	Zero, Conjugate float64 // objective at 0, and the sum of the conjugates there
	Duals           dual.Numbers
}

// A Summary is what a place says of its rows.
type Summary struct {
	Rows, Cols   int
	Nonzeros     int64
	Sparse       bool
	Labels       []string       // of classes; nil: targets are numbers
	Counts       []float64      // rows of each, by their weights
	Numbers      bool           // targets are numbers, or all labels are
	Weight       float64        // sum of the weights
	Users        dual.Numbers   // rows that use each column and the constant one
	Squares      dual.Numbers   // squared norms of the columns and the constant one
	SquaredNorms float64        // sum of the squared norms of the rows
	Buckets      map[int][]byte // digests of those of which the place has rows
}
