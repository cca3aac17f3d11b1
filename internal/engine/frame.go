package engine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// mostFrame is how long a frame may be: names of features and classes are in it, no numbers
// in bulk.
const mostFrame = 1 << 28

// readFrame reads the JSON of a frame; io.EOF: there is no other.
func readFrame(in io.Reader) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, err
	}
	length := binary.LittleEndian.Uint32(head[:])
	if length > mostFrame {
		return nil, fmt.Errorf("frame: found a length of %d bytes, expected at most %d", length, mostFrame)
	}
	text, err := io.ReadAll(io.LimitReader(in, int64(length)))
	if err == nil && len(text) < int(length) {
		err = io.ErrUnexpectedEOF
	}
	return text, err
}

// writeFrame writes a value as a frame, in one piece.
func writeFrame(out io.Writer, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = out.Write(append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...))
	return err
}

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
