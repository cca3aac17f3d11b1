// Package method says what a method that finds principal components is, what it is given and
// what it returns: the [Problem], the interfaces [Batch] and [Streaming] with their laws, the
// [State] of a streaming method and how it is kept ([Kept]), the [Basis] that is found, and what
// can be said of bases and a second moment alone (Rayleigh and Ritz, suboptimality).
//
// A method registers itself by [Register], from the init of its own file in the room of its
// kind: pca/batch, pca/stream and the rooms below that. Rows are those of package view. How good
// a basis is, is proved by package certificate.
package method

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// A Problem says what is wanted, and what is known of the rows beforehand.
type Problem struct {
	Rows    int    // n; 0 where it is not known, as in a stream
	Cols    int    // d
	K       int    // components, 1 <= K <= d
	Seed    uint64 // of everything random
	Threads int    // at most so many cores, 0: all; never changes a result

	// Squared and Fourth are the means of |x|^2 and |x|^4, of all rows or of the
	// first of a stream. Step sizes are stated for rows of which they are 1.
	Squared, Fourth float64

	// Loss is the part of the best possible that may be missing, by the estimate of a
	// method that was given no tolerance of its own; 0: as that method has it. See
	// [Refining].
	Loss float64

	// Share, where not 0, is the part of Squared that is to be captured: K is a guess, and a method
	// may return more components where it knows how many.
	Share float64
}

// FirstLoss returns the loss that a method is first asked for where a gap is to be proved: the bound on what
// others capture is looser than a method's estimate of what it misses, on real data
// 50 times, and the goal of a later run follows from what the one before proved.
func FirstLoss(gap float64) float64 { return gap * 3e-4 }

// LeastLoss is a loss below which all is lost in rounding.
const LeastLoss = 1e-16

// NextLoss returns the loss of another run, after one proved a gap that is not the goal. The bound falls with the loss at least as fast
// as with its root.
func NextLoss(loss, goal, found float64) float64 {
	return max(loss*(goal/found)*(goal/found)/10, LeastLoss)
}

// Check returns why no method could solve the problem.
func (p Problem) Check() error {
	if most := p.most(); p.K < 1 || p.K > most {
		return fmt.Errorf("k = %d: expected 1 to %d, the smaller of the numbers of rows and features", p.K, most)
	}
	return nil
}

func (p Problem) most() int {
	if p.Rows > 0 {
		return min(p.Rows, p.Cols)
	}
	return p.Cols
}

// Unit returns what makes rows as long as 1 on average; 1 where their length is not known.
func (p Problem) Unit() float64 {
	if p.Squared >= 0x1p-1022 && !math.IsInf(p.Squared, 1) {
		return 1 / math.Sqrt(p.Squared)
	}
	return 1
}

// A Method is a way to find components: a [Batch] or a [Streaming] one.
type Method any

// Limited is a Method that cannot be used for some problems, and says why, nil if it can.
type Limited interface{ Accepts(Problem) error }

// Accepts returns why m cannot be used for a problem, nil if it can.
func Accepts(m Method, p Problem) error {
	if l, ok := m.(Limited); ok {
		if err := l.Accepts(p); err != nil {
			return err
		}
	}
	return p.Check()
}

// A Batch method reads all rows as often as it likes. Laws: the basis has the
// same bits for any Threads; when ctx ends, Solve soon returns ctx.Err() and the best basis so
// far: of any number of orthonormal rows, none where nothing was found yet. Its values need
// not be right.
type Batch interface {
	Solve(ctx context.Context, x view.Rows, p Problem) (Basis, error)
}

// A Refining method comes closer to the answer the smaller Problem.Loss is. Refines is
// false where a tolerance was given, or where the method computes as exactly as it can.
type Refining interface {
	Batch
	Refines(Problem) bool
}

// Restricted is a Method of components that satisfy a constraint, as sparse ones do, which the best need not: it
// has done what was asked when it has found them, whatever others capture.
type Restricted interface{ Restricted() }

// A Streaming method reads every row once and forgets it.
type Streaming interface{ Start(Problem) State }

// A State is a streaming method under way. Laws: which rows were learned and in
// which order is all that counts, or else the method says at which multiples of a
// number of rows blocks may end ([Blocked]); a state that was kept and restored
// goes on with the same bits.
type State interface {
	// Learn reads the rows in order. They are finite, and so are their squared
	// norms and the fourth powers of their norms.
	Learn(x view.Rows)
	// Basis returns the best guess so far: min(K, rank found) orthonormal rows.
	Basis() Basis
	// Keep visits everything that the state is made of.
	Keep(*Kept)
}

// Blocked is a State of which every Learn but the last must be given a multiple
// of BlockRows rows.
type Blocked interface{ BlockRows() int }

// Batched is a Blocked state to which the division of rows into batches matters, as each
// is centred at its own mean: it is given BlockRows rows at a time, and the last of them
// with what is left where that is fewer than LeastRows.
type Batched interface {
	Blocked
	LeastRows() int
}

// BlockOf returns how many rows to give a state at a time: about a thousand, which
// is enough for matrix products, and a multiple of what a [Blocked] one asks for, or
// exactly what a [Batched] one does.
func BlockOf(s State) int {
	const rows = 1024
	if b, ok := s.(Batched); ok {
		return b.BlockRows()
	}
	if b, ok := s.(Blocked); ok {
		return (rows + b.BlockRows() - 1) / b.BlockRows() * b.BlockRows()
	}
	return rows
}

// Stuck is a State that can tell whether it is likely to stay away from the
// answer: because all that is new is forgotten at once.
type Stuck interface{ Stuck() bool }

// Winner is a State that chose one method among several: its name and what, before it learned from
// them, it captured of rows on average.
type Winner interface {
	Won() (name string, captured float64)
}

// OwnScale is a State whose values are not means of squared products with all rows:
// they shrink, forget or grow.
type OwnScale interface{ OwnScale() }

var methods = registry.New[Method]("method")

// New makes the method that spec describes: a name, or "name:key=value,...".
func New(spec string) (Method, error) { return methods.New(spec) }

// Entries lists the methods by name.
func Entries() []registry.Entry[Method] { return methods.Entries() }

// Register adds a method; each method's file calls it from init.
func Register(name, summary string, make func(*registry.Params) (Method, error)) {
	methods.Register(registry.Entry[Method]{Name: name, Summary: summary, New: make})
}
