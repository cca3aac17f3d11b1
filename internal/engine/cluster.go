package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/fenchel-ml/fenchel/internal/cluster"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/problem"
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
	if err := errors.Join(json.Unmarshal(text, &size), json.Unmarshal(text, head)); err != nil {
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
	Verb  string  `json:"verb"` // split, load, ask
	Place int     `json:"place"`
	Sizes []int64 `json:"sizes"` // load: of the blobs in the payload
	Data  arrays  `json:"data"`  // split: the rows, whose numbers are in the payload
}

// ServeWorker answers requests for places, which are kept in a folder, until in ends, or the folder is gone: whoever
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
			head, answer, err = split(q.Data, payload, threads)
		case "load":
			err = w.Load(ctx, q.Place, cut(payload, q.Sizes))
		case "ask":
			answer, err = w.Ask(ctx, q.Place, payload)
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
func split(d arrays, payload []byte, threads int) (map[string]any, []byte, error) {
	s, err := d.set(&region{data: payload})
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

// cut cuts a payload into pieces of those sizes, as far as it goes.
func cut(payload []byte, sizes []int64) (pieces [][]byte) {
	for _, size := range sizes {
		size = min(max(size, 0), int64(len(payload)))
		pieces = append(pieces, payload[:size])
		payload = payload[size:]
	}
	return pieces
}

// coordinatorSpec is what is to be trained.
type coordinatorSpec struct {
	Loss    string  `json:"loss"`
	Penalty string  `json:"penalty"`
	Bias    string  `json:"bias"`
	Classes bool    `json:"classes"`
	Lambda  float64 `json:"lambda"`
	C       float64 `json:"C"`
	Gap     float64 `json:"gap"`
	Rounds  int     `json:"rounds"`
	Seed    uint64  `json:"seed"`
	Run     string  `json:"run"`
	Dual    bool    `json:"dual"` // the model holds the dual variables
}

// Coordinate trains on the places that the other side reaches: it writes frames {"map": true, "places": [...] or null} with a
// request, and reads frames {"sizes": [...]} with the replies, or {"cancel": true}; at last it writes {"result": ...} with a model.
func Coordinate(ctx context.Context, in io.Reader, out io.Writer) error {
	var spec coordinatorSpec
	if _, err := readPayload(in, &spec); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	remote := &cluster.Remote{Map: func(_ context.Context, request []byte, places []int) ([][]byte, error) {
		if err := writePayload(out, map[string]any{"map": true, "places": places}, request); err != nil {
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
		return cut(payload, head.Sizes), err
	}}
	result, err := cluster.Train(ctx, remote, cluster.Spec{Loss: spec.Loss, Penalty: spec.Penalty, Bias: spec.Bias, Classes: spec.Classes, Lambda: spec.Lambda, C: spec.C, Gap: spec.Gap, Rounds: spec.Rounds, Seed: spec.Seed, Run: spec.Run, Duals: spec.Dual,
		Progress: func(p cluster.Progress) {
			_ = writePayload(out, map[string]any{"progress": map[string]any{"output": p.Output, "round": p.Round, "gap": model.Bound(p.Gap), "proved": p.Proved}}, nil) // the next request tells that nobody reads
		}})
	if err != nil {
		return writePayload(out, map[string]any{"error": failureOf(err)}, nil)
	}
	m, err := clusterModel(result)
	if err != nil {
		return writePayload(out, map[string]any{"error": failureOf(err)}, nil)
	}
	var raw writer
	if err := m.Write(&raw); err != nil {
		return err
	}
	worst := 0.0
	for _, o := range result.Output {
		worst = max(worst, o.Certificate.Relative())
	}
	return writePayload(out, map[string]any{"result": map[string]any{"status": result.Status, "gap": model.Bound(worst), "rounds": result.Rounds, "jobs": result.Jobs,
		"solver": m.Statement.Solver, "lambda": m.Statement.Lambda, "rows": m.Data.Rows, "features": m.Data.Features}}, raw)
}

// A writer gathers bytes.
type writer []byte

func (w *writer) Write(p []byte) (int, error) {
	*w = append(*w, p...)
	return len(p), nil
}

// clusterModel makes the model of what was found.
func clusterModel(r *cluster.Result) (*model.Model, error) {
	s := r.Summary
	m := &model.Model{Statement: r.Draft.Statement, Classes: r.Draft.Classes, Version: pose.Version(),
		Data: model.Data{Rows: s.Rows, Features: s.Cols, Nonzeros: s.Nonzeros, Classes: len(r.Draft.Classes), Digest: r.Digest}}
	for _, o := range r.Output {
		c := o.Certificate
		out := model.Output{Weights: o.W[:s.Cols], Bias: o.W[s.Cols], Certificate: model.Certificate{Primal: model.Bound(c.Primal), Dual: model.Bound(c.Dual), Zero: model.Bound(c.Zero), Epochs: r.Rounds,
			Status: string(pose.EndOf(r.Status, problem.Relative(c.Primal, c.Dual, c.Zero), m.Statement.Gap))}}
		for _, part := range o.Duals {
			out.Dual = append(out.Dual, part...)
		}
		m.Outputs = append(m.Outputs, out)
	}
	return m, m.Seal()
}
