package svmlight

import "github.com/fenchel-ml/fenchel/internal/read/set"

func init() {
	set.Register("libsvm", "sparse text, a row a line: label index:value ... (also SVMlight)", LIBSVM{})
}

func init() {
	for _, f := range []*structured{Graphs, Strings, Tokens} {
		set.Register(f.name, f.summary, f)
	}
}
