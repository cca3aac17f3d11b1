package engine

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// frame is a frame in bytes, with what follows it.
func frame(t testing.TB, head map[string]any, payload []byte) []byte {
	var out bytes.Buffer
	if err := writePayload(&out, head, payload); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// served returns what a worker answers, as text.
func served(t testing.TB, requests ...[]byte) (string, error) {
	var out bytes.Buffer
	err := ServeWorker(context.Background(), bytes.NewReader(bytes.Join(requests, nil)), &out, t.TempDir(), 1)
	return out.String(), err
}

// splitRequest asks for two rows of two columns to be dealt.
func splitRequest(t testing.TB, change func(x map[string]any)) []byte {
	values := []float32{1, 2, 3, 4}
	var payload []byte
	for _, v := range values {
		payload, _ = binary.Append(payload, binary.LittleEndian, v)
	}
	payload, _ = binary.Append(payload, binary.LittleEndian, []float64{1, 2})
	payload = append(payload, make([]byte, 24)...) // starts of empty rows
	x := map[string]any{"rows": 2, "cols": 2, "values": Place{0, 4}}
	if change != nil {
		change(x)
	}
	return frame(t, map[string]any{"verb": "split", "data": map[string]any{"x": x, "numbers": Place{16, 2}}}, payload)
}

// Frames and payloads that are not what they say are refused, most of them so that the worker goes on.
func TestWorkerRefuses(t *testing.T) {
	for want, request := range map[string][]byte{
		`found the request \"?\", expected split`:               frame(t, map[string]any{"verb": "?"}, nil),
		`found a piece of 9 where 2 are left`:                   frame(t, map[string]any{"verb": "load", "sizes": []int{1, 9}}, []byte("abc")),
		`found a piece of -1 where 3 are left`:                  frame(t, map[string]any{"verb": "load", "sizes": []int{-1}}, []byte("abc")),
		`found 2 after the last piece`:                          frame(t, map[string]any{"verb": "load", "sizes": []int{1}}, []byte("abc")),
		`message: found`:                                        frame(t, map[string]any{"verb": "load", "sizes": []int{3}}, []byte("abc")),
		`found the partition 5000, expected one from 0 to 1023`: frame(t, map[string]any{"verb": "load", "partition": 5000, "sizes": []int{}}, nil),
		`expected one from 0 to`:                                frame(t, map[string]any{"verb": "ask", "partition": -1}, nil),
		`found 99 numbers`:                                      splitRequest(t, func(x map[string]any) { x["values"] = Place{0, 99} }),
		`expected 3 rows`:                                       splitRequest(t, func(x map[string]any) { x["rows"] = 3 }),
		`features, expected at most`: splitRequest(t, func(x map[string]any) {
			x["cols"], x["values"], x["starts"], x["indices"] = 1<<30, Place{0, 0}, Place{32, 3}, Place{0, 0}
		}),
		`found offsets of columns, which are those of a table`: splitRequest(t, func(x map[string]any) { x["offsets"] = []float64{1, 2} }),
		`"blobs":[[`: splitRequest(t, nil),
	} {
		said, err := served(t, request, frame(t, map[string]any{"verb": "last"}, nil))
		if err != nil || !strings.Contains(said, want) || !strings.Contains(said, `the request \"last\"`) {
			t.Errorf("found %q and %v, expected %q, and an answer to what follows", said, err, want)
		}
	}
	for name, request := range map[string][]byte{
		"length": {255, 255, 255, 255}, "cut": {9, 0, 0, 0, '{'}, "text": append([]byte{1, 0, 0, 0}, '{'), "payload": frame(t, map[string]any{"verb": "ask"}, []byte("abc"))[:20],
		"negative": raw(map[string]any{"bytes": -1}), "endless": raw(map[string]any{"bytes": int64(1) << 50}),
	} {
		if _, err := served(t, request); err == nil || err == io.EOF {
			t.Errorf("%s: found the error %v", name, err)
		}
	}
}

// raw is a frame without what it says that follows.
func raw(head map[string]any) []byte {
	text, _ := json.Marshal(head)
	return append(binary.LittleEndian.AppendUint32(nil, uint32(len(text))), text...)
}

// A worker answers or refuses any bytes, in memory that follows from their number.
func FuzzWorker(f *testing.F) {
	f.Add(splitRequest(f, nil))
	f.Add(frame(f, map[string]any{"verb": "load", "partition": 1, "sizes": []int{1, 2}}, []byte("abc")))
	f.Add(append(frame(f, map[string]any{"verb": "ask", "partition": 1}, []byte("abc")), splitRequest(f, func(x map[string]any) { x["starts"], x["indices"] = Place{16, 3}, Place{0, 4} })...))
	folder := f.TempDir()
	f.Fuzz(func(t *testing.T, raw []byte) {
		if payload, err := readPayload(bytes.NewReader(raw), &workerRequest{}); err == nil && len(payload) > len(raw) {
			t.Errorf("found a payload of %d bytes in %d", len(payload), len(raw))
		}
		var out bytes.Buffer
		_ = ServeWorker(context.Background(), bytes.NewReader(raw), &out, folder, 1)
	})
}

// A worker ends when its folder is removed, though its input stays open.
func TestWorkerEndsWithItsFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "run")
	in, open := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- ServeWorker(context.Background(), in, io.Discard, folder, 1) }()
	if err := writePayload(open, map[string]any{"verb": "other"}, nil); err != nil { // the folder is there by now
		t.Fatal(err)
	}
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
}
