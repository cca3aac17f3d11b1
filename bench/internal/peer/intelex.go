package peer

import (
	"context"
	"strings"

	"github.com/fenchel-ml/fenchel/bench/internal/task"
	"github.com/fenchel-ml/fenchel/model"
)

// An Intelex is scikit-learn-intelex, scikit-learn's SVC by Intel's oneDAL on all cores.
type Intelex struct{ of Sklearn }

func init() {
	registerPeer(&Intelex{Sklearn{pythonPeer{probe: "import sklearnex.svm; from importlib.metadata import version; print(version('scikit-learn-intelex'))"}}})
}

func (*Intelex) Name() string { return "scikit-learn-intelex" }

func (p *Intelex) Find(ctx context.Context, opt *task.Config) (string, error) {
	return p.of.Find(ctx, opt)
}

// Machine trains its SVC.
func (p *Intelex) Machine(j MachineJob, model string) []string {
	command := p.of.Machine(j, model)
	command[len(command)-1] = strings.Replace(command[len(command)-1], "sklearn.svm", "sklearnex.svm", 1)
	return command
}

// Learned reads the model, a pickle.
func (p *Intelex) Learned(ctx context.Context, path string) (*model.Model, error) {
	return p.of.Learned(ctx, path)
}
