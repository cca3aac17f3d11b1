package parallel

import (
	"context"
	"io"
	"testing"
)

// TestUntil: what is made is returned, or nothing at all once the context has ended.
func TestUntil(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	if made, err := Until(ctx, func() (int, error) { return 7, io.EOF }); made != 7 || err != io.EOF {
		t.Errorf("found %d and the error %v, expected what was made", made, err)
	}
	never := make(chan struct{})
	defer close(never)
	cancel()
	if made, err := Until(ctx, func() (int, error) { <-never; return 7, nil }); made != 0 || err != context.Canceled {
		t.Errorf("found %d and the error %v, expected %v", made, err, context.Canceled)
	}
}
