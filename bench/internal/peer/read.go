package peer

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/task"
)

// A FileReader is a program that reads files of numbers into memory.
type FileReader interface {
	program
	// ways are its ways to read a kind of file, as its users spell them.
	Ways(kind string) []string
	// open starts it.
	Open(context.Context, *task.Config) (*Worker, error)
}

// pythonReader is a module of Python that reads files.
type pythonReader struct {
	module string
	kinds  map[string][]string
	python string
}

//go:embed driver/read.py
var readScript string

// A module is not asked for numbers in single precision where it has no such reader:
// what it reads then is its own.
func init() {
	registerPeer(&pythonReader{module: "numpy", kinds: map[string][]string{
		"npy float32": {"load"}, "npy float32, target": {"load"}, "npy float64": {"load, float32"}, "npz": {"load X"}, "npz deflated": {"load X"},
		"idx": {"fromfile, / 255"}, "csv": {"loadtxt"}}})
	registerPeer(&pythonReader{module: "pandas", kinds: map[string][]string{"csv": {"read_csv", "read_csv, pyarrow"}}})
	registerPeer(&pythonReader{module: "pyarrow", kinds: map[string][]string{"csv": {"read_csv"}}})
}

func (p *pythonReader) Name() string { return p.module }

func (p *pythonReader) script(opt *task.Config) string {
	return filepath.Join(opt.Work, "read_worker.py")
}

func (p *pythonReader) Find(ctx context.Context, opt *task.Config) (version string, err error) {
	if err := os.WriteFile(p.script(opt), []byte(readScript), 0o666); err != nil {
		return "", err
	}
	for _, name := range []string{opt.Python, "python3", "python"} {
		path, err := exec.LookPath(name)
		if err != nil || name == "" {
			continue
		}
		if out, err := exec.CommandContext(ctx, path, p.script(opt), "version", p.module).Output(); err == nil {
			p.python = path
			return strings.TrimSpace(string(out)), nil
		}
	}
	return "", fmt.Errorf("found no python that can import %s", p.module)
}

func (p *pythonReader) Ways(kind string) []string { return p.kinds[kind] }

func (p *pythonReader) Open(ctx context.Context, opt *task.Config) (*Worker, error) {
	threads := strconv.Itoa(opt.Threads)
	return startWorker(ctx, []string{p.python, p.script(opt)}, []string{"OMP_NUM_THREADS=" + threads, "ARROW_NUM_THREADS=" + threads})
}

// ReadBy returns the seconds that a way of a program takes for a file.
func ReadBy(ctx context.Context, w *Worker, program, way, path string) (float64, error) {
	answer, err := w.ask(ctx, program+" "+way+"\t"+path)
	if err != nil {
		return 0, err
	}
	var reply struct {
		Seconds float64
		Error   string
	}
	if err := json.Unmarshal([]byte(answer), &reply); err != nil {
		return 0, fmt.Errorf("%s answered %q: %w", program, answer, err)
	}
	if reply.Error != "" {
		return 0, fmt.Errorf("%s: %s", program, reply.Error)
	}
	return reply.Seconds, nil
}
