package dual

import (
	"github.com/fenchel-ml/fenchel/internal/solve/parts"
	"github.com/fenchel-ml/fenchel/loss"
	"github.com/fenchel-ml/fenchel/penalty"
	"github.com/fenchel-ml/fenchel/problem"
)

// sdca is one run of [SDCA].
type sdca struct {
	p       *problem.Linear
	penalty penalty.Separable
	seed    uint64
	factor  float64 // 1/(lambda N)
	block   int     // rows of a block
	group   int     // rows of a group of blocks, see blockSize
	beta    float64 // squared weight of the constant column
	mu      float64 // strong convexity
	goal    float64 // relative gap that is asked for

	last       [1]uint32 // the column of the bias
	step       loss.Step
	exact      bool // its rises
	clock      *Clock
	over       parts.Limit
	rowGap     float64   // mean part of a row in the gap, as met in the last epoch
	spare      float64   // below this a row's part is not worth a step
	gather     []float64 // scratch of predict
	lastPrimal float64   // of the last point; NaN: not known
	asked      bool      // for a point
	prediction []float64 // scratch of Point
	escape

	iterate    // dual and primal
	visits     // which rows, in which order
	partitions // of rows, at work at the same time
}

// iterate is the point: dual variables and the vectors that follow from them.
type iterate struct {
	a         []float64 // n
	u, w      []float64 // d+1, the bias last; w is u itself for l2
	sum       float64   // sum_i s_i a_i
	conjugate float64   // sum_i s_i l*(a_i)
}

// visits says which rows an epoch visits, in which order, and which ones sleep (shrinking).
type visits struct {
	epoch      uint32
	calmVisits uint8    // after which a row sleeps
	calm       []uint8  // n: consecutive visits that left a_i as it was
	wake       []uint32 // n: epoch of the next visit
	active     []uint32 // rows of this epoch
	groups     []uint32 // where groups begin in active, shuffled
	order      []uint32 // where the blocks of a few groups begin, shuffled
	rows       []uint32 // active in the order of the visits
}

// partitions holds what parts of the rows change at the same time, and how their changes are merged.
type partitions struct {
	part    []partition
	sigma   float64       // how much partitions hold back, see adapt
	columns *columnSigmas // the same by column; nil: alike in all
	stale   bool          // the copies of u in part are not u
	change  []float64     // d+1: of u in a round
}

// escape decides what SDCA does where its epochs are slow, for losses with corners: solve for
// the free rows at once (face.go), and where that does not help the method of multipliers
// (proximal.go). It keeps the best weights that these find: their primal may be far below that of
// the weights that belong to the dual variables.
//
// Epochs between two faces find the rows of the next. Without any, one of nearly equal rows
// is put back alone, and the residual is many times as large.
//
// Neither can go (hinge, C = 100, one thread): without faces, one-hot rows of 32,000 columns take up
// to 3.1 times the processor's time and documents at gap 1e-7 more than 4.8 times, without proximal
// generated documents 2.3 times and more. Where there are at most hessian.MostColumns columns
// newton is 3.6 times as fast as both on average.
type escape struct {
	face     *face       // being solved; nil: none
	proximal *proximal   // at work instead of epochs; nil: epochs
	wait     int         // epochs between two faces, 0: not yet worth it
	pause    int         // epochs until the next
	mark     float64     // rowGap at the end of the last window
	slow     uint32      // epoch at the end of the last window since epochs are slow; 0: they are not
	respite  float64     // epochs until proximal may take over
	best     []float64   // the best weights that a face led to, or proximal found; nil: none yet
	primal   float64     // there
	better   bool        // the estimate is of these
	used     [][]float64 // by earlier faces: vectors as long as u
}

const (
	faceWindow = 8 // epochs after which SDCA is asked how fast it is
	faceWait   = 4 // epochs between two

	faceTrial     = 3 // windows in which faces are tried
	faceTrialLeft = 0.125
)

// vector returns one as long as u, with whatever an earlier face left in it: new ones
// for every face cost a tenth of the time.
func (s *sdca) vector() []float64 {
	if last := len(s.used) - 1; last >= 0 {
		v := s.used[last]
		s.used = s.used[:last]
		return v
	}
	return make([]float64, len(s.u))
}

// separate reports whether the weights are another vector than u.
func (s *sdca) separate() bool { return &s.w[0] != &s.u[0] }

// bias returns b, which the penalty sees only when it is a feature.
func (s *sdca) bias() float64 {
	b := s.u[len(s.u)-1:]
	if s.p.Bias == problem.Feature {
		var w [1]float64
		s.penalty.WeightsAt(w[:], b, s.last[:])
		return w[0]
	}
	return b[0]
}

// inside reports whether a is no end of its domain.
func (s *sdca) inside(y, a float64) bool {
	lo, hi := s.p.Loss.Domain(y)
	return a > lo && a < hi
}
