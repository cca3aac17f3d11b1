// The attacks, in a module of their own: they judge the program, and are no part of it.
module github.com/fenchel-ml/fenchel/attack

go 1.26.0

require github.com/fenchel-ml/fenchel v0.0.0

require (
	github.com/clipperhouse/uax29/v2 v2.7.0 // indirect
	github.com/klauspost/compress v1.20.3 // indirect
	github.com/mikelolasagasti/xz v1.0.1 // indirect
	golang.org/x/sys v0.49.0 // indirect
)

replace github.com/fenchel-ml/fenchel => ..
