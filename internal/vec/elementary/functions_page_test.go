//go:build linux || darwin

package elementary

import (
	"testing"

	"github.com/fenchel-ml/fenchel/internal/vec/vectest"
)

func TestNothingBeyondTheEndOfFunctions(t *testing.T) { vectest.NothingBeyondTheEnd(t, functions) }
