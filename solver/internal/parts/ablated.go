package parts

// Mechanism is a part of a solver that the solver converges without. The ablation of package
// solver/linear leaves out one after the other, and measures what each saves.
type Mechanism uint32

const (
	WithoutFaces    Mechanism = 1 << iota // face.go
	WithoutProximal                       // proximal.go
	WithoutSample                         // newton_sample.go
	WithoutLeave                          // newton_leave.go
	WithoutBlocks                         // blocks of consecutive rows: single rows instead
	WithoutSleep                          // rows that sleep, sdca_visit.go
)

// Ablated is what is left out: nothing, outside of that test.
var Ablated Mechanism

// Has reports whether m is left out.
func (a Mechanism) Has(m Mechanism) bool { return a&m != 0 }
