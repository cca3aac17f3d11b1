// The generator of the assembly in package vec, a module of its own so that
// users of Fenchel never depend on its libraries.
module github.com/fenchel-ml/fenchel/internal/vec/internal/asm

go 1.26.0

require github.com/mmcloughlin/avo v0.6.0

require (
	golang.org/x/mod v0.41.0 // indirect
	golang.org/x/sync v0.23.0 // indirect
	golang.org/x/tools v0.51.0 // indirect
)
