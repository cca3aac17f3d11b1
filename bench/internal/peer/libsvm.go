package peer

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/measure"
	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/model"
)

// Libsvm is LIBSVM as the system installed it. Its command names no version;
// its usage tells it from other programs of that name. It runs on one core.
type Libsvm struct{ binary string }

func init() { registerPeer(&Libsvm{}) }

func (*Libsvm) Name() string { return "libsvm" }

func (p *Libsvm) Find(ctx context.Context, _ *task.Config) (string, error) {
	path, err := exec.LookPath("svm-train")
	if err != nil {
		return "", errors.New("found no svm-train in PATH")
	}
	if usage, _ := exec.CommandContext(ctx, path).CombinedOutput(); !bytes.Contains(usage, []byte("svm_type")) {
		return "", errors.New(path + " is not LIBSVM's")
	}
	p.binary = path
	return "(svm-train)", nil
}

func (p *Libsvm) Machine(j MachineJob, model string) []string {
	return append([]string{p.binary, "-q"}, append(j.flags(), j.Task.Text, model)...)
}

// flags are those of LIBSVM and of ThunderSVM: a Gaussian kernel machine for
// classes, with 1000 MB of cache.
func (j MachineJob) flags() []string {
	return []string{"-s", "0", "-t", "2", "-g", measure.Number(j.Gamma), "-c", measure.Number(j.C), "-e", measure.Number(j.Knob), "-m", "1000"}
}

func (*Libsvm) Learned(_ context.Context, path string) (*model.Model, error) {
	return model.ReadFile(path)
}

// thundersvm is ThunderSVM on all cores. Its model files are like LIBSVM's.
type thundersvm struct{ binary string }

func init() { registerPeer(&thundersvm{}) }

func (*thundersvm) Name() string { return "thundersvm" }

func (p *thundersvm) Find(context.Context, *task.Config) (string, error) {
	path, err := exec.LookPath("thundersvm-train")
	if err != nil {
		return "", errors.New("found no thundersvm-train in PATH")
	}
	p.binary = path
	return "(" + strings.TrimSpace(path) + ")", nil
}

func (p *thundersvm) Machine(j MachineJob, model string) []string {
	return append([]string{p.binary, "-o", strconv.Itoa(j.Threads)}, append(j.flags(), j.Task.Text, model)...)
}

func (*thundersvm) Learned(_ context.Context, path string) (*model.Model, error) {
	return model.ReadFile(path)
}
