package dual

// mechanism is a part of working that it converges without. The ablation of
// ablation_test.go leaves out one after the other, and measures what each saves.
type mechanism uint32

const (
	withoutFace     mechanism = 1 << iota // working_face.go: pairs alone
	withoutBroad                          // working_face_broad.go
	withoutSample                         // working_sample.go: begin at zero
	withoutClusters                       // working_cluster.go
)

// ablated is what is left out: nothing, outside of that test.
var ablated mechanism

// has reports whether m is left out.
func (a mechanism) has(m mechanism) bool { return a&m != 0 }
