package peer

// liblinear-multicore is LIBLINEAR's own version for several cores.
func init() {
	registerPeer(&pythonPeer{name: "liblinear-multicore", modules: "liblinear.liblinearutil", probe: "from liblinear import liblinearutil; from importlib.metadata import version; print(version('liblinear-multicore'))",
		methods: func(loss string, _ int) (all []Method) {
			for _, solver := range map[string][]string{"hinge": {"3"}, "squared-hinge": {"1", "2"}, "logistic": {"0"}}[loss] {
				all = append(all, Method{Name: "-s " + solver, code: `Multicore+ {"solver":` + solver + `,"C":C,"tol":KNOB,"threads":THREADS}`, Knob: "e", Ladder: ladder(0, -8)})
			}
			return all
		}})
}
