package parts

// Mechanism is a part of a solver that the solver converges without. The ablation of package
// solver/linear leaves out one after the other, and measures what each saves.
type Mechanism uint32

const (
	WithoutFaces    Mechanism = 1 << iota // face.go of solver/dual
	WithoutProximal                       // proximal.go of solver/dual
	WithoutSample                         // sample.go of solver/newton
	WithoutLeave                          // leave.go of solver/newton
	WithoutBlocks                         // blocks of consecutive rows: single rows instead
	WithoutSleep                          // rows that sleep, visit.go of solver/dual
)

// Ablated is what is left out: nothing, outside of that test.
var Ablated Mechanism

// Has reports whether m is left out.
func (a Mechanism) Has(m Mechanism) bool { return a&m != 0 }
