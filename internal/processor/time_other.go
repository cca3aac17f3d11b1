//go:build !unix

package processor

import "time"

var begun = time.Now()

// Time returns the time since the process began, where that of the processor is not known.
func Time() time.Duration { return time.Since(begun) }
