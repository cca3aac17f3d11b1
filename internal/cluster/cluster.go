// Package cluster trains linear models on rows that are in partitions on many machines, finds their principal components, and proves both by the
// certificate of all rows.
//
// A [Partition] has some of the rows. It answers requests, and keeps its state between them (dual variables, weights, the last
// answer) in a file, so that a request may be repeated. A coordinator, [Train], sends one request to all partitions, and adds up the
// answers in the order of the partitions. It keeps vectors of one number per feature; no row leaves its partition. How requests reach partitions is
// a [Cluster]: processes of one machine, or jobs of Spark, driven from Python.
//
// Methods: dual ascent with one merge a round (Ma et al. 2015; package internal/solve/dual), after a few rounds of which L-BFGS by sums of
// gradients goes on where the loss is smooth; there, where columns are few, Newton's method by sums of Hessians instead. With an elastic net both
// step to the optimum of a quadratic model with |w|_1, found by coordinates. The number of partitions follows from the data, and sums go in order: the
// model does not depend on the machines.
package cluster

import (
	"context"

	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/solve/dual"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
)

// A Cluster sends one request to all partitions, and returns their answers in the order of the partitions.
type Cluster interface {
	Ask(ctx context.Context, q *Request) ([]*Answer, error)
}

// A Request is sent to all partitions. Round counts the requests that change their state: a partition that receives a round
// twice sends its last answer again, and changes nothing.
type Request struct {
	Verb   string         // describe, scores; begin, round, units, shares, curve, duals; memory, resume; and the [lookups]
	Run    string         // a run of Train, which memories belong to
	Round  int            // that is asked for, or the last one
	Draft  *Draft         // begin
	Work   []Work         // of each output; those that are done have none
	Memory map[int][]byte // resume: of each partition that is to go on
	View   *View          // of the lookups; describe: how columns are scaled
	Model  []byte         // scores: the file
}

// A View is rows as [view.Rows] has them, and M vectors to multiply them with.
type View struct {
	Offset, Factor []float64
	Q              []float64
	M              int
}

// A Draft is the problem: a model without weights, and numbers of all rows.
type Draft struct {
	Run       string
	Statement model.Statement
	Classes   []string
	N         []float64 // sum of the row weights, of each output
	Beta      []float64 // see dual.NewLocal, of each output; nil: Newton's method
	Group     []uint8   // of the columns; nil: rows are dense

	Scale          string // kind of the scaling of the columns; "": none
	Offset, Factor []float64
}

// outputs returns how many problems a draft states: one of two classes or numbers, else one for each class.
func (d *Draft) outputs() int {
	if len(d.Classes) > 2 {
		return len(d.Classes)
	}
	return 1
}

// Work is what is asked of one output.
type Work struct {
	Skip   bool
	Round  dual.Round
	W      []float64   // weights
	Slopes bool        // dual variables are the slopes of the losses at W,
	Duals  [][]float64 // or these, of each partition
	Theta  float64     // share of the last round's moves that stays
	Units  int         // exponent of the quantum of dual variables
	Target []problem.Target
}

// An Answer is that of one partition.
type Answer struct {
	Summary *Summary
	Output  []Output
	Memory  []byte
	Moments *scaling.Moments
	Columns *scaling.Columns
	Sum     []float64 // of the lookups
	Scored  *Scored
}

// Scored are rows as a model sees them: their scores, one for each output, targets and weights.
type Scored struct {
	Scores []float64
	Label  []string
	Code   []uint32
	Number []float64
	Weight []float64
}

// Output is what a partition has to say of one output.
type Output struct {
	Change          dual.Change
	Total, Largest  float64 // of s_i |a_i|
	Units           problem.Target
	Share           *problem.Share
	Curve           *Curve
	Zero, Conjugate float64 // objective at 0, and the sum of the conjugates there
	Duals           []float64
}

// A Curve is the average loss near some weights: its value, gradient and, for Newton's method, the Hessian, of which the lower triangle
// counts, by rows; with a bias a last column.
type Curve struct {
	Loss, Bend        float64 // and the curvature along the constant column
	Gradient, Hessian []float64
}

// A Summary is what a partition says of its rows.
type Summary struct {
	Rows, Cols   int
	Nonzeros     int64 // values that are stored,
	Present      int64 // and those that are not 0
	Sparse       bool
	Labels       []string       // of classes; nil: targets are numbers
	Counts       []float64      // rows of each, by their weights
	Numbers      bool           // targets are numbers, or all labels are
	Weight       float64        // sum of the weights
	Users        []float64      // rows that use each column and the constant one
	Squares      []float64      // squared norms of the columns and the constant one
	SquaredNorms float64        // sum of the squared norms of the rows
	Buckets      map[int][]byte // digests of those of which the partition has rows
}
