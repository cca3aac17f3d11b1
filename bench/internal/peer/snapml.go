package peer

// snapml is IBM's Snap ML: coordinate descent on all cores, a copy of the model for each of
// them.
func init() {
	registerPeer(&pythonPeer{name: "snapml", modules: "snapml", probe: "import snapml; from importlib.metadata import version; print(version('snapml'))",
		methods: func(loss string, _ int) []Method {
			way := func(name, code string) []Method {
				return []Method{{Name: name, code: code, Knob: "tol", Ladder: ladder(0, -9)}}
			}
			switch loss {
			case "hinge":
				return way("SVM", `snapml.SupportVectorMachine+ {"regularizer":1/C,"tol":KNOB,"max_iter":100000,"n_jobs":THREADS,"random_state":1}`)
			case "logistic":
				return way("LogisticRegression", `snapml.LogisticRegression+ {"regularizer":1/C,"tol":KNOB,"max_iter":100000,"n_jobs":THREADS,"random_state":1}`)
			}
			return nil
		}})
}
