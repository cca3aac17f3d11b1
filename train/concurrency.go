package train

import (
	"cmp"

	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/solver"
)

// roomForRuns is how many bytes the runs that take turns may need in all, by what is known
// beforehand.
const roomForRuns = 2 << 30

// runsAtOnce returns how many outputs may be trained in turns: as many as there is room for. With a
// kernel, rows that one run keeps must not drive out those of another, or each turn would begin
// with computing them again: where they do not all fit into the cache, outputs are trained
// one after another.
func (j *job) runsAtOnce() int {
	if j.pairsAtOnce > 0 {
		return j.workers()
	}
	outputs := int64(j.labels.outputs())
	n, stored := int64(j.set.Rows()), matrix.Nonzeros(j.set.X)
	if j.labels.pairs { // the classes of a pair have about so many
		n, stored = 2*n/int64(len(j.labels.classes)), 2*stored/int64(len(j.labels.classes))
	}
	const vectors = 8 // of a run, and of its best point, in double precision
	each, room, traits := vectors*8*n, int64(roomForRuns), solver.TraitsOf(j.solver)
	if traits.Memory != nil {
		each += traits.Memory(int(n))
	}
	switch shared := traits.Shared; {
	case shared == nil:
	case j.labels.pairs: // which have rows of their own
		each += shared(int(n))
	default:
		room -= shared(int(n))
	}
	if !j.spec.IsMachine() {
		if each += vectors * 8 * int64(j.set.Cols()); j.labels.pairs {
			each += 8 * stored // a copy of the rows
		}
		return int(max(1, room/each))
	}
	matrices, bytes := int64(1), int64(8)
	if f, ok := j.problems.family.(machineFamily); ok && f.gram.Single() {
		bytes = 4
	}
	if j.labels.pairs {
		matrices, bytes = outputs, 8
	}
	if bytes*n*n*matrices > cmp.Or(j.spec.Cache, kernel.DefaultCache) {
		return 1
	}
	return int(max(1, room/each))
}
