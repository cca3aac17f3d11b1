package race

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"time"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/peer"
	"github.com/fenchel-ml/fenchel/internal/pca/learner"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/pca"
)

// learn gives every row to a streaming method once, as package fenchel does for a
// stream: some are held out. Kind "stream" is the default method, "streams"
// the others; a run that takes too long is stopped.
func (c *pcaContest) learn(ctx context.Context, kind, spec string, limit time.Duration, repeat int) error {
	algorithm, err := methods.New(spec)
	if err != nil {
		return err
	}
	streaming, ok := algorithm.(method.Streaming)
	if !ok {
		return fmt.Errorf("method %s: expected a streaming one", spec)
	}
	n, d := c.x.Dims()
	p := method.Problem{Cols: d, K: c.K, Seed: 1, Threads: c.opt.Threads}
	if method.Accepts(streaming, p) != nil { // it is for fewer features
		return nil
	}
	runtime.GC()
	begin := time.Now()
	stream, taken := learner.NewLearner(streaming, p, c.Center, "none"), 0
	for ; taken < n && ctx.Err() == nil && time.Since(begin) < limit; taken = min(taken+pieceRows, n) {
		if err := stream.Learn(matrix.Part(c.x, taken, min(taken+pieceRows, n))); err != nil {
			return err
		}
	}
	answer, err := stream.Answer()
	if err != nil {
		return err
	}
	m := c.row(kind, measure.OwnName, spec)
	m.Repeat, m.Seconds = repeat, time.Since(begin).Seconds()
	if taken < n {
		m.Note = fmt.Sprintf("stopped after %d rows", taken)
	}
	m.Objective = c.captured(answer.Basis.Component, answer.Basis.K)
	c.log.Add(m)
	return ctx.Err()
}

// pieceRows are given to a learner at a time.
const pieceRows = 1024

// otherStreams runs the other methods for streams.
func (c *pcaContest) otherStreams(ctx context.Context) error {
	for _, e := range methods.Entries() {
		algorithm, err := methods.New(e.Name)
		if err != nil {
			return err
		}
		if _, ok := algorithm.(method.Streaming); !ok || e.Name == pca.StreamMethod || e.Name == "race" { // many of the others at once
			continue
		}
		c.progress("%s on %s, %s", e.Name, c.t.Name, c)
		if err := c.learn(ctx, "streams", e.Name, c.opt.limit/otherPatience, 1); err != nil {
			return err
		}
	}
	return nil
}

// otherPatience is the part of the limit of a training that each of the other
// methods may take.
const otherPatience = 10

// otherBatches runs the batch methods that were not chosen, as it is chosen from
// these. What takes too long is left out.
func (c *pcaContest) otherBatches(ctx context.Context) error {
	n, d := c.x.Dims()
	p := method.Problem{Rows: n, Cols: d, K: c.K, Seed: 1, Threads: c.opt.Threads}
	for _, e := range methods.Entries() {
		algorithm, err := methods.New(e.Name)
		if err != nil {
			return err
		}
		batch, ok := algorithm.(method.Batch)
		if !ok || e.Name == c.chosen || method.Accepts(batch, p) != nil {
			continue
		}
		c.progress("%s on %s, %s", e.Name, c.t.Name, c)
		limited, cancel := context.WithTimeout(ctx, c.opt.limit/(2*otherPatience))
		err = c.Solve(limited, "batches", e.Name, 1)
		late := limited.Err() != nil
		cancel()
		if err != nil && !late {
			return err
		}
	}
	return ctx.Err()
}

// Command runs fenchel pca on the text.
func (c *pcaContest) Command(ctx context.Context, binary string, repeat int) error {
	argv := []string{binary, "pca", c.t.Text, "-k", strconv.Itoa(c.K), "-o", filepath.Join(c.t.Dir, "fenchel.pca"), "-q", "--json",
		"--threads", strconv.Itoa(c.opt.Threads), fmt.Sprintf("--center=%t", c.Center)}
	r, err := peer.RunProcess(ctx, argv)
	if err != nil {
		return err
	}
	var said struct {
		Method   string
		Captured float64
		Gap      float64
	}
	if err := json.Unmarshal([]byte(r.Output), &said); err != nil {
		return err
	}
	m := c.row("text", measure.OwnName, said.Method)
	m.Repeat, m.Seconds, m.Peak, m.Bytes, m.Objective = repeat, r.Seconds, r.Peak, c.t.TextBytes, said.Captured
	m.Note = fmt.Sprintf("gap %.2g", said.Gap)
	c.log.Add(m)
	return nil
}
