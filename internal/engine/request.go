package engine

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
)

// request is one frame that came in; the verbs are its methods.
type request struct {
	*server
	ctx  context.Context
	head struct {
		ID   int64  `json:"id"`
		Verb string `json:"verb"`
		Size int64  `json:"size"` // of the memory that the caller has written
	}
	text   []byte
	mapped *region
}

// server is one run of Serve.
type server struct {
	memory *Memory
	models *store
	out    io.Writer

	ended atomic.Bool // no more requests are read

	mutex   sync.Mutex
	running map[int64]context.CancelFunc
}

// errUnknownModel says that the caller has to send the bytes of a model.
var errUnknownModel = errors.New("found the key of a model that is not here, expected its bytes")
