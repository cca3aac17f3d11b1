package linear

// mechanism is a part of a solver that the solver converges without. The ablation of
// ablation_test.go leaves out one after the other, and measures what each saves.
type mechanism uint32

const (
	withoutFaces    mechanism = 1 << iota // face.go
	withoutProximal                       // proximal.go
	withoutSample                         // newton_sample.go
	withoutLeave                          // newton_leave.go
	withoutBlocks                         // blocks of consecutive rows: single rows instead
	withoutSleep                          // rows that sleep, sdca_visit.go
)

// ablated is what is left out: nothing, outside of that test.
var ablated mechanism

// has reports whether m is left out.
func (a mechanism) has(m mechanism) bool { return a&m != 0 }
