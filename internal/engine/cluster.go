package engine

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/cluster"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
)

// The engine of a cluster is two programs: a worker beside the rows, and a coordinator beside the driver. Both speak in frames with a
// payload: a frame whose JSON has "bytes" is followed by as many bytes. Python moves payloads between them, and looks into none.

// mostPayload is how many bytes may follow a frame.
const mostPayload = 1 << 40

// readPayload reads a frame into head, and what follows it.
func readPayload(in io.Reader, head any) ([]byte, error) {
	text, err := readFrame(in)
	if err != nil {
		return nil, err
	}
	var size struct {
		Bytes int64 `json:"bytes"`
	}
	if err := cmp.Or(json.Unmarshal(text, &size), json.Unmarshal(text, head)); err != nil {
		return nil, fmt.Errorf("frame: %w", err)
	}
	if size.Bytes < 0 || size.Bytes > mostPayload {
		return nil, fmt.Errorf("frame: found %d bytes to follow, expected at most %d", size.Bytes, int64(mostPayload))
	}
	payload := bytes.NewBuffer(make([]byte, 0, min(size.Bytes, 64<<20)+bytes.MinRead)) // and grows with what comes
	if _, err = payload.ReadFrom(io.LimitReader(in, size.Bytes)); err == nil && int64(payload.Len()) < size.Bytes {
		err = io.ErrUnexpectedEOF
	}
	return payload.Bytes(), err
}

// writePayload writes a frame and what follows it.
func writePayload(out io.Writer, head map[string]any, payload []byte) error {
	head["bytes"] = len(payload)
	if err := writeFrame(out, head); err != nil {
		return err
	}
	_, err := out.Write(payload)
	return err
}

// workerRequest is what a worker is asked.
type workerRequest struct {
	Verb      string  `json:"verb"` // split, load, ask
	Partition int     `json:"partition"`
	Sizes     []int64 `json:"sizes"` // load: of the blobs in the payload
	Data      arrays  `json:"data"`  // split: the rows, whose numbers are in the payload
}

// ServeWorker answers requests for partitions, which are kept in a folder, until in ends, or the folder is gone: whoever
// removes the rows of a run ends the workers that hold them.
func ServeWorker(ctx context.Context, in io.Reader, out io.Writer, folder string, threads int) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- answerAll(ctx, in, out, cluster.NewWorker(folder, threads), threads) }()
	for {
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
			if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) {
				return nil
			}
		}
	}
}

// answerAll answers requests until in ends.
func answerAll(ctx context.Context, in io.Reader, out io.Writer, w *cluster.Worker, threads int) error {
	for {
		var q workerRequest
		payload, err := readPayload(in, &q)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		head, answer := map[string]any{}, []byte(nil)
		switch q.Verb {
		case "split":
			head, answer, err = split(ctx, q.Data, payload, threads)
		case "load":
			var blobs [][]byte
			if blobs, err = cut(payload, q.Sizes); err == nil {
				err = w.Load(ctx, q.Partition, blobs)
			}
		case "ask":
			answer, err = w.Ask(ctx, q.Partition, payload)
			answer, err = cluster.Reply(answer, err), nil
		default:
			err = fmt.Errorf("worker: found the request %q, expected split, load or ask", q.Verb)
		}
		if err != nil {
			head = map[string]any{"error": err.Error()}
		}
		if err := writePayload(out, head, answer); err != nil {
			return err
		}
	}
}

// split deals rows to buckets.
func split(ctx context.Context, d arrays, payload []byte, threads int) (map[string]any, []byte, error) {
	if d.X.Offsets != nil {
		return nil, nil, errors.New("rows: found offsets of columns, which are those of a table alone, expected none")
	}
	s, err := d.set(ctx, &region{data: payload})
	if err != nil {
		return nil, nil, err
	}
	blobs, err := cluster.Split(s, threads)
	if err != nil {
		return nil, nil, err
	}
	list, all := [][4]int64{}, []byte{}
	for _, b := range blobs {
		list = append(list, [4]int64{int64(b.Bucket), int64(b.Rows), b.Nonzeros, int64(len(b.Data))})
		all = append(all, b.Data...)
	}
	return map[string]any{"blobs": list}, all, nil
}

// cut cuts a payload into pieces of those sizes.
func cut(payload []byte, sizes []int64) ([][]byte, error) {
	pieces, rest := make([][]byte, len(sizes)), payload
	for k, size := range sizes {
		if size < 0 || size > int64(len(rest)) {
			return nil, fmt.Errorf("payload of %d bytes: found a piece of %d where %d are left, expected it inside", len(payload), size, len(rest))
		}
		pieces[k], rest = rest[:size], rest[size:]
	}
	if len(rest) > 0 {
		return nil, fmt.Errorf("payload of %d bytes: found %d after the last piece, expected none", len(payload), len(rest))
	}
	return pieces, nil
}

