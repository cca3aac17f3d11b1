package main

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/model"
)

// libsvm is LIBSVM as the system installed it. Its command names no version;
// its usage tells it from other programs of that name. It runs on one core.
type libsvm struct{ binary string }

func init() { registerPeer(&libsvm{}) }

func (*libsvm) name() string { return "libsvm" }

func (p *libsvm) find(ctx context.Context, _ *config) (string, error) {
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

func (p *libsvm) machine(j machineJob, model string) []string {
	return append([]string{p.binary, "-q"}, append(j.flags(), j.task.text, model)...)
}

// flags are those of LIBSVM and of ThunderSVM: a Gaussian kernel machine for
// classes, with 1000 MB of cache.
func (j machineJob) flags() []string {
	return []string{"-s", "0", "-t", "2", "-g", number(j.gamma), "-c", number(j.c), "-e", number(j.knob), "-m", "1000"}
}

func (*libsvm) learned(_ context.Context, path string) (*model.Model, error) {
	return model.ReadFile(path)
}

// thundersvm is ThunderSVM on all cores. Its model files are like LIBSVM's.
type thundersvm struct{ binary string }

func init() { registerPeer(&thundersvm{}) }

func (*thundersvm) name() string { return "thundersvm" }

func (p *thundersvm) find(context.Context, *config) (string, error) {
	path, err := exec.LookPath("thundersvm-train")
	if err != nil {
		return "", errors.New("found no thundersvm-train in PATH")
	}
	p.binary = path
	return "(" + strings.TrimSpace(path) + ")", nil
}

func (p *thundersvm) machine(j machineJob, model string) []string {
	return append([]string{p.binary, "-o", strconv.Itoa(j.threads)}, append(j.flags(), j.task.text, model)...)
}

func (*thundersvm) learned(_ context.Context, path string) (*model.Model, error) {
	return model.ReadFile(path)
}
