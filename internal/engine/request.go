package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// decode reads the arguments of the request: all fields of its JSON but id and verb.
func (r *request) decode(into any) error {
	if err := json.Unmarshal(r.text, into); err != nil {
		return fmt.Errorf("request %s: %w", r.head.Verb, err)
	}
	return nil
}

// errUnknownModel says that the caller has to send the bytes of a model.
var errUnknownModel = errors.New("found the key of a model that is not here, expected its bytes")
