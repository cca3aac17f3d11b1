package tune

import (
	"context"
	"sync"

	"github.com/fenchel-ml/fenchel/internal/parallel"
)

// A task is one problem to be solved. It can begin when others, with lower numbers, are done.
type task struct {
	after []int
	do    func()
}

// work does all tasks on so many goroutines: of those that can begin the first, whichever cores
// there are. Once ctx has ended no other is begun. What a task computes depends on those it comes
// after alone.
func work(ctx context.Context, workers int, tasks []task) {
	s := &schedule{tasks: tasks, begun: make([]bool, len(tasks)), done: make([]bool, len(tasks))}
	s.change.L = &s.mutex
	var all sync.WaitGroup
	for range min(workers, len(tasks)) {
		all.Go(func() {
			defer parallel.Guard()()
			for t := s.next(ctx); t >= 0; t = s.next(ctx) {
				s.tasks[t].do()
				s.end(t)
			}
		})
	}
	all.Wait()
}

type schedule struct {
	tasks       []task
	mutex       sync.Mutex
	change      sync.Cond
	begun, done []bool
	first       int // none before it is left to be begun
}

// next returns the task to do now; -1: none is left.
func (s *schedule) next(ctx context.Context) int {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for ctx.Err() == nil {
		for s.first < len(s.tasks) && s.begun[s.first] {
			s.first++
		}
		if s.first == len(s.tasks) {
			break
		}
		for t := s.first; t < len(s.tasks); t++ {
			if !s.begun[t] && s.ready(t) {
				s.begun[t] = true
				return t
			}
		}
		s.change.Wait()
	}
	return -1
}

func (s *schedule) ready(t int) bool {
	for _, other := range s.tasks[t].after {
		if !s.done[other] {
			return false
		}
	}
	return true
}

// end wakes those who wait for the task.
func (s *schedule) end(t int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.done[t] = true
	s.change.Broadcast()
}
