// Package serving has the verb that answers over HTTP.
package serving

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/option"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/inference"
	"github.com/fenchel-ml/fenchel/serve"
)

// server is one run of the verb serve.
type server struct {
	opt         serve.Options
	listen      string
	tokenFile   string
	cert, key   string
	log         bool
	openAPI     bool
	poll, drain time.Duration
}

// NewServe makes the command that answers predictions.
func NewServe() *cobra.Command {
	s := &server{}
	cmd := &cobra.Command{
		Use:   "serve MODEL...",
		Short: "Answer predictions over HTTP and gRPC, by the Open Inference Protocol",
		Long: `Serve answers what models predict, by the Open Inference Protocol, version 2, over
REST, with binary tensors: /v2/models/NAME/infer, and over gRPC at the same address
(inference.GRPCInferenceService); and of rows that are JSON: POST /predict/NAME takes an object
of a table's columns, or an array of them. /metrics is for Prometheus, / is a page
that tries a model by hand. MODEL is a file, whose name without .model is that of the
model, or a folder with NAME.model and NAME/VERSION.model. Files that change are read again
while the server runs; one that is damaged replaces nothing, which is told. "fenchel help
serving" has examples, and how to run it on Kubernetes and by systemd.

It listens to this machine alone unless --listen says otherwise. A request to terminate has
/v2/health/ready say no, and ends the program once the requests that run are answered.`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !s.openAPI {
				return errors.New("serve: name MODEL: found none, expected files of models or folders of them")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return s.run(cmd, args) },
	}
	f := cmd.Flags()
	f.StringVar(&s.listen, "listen", "localhost:8080", "address and port; port 0: one that is free")
	f.IntVar(&s.opt.MaxRows, "max-rows", 100_000, "rows of a request at most")
	f.Int64Var(&s.opt.MaxBytes, "max-bytes", 64<<20, "bytes of a request at most")
	f.IntVar(&s.opt.Concurrency, "concurrency", 256, "requests that are answered at a time at most, others are told to come again (429)")
	f.StringVar(&s.tokenFile, "token-file", "", "requests have to bear the token in this file, but those about health")
	f.StringVar(&s.cert, "cert", "", "speak TLS with this certificate (PEM)")
	f.StringVar(&s.key, "key", "", "key of --cert (PEM)")
	f.BoolVar(&s.log, "log", false, "write a line of JSON for each request to standard error, without its contents")
	f.DurationVar(&s.poll, "poll", time.Second, "look for changed files this often; 0: never")
	f.DurationVar(&s.drain, "drain", 0, "when it is to end, answer on for so long while /v2/health/ready says no")
	f.BoolVar(&s.openAPI, "openapi", false, "print the description of all paths (OpenAPI 3.1), and end")
	return cmd
}

// check refuses numbers that cannot be.
func (s *server) check() error {
	switch {
	case s.opt.MaxRows < 1 || s.opt.MaxBytes < 1 || s.opt.Concurrency < 1:
		return fmt.Errorf("--max-rows %d, --max-bytes %d, --concurrency %d: expected numbers above 0", s.opt.MaxRows, s.opt.MaxBytes, s.opt.Concurrency)
	case s.poll < 0 || s.drain < 0:
		return fmt.Errorf("--poll %s, --drain %s: expected durations of at least 0", s.poll, s.drain)
	case !strings.Contains(s.listen, ":"):
		return fmt.Errorf("--listen %s: expected HOST:PORT, such as localhost:8080, or :PORT", s.listen)
	case (s.cert == "") != (s.key == ""):
		return errors.New("--cert, --key: found one of both, expected both")
	}
	return nil
}

func (s *server) run(cmd *cobra.Command, sources []string) error {
	if s.openAPI {
		_, err := cmd.OutOrStdout().Write(serve.OpenAPI())
		return err
	}
	if err := s.check(); err != nil {
		return err
	}
	level := slog.LevelWarn
	if s.log {
		level = slog.LevelInfo
	}
	s.opt.Log = slog.New(slog.NewJSONHandler(cmd.ErrOrStderr(), &slog.HandlerOptions{Level: level}))
	if err := s.readToken(); err != nil {
		return exitcode.BadData(err)
	}
	handler := serve.New(s.opt)
	if err := handler.Load(sources...); err != nil {
		for _, source := range sources {
			err = option.NotModel(cmd, source, err)
		}
		return exitcode.BadData(err)
	}
	listener, scheme, err := s.open()
	if err != nil {
		return exitcode.BadData(err)
	}
	if s.opt.Token == "" && !isLocal(listener.Addr()) {
		printing.Warn(cmd, []error{fmt.Errorf("--listen %s: other machines can ask for predictions, without a token (--token-file)", s.listen)})
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "serving %s at %s://%s\n", strings.Join(handler.Models(), ", "), scheme, listener.Addr())
	return s.serve(cmd.Context(), handler, listener)
}

// readToken reads the token.
func (s *server) readToken() error {
	if s.tokenFile == "" {
		return nil
	}
	text, err := os.ReadFile(s.tokenFile)
	if err != nil {
		return fmt.Errorf("--token-file: %w", err)
	}
	if s.opt.Token = strings.TrimSpace(string(text)); s.opt.Token == "" || strings.ContainsAny(s.opt.Token, " \t\r\n") {
		return fmt.Errorf("--token-file %s: found no word, or several, expected one", s.tokenFile)
	}
	return nil
}

// open listens.
func (s *server) open() (listener net.Listener, scheme string, err error) {
	config := &tls.Config{MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	if s.cert != "" {
		pair, err := tls.LoadX509KeyPair(s.cert, s.key)
		if err != nil {
			return nil, "", fmt.Errorf("--cert %s, --key %s: %w", s.cert, s.key, err)
		}
		config.Certificates = []tls.Certificate{pair}
	}
	if listener, err = net.Listen("tcp", s.listen); err != nil {
		return nil, "", fmt.Errorf("--listen %s: %w", s.listen, err)
	}
	if s.cert == "" {
		return listener, "http", nil
	}
	return tls.NewListener(listener, config), "https", nil
}

// isLocal reports whether only this machine can reach an address.
func isLocal(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// serve answers requests until ctx ends, then those that run.
func (s *server) serve(ctx context.Context, handler *serve.Server, listener net.Listener) error {
	signal.Ignore(syscall.SIGPIPE) // of whoever read the log: requests are answered on
	h := handler.HTTP("")
	h.Handler, h.Protocols = inference.Handler(handler, s.opt.MaxBytes), inference.Protocols()
	ended := make(chan error, 1)
	go func() { ended <- h.Serve(listener) }()
	if s.poll > 0 {
		go handler.Watch(ctx, s.poll)
	}
	select {
	case err := <-ended:
		return exitcode.BadData(err)
	case <-ctx.Done():
	}
	handler.Drain()
	time.Sleep(s.drain)
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	if err := h.Shutdown(last); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return exitcode.BadData(fmt.Errorf("requests did not end: %w", err))
	}
	return nil
}
