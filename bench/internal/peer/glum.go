package peer

// glum fits generalised linear models by iterated least squares, or by L-BFGS where there are many columns.
func init() {
	registerPeer(&pythonPeer{name: "glum", modules: "glum", probe: "import glum; from importlib.metadata import version; print(version('glum'))",
		methods: func(loss string, d int) []Method {
			if loss != "logistic" {
				return nil
			}
			solver := "irls-ls" // forms a d x d matrix
			if d > 1000 {
				solver = "lbfgs"
			}
			return []Method{{Name: solver, code: `Glum+ {"solver":"` + solver + `","alpha":LAMBDA,"gradient_tol":KNOB,"max_iter":10000}`, Knob: "gradient_tol", Ladder: ladder(-2, -10)}}
		}})
}