// coordinatorSpec is what is to be done with rows in many partitions.
type coordinatorSpec struct {
	Verb    string  `json:"verb"` // verify or evaluate the model that follows; absent: train
	Loss    string  `json:"loss"`
	Penalty string  `json:"penalty"`
	Bias    string  `json:"bias"`
	Scale   string  `json:"scale"`
	Classes bool    `json:"classes"`
	Lambda  float64 `json:"lambda"`
	C       float64 `json:"C"`
	Gap     float64 `json:"gap"`
	Rounds  int     `json:"rounds"`
	Seed    uint64  `json:"seed"`
	Run     string  `json:"run"`
	Dual    bool    `json:"dual"` // the model holds the dual variables

	Schema     *data.Schema `json:"schema"`     // made the features, of texts; absent: they are the columns
	Components *pcaSpec     `json:"components"` // to be found in place of a linear model
}

// Coordinate works with the partitions that the other side reaches: it writes frames {"map": true, "partitions": [...] or null} with a
// request, and reads frames {"sizes": [...]} with the replies, or {"cancel": true}; at last it writes {"result": ...}, after training with a
// model, or {"error": ...}.
func Coordinate(ctx context.Context, in io.Reader, out io.Writer) error {
	var spec coordinatorSpec
	file, err := readPayload(in, &spec)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	remote := &cluster.Remote{Map: func(_ context.Context, request []byte, partitions []int) ([][]byte, error) {
		if err := writePayload(out, map[string]any{"map": true, "partitions": partitions}, request); err != nil {
			return nil, err
		}
		var head struct {
			Sizes  []int64 `json:"sizes"`
			Cancel bool    `json:"cancel"`
		}
		payload, err := readPayload(in, &head)
		if head.Cancel {
			cancel()
			return nil, context.Canceled
		}
		if err != nil {
			return nil, err
		}
		return cut(payload, head.Sizes)
	}}
	if spec.Components != nil {
		return coordinateComponents(ctx, remote, *spec.Components, out)
	}
	var said map[string]any
	var made writer
	switch spec.Verb {
	case "":
		said, err = spec.train(ctx, remote, out, &made)
	case "verify", "evaluate":
		said, err = spec.judge(ctx, remote, file)
	default:
		err = fmt.Errorf("coordinator: found the request %q, expected verify or evaluate, or none to train", spec.Verb)
	}
	if err != nil {
		return writePayload(out, map[string]any{"error": failureOf(err)}, nil)
	}
	return writePayload(out, said, made)
}

// writeProgress writes how far training is. Where that fails the request that follows fails too, and ends training.
func writeProgress(out io.Writer, p cluster.Progress) {
	_ = writePayload(out, map[string]any{"progress": map[string]any{"output": p.Output, "round": p.Round, "gap": model.Bound(p.Gap), "proved": p.Proved}}, nil)
}

// train writes a model, and returns what is said of it.
func (spec *coordinatorSpec) train(ctx context.Context, remote cluster.Cluster, out io.Writer, to *writer) (map[string]any, error) {
	found, err := cluster.Train(ctx, remote, cluster.Spec{Loss: spec.Loss, Penalty: spec.Penalty, Bias: spec.Bias, Scale: spec.Scale, Classes: spec.Classes, Lambda: spec.Lambda, C: spec.C, Gap: spec.Gap, Rounds: spec.Rounds, Seed: spec.Seed, Run: spec.Run, Duals: spec.Dual, Schema: spec.Schema,
		Progress: func(p cluster.Progress) { writeProgress(out, p) }})
	if err != nil {
		return nil, err
	}
	m, err := found.Model()
	if err != nil {
		return nil, err
	}
	worst := 0.0
	for _, o := range found.Output {
		worst = max(worst, o.Certificate.Relative())
	}
	return map[string]any{"result": map[string]any{"status": found.Status, "gap": model.Bound(worst), "rounds": found.Rounds, "jobs": found.Jobs,
		"solver": m.Statement.Solver, "lambda": m.Statement.Lambda, "rows": m.Data.Rows, "features": m.Data.Features}}, m.Write(to)
}

// judge verifies or evaluates the model of a file: what it returns is the JSON of the verbs of one machine, and warnings.
func (spec *coordinatorSpec) judge(ctx context.Context, remote cluster.Cluster, file []byte) (map[string]any, error) {
	m, err := model.Decode(file)
	tampered := errors.Is(err, model.ErrTampered) && m != nil
	if err != nil && !(tampered && spec.Verb == "verify") {
		return nil, err
	}
	if spec.Verb == "verify" {
		v, failed := cluster.Verify(ctx, remote, m, spec.Run)
		if failed != nil {
			return nil, failed
		}
		if tampered {
			v.Problems = append([]string{err.Error()}, v.Problems...)
		}
		return map[string]any{"result": result.Verified(m, v)}, nil
	}
	e, err := cluster.Evaluate(ctx, remote, m, file)
	if err != nil {
		return nil, err
	}
	warnings := []string{}
	for _, w := range e.Warnings {
		warnings = append(warnings, w.Error())
	}
	return map[string]any{"result": result.Evaluation{Evaluation: e}, "warnings": warnings}, nil
}

// A writer gathers bytes.
type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}
