package pca

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/pca/method"
	"github.com/fenchel-ml/fenchel/internal/pca/methods"
	"github.com/fenchel-ml/fenchel/internal/pca/view"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/scaling"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/kernel"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/fenchel-ml/fenchel/model"
)

// Spec says which principal components are wanted, and how to find them.
type Spec struct {
	K       int    // how many
	Method  string // name of the method, as pca.New takes it; "" or "auto": chosen
	Center  string // "yes", "no"; "" or "auto": yes for a table, or if at least one value in twenty is not zero
	Scale   string // one of PCAScales; "" or "auto": std for a table, whose columns have units of their own, else none
	Kernel  string // components are of the images of rows in the space of this kernel, a spec as kernel.New takes it; "": of the rows
	Map     string // to features of which products are nearly the kernel, a spec as featuremap.NewApproximation takes it; "": none
	Missing string // one of Missings: whether missing numbers of a table are replaced by means; "": mean, but observed for the method ppca
	Whiten  string // what coordinates are divided by: one of model.Whitenings; "": nothing

	// Share, in place of K, asks for the fewest components that capture this part of the
	// variance; 1: for all directions in which the rows vary.
	Share float64

	// Likeliest, in place of K, asks for the number of components that makes the rows the most likely
	// (Minka 2000), of at least as many rows as features.
	Likeliest bool

	// Gap is the share of the best possible variance that may be missing, by proof;
	// 0: DefaultGap, and a method that reads each row once ends without it.
	Gap     float64
	Time    time.Duration // limit from the rows to the model, the certificate included; 0: none
	Epochs  int           // passes of a method that learns row by row; 0: one
	Shuffle bool          // such a method takes the rows in random order
	Seed    uint64        // seed of the generator of random numbers
	Threads int           // at most so many cores; 0: all. Never changes a result

	HoldOut float64 // share of a stream's rows that are held out, at most 1/2; 0: one in twenty, -1: none
	// Phase, when set, is told what is done: "fitting" or "certifying".
	Phase func(string)

	NoState   bool // a stream's model cannot go on, and is smaller
	ZeroBased bool // noted in the model: how LIBSVM indices of the data begin

	Notes map[string]string // kept in the model, for its users: nothing depends on them; see model.CheckNotes
}

// DefaultGap is the share of the variance that may be missing unless another one
// is asked for.
const DefaultGap = 1e-3

// Scales returns the names of the scalings of features for components.
func Scales() []string { return scaling.MomentScalings() }

// Check returns what is wrong with the names and numbers of a spec, as far as that
// can be known without data.
func (spec Spec) Check() error {
	if !(spec.Share >= 0 && spec.Share <= 1) || spec.Share > 0 && spec.K != 0 {
		return fmt.Errorf("share = %g, k = %d: expected a part of the variance, from 0 to 1, or a number of components", spec.Share, spec.K)
	}
	if spec.Likeliest && (spec.K != 0 || spec.Share != 0 || spec.Kernel != "") {
		return errors.New("found the most likely number of components asked for beside another one or a kernel, expected it alone")
	}
	if spec.K < 1 && !spec.chooseK() {
		return fmt.Errorf("k = %d: expected at least 1", spec.K)
	}
	if spec.Scale != "" && spec.Scale != "auto" && !slices.Contains(Scales(), spec.Scale) {
		return registry.Unknown("scaling", spec.Scale, Scales())
	}
	if spec.Whiten != "" && !slices.Contains(model.Whitenings(), spec.Whiten) {
		return registry.Unknown("whitening", spec.Whiten, model.Whitenings())
	}
	if err := spec.checkMissing(); err != nil {
		return err
	}
	if c := spec.Center; c != "" && c != "auto" && c != "yes" && c != "no" {
		return fmt.Errorf("center = %s: expected yes, no or auto", c)
	}
	if spec.Scale == "thesis" && spec.Center == "no" {
		return errors.New("scale thesis: found center no, expected rows to be centred, as it is made for them")
	}
	if !(spec.Gap >= 0 && spec.Gap < 1) {
		return fmt.Errorf("gap = %g: expected a number from 0 to 1", spec.Gap)
	}
	if !isHoldOut(spec.HoldOut) {
		return fmt.Errorf("hold out %g: expected a share of the rows, from 0 to 0.5", spec.HoldOut)
	}
	if err := model.CheckNotes(spec.Notes); err != nil {
		return err
	}
	if spec.Time < 0 {
		return fmt.Errorf("time = %s: expected a limit > 0", spec.Time)
	}
	if spec.Epochs < 0 {
		return fmt.Errorf("epochs = %d: expected a number >= 0", spec.Epochs)
	}
	if spec.chooses() {
		return spec.checkKernel()
	}
	if _, err := methods.New(spec.Method); err != nil {
		return err
	}
	return spec.checkKernel()
}

func (spec *Spec) chooses() bool { return spec.Method == "" || spec.Method == "auto" }

// mostDouble bounds the multiplications for the second moment of rows of double precision, a few seconds of work.
const mostDouble = 4e9

// readsDouble are the methods that multiply with all rows, and never see one by itself.
var readsDouble = []string{"covariance", "gram", "krylov", "power", "randomized"}

// inPrecision returns the set with its rows of double precision, where the method reads them so and they are few, else
// rounded; of such rows the choice is a method that forms their second moment or inner products.
func (spec *Spec) inPrecision(set *data.Set) *data.Set {
	if set == nil || !matrix.IsDouble(set.X) {
		return set
	}
	n, d := set.X.Dims()
	scaled := set.Schema.Standardised() || !slices.Contains([]string{"", "auto", "none"}, spec.Scale)
	many := float64(n)*float64(d)*float64(min(n, d)) > mostDouble
	rowwise := !spec.chooses() && !slices.Contains(readsDouble, spec.Method)
	if scaled || many || rowwise || spec.Kernel != "" || set.Gaps != nil {
		return set.Single()
	}
	if spec.chooses() {
		spec.Method = map[bool]string{true: "covariance", false: "gram"}[d <= n]
	}
	return set
}

// chooseK reports whether the rows say how many components there are.
func (spec *Spec) chooseK() bool { return spec.Share > 0 || spec.Likeliest }

// goal returns the gap that is to be proved.
func (spec *Spec) goal() float64 {
	if spec.Gap == 0 {
		return DefaultGap
	}
	return spec.Gap
}

// Streams reports whether the method reads every row once, as rows from a pipe
// need it: also where one is to be chosen.
func (spec Spec) Streams() bool {
	if spec.chooses() {
		return true
	}
	m, err := methods.New(spec.Method)
	_, once := m.(method.Streaming)
	return err == nil && once
}

// settle chooses the scale where that is left open, and decides whether rows of x, of a
// table or not, are centred.
func (spec *Spec) settle(x matrix.Matrix, table bool) (center bool) {
	if spec.Scale == "" || spec.Scale == "auto" {
		if spec.Scale = "none"; table {
			spec.Scale = "std"
		}
	}
	switch spec.Center {
	case "yes":
		return true
	case "no":
		return false
	}
	if table {
		return true
	}
	n, d := x.Dims()
	return view.Centres(n, d, matrix.Nonzeros(x))
}

// Observed is the [Spec.Missing] of components of the observed numbers alone.
const Observed = model.Observed

// ppca is the method for rows with missing numbers.
const ppca = "ppca"

// Missings returns what Spec.Missing may be.
func Missings() []string { return []string{"mean", Observed} }

// checkMissing returns what is wrong with a spec of missing numbers.
func (spec Spec) checkMissing() error {
	switch {
	case spec.Missing == "" || spec.Missing == "mean":
		return nil
	case spec.Missing != Observed:
		return fmt.Errorf("missing = %s: expected %s", spec.Missing, strings.Join(Missings(), " or "))
	case spec.Kernel != "":
		return fmt.Errorf("missing = %s: expected no kernel, whose values need all numbers of a row", Observed)
	case spec.chooseK():
		return fmt.Errorf("missing = %s: expected a number of components, as the variance is not known", Observed)
	case !spec.chooses() && !spec.isPPCA() && !spec.Streams():
		return fmt.Errorf("method %s: expected ppca, or one that learns row by row, such as grouse or msg, for components of the numbers that are there", spec.Method)
	}
	return nil
}

// observed is the statement of a model about missing numbers: "" where they are replaced by means.
func (spec Spec) observed() string {
	if spec.Missing == Observed {
		return Observed
	}
	return ""
}

// Observes reports whether missing numbers are not replaced by means.
func (spec Spec) Observes() bool {
	return spec.Missing == Observed || spec.Missing == "" && spec.isPPCA()
}

func (spec Spec) isPPCA() bool {
	return spec.Method == ppca || strings.HasPrefix(spec.Method, ppca+":")
}

// space makes the space of images of the rows, and the rows as it takes them: scaled, and with a map
// their images. It writes out what the kernel leaves open.
func (spec *Spec) space(ctx context.Context, x matrix.Matrix, table bool) (*model.Space, matrix.Matrix, error) {
	_, cols := x.Dims()
	spec.Kernel = pose.CompleteKernel(spec.Kernel, cols)
	k, err := kernel.New(spec.Kernel)
	if err != nil {
		return nil, nil, err
	}
	s := &model.Space{Kernel: k}
	if spec.settle(x, table); spec.Scale != "none" {
		dense := matrix.IsDense(x)
		moments := scaling.NewMoments(x, spec.Threads)
		if dense {
			moments.MeasureCentred(x, spec.Threads)
		}
		if s.Scaling, err = moments.Scaling(spec.Scale, dense); err == nil {
			s.Scaling, err = scaling.Restore(spec.Scale, s.Scaling.Offset, s.Scaling.Factor)
		}
		if err != nil {
			return nil, nil, pose.DataError{Reason: err.Error()}
		}
	}
	if x, err = s.Prepare(x); err != nil {
		return nil, nil, pose.DataError{Reason: err.Error()}
	}
	if spec.Map == "" {
		s.Rows = x
		return s, x, nil
	}
	s.Map, x, err = pose.Image(ctx, spec.Map, k, x, spec.Seed, spec.Threads)
	return s, x, err
}

// checkKernel returns what is wrong with a kernel and a map, as far as that can be known without data.
func (spec Spec) checkKernel() error {
	switch {
	case spec.Kernel == "" && spec.Map != "":
		return fmt.Errorf("map %s: expected a kernel too, such as rbf", spec.Map)
	case spec.Kernel == "":
		return nil
	case strings.Contains(spec.Kernel, pose.GammaScale) || strings.Contains(spec.Kernel, "precomputed"):
		return fmt.Errorf("kernel %q: expected one that depends on two rows alone", spec.Kernel)
	}
	k, err := kernel.New(pose.CompleteKernel(spec.Kernel, 1))
	switch {
	case err != nil:
		return err
	case kernel.IsIndefinite(k):
		return fmt.Errorf("kernel %q: found a kernel that is no inner product, expected one whose values are those of images of rows", spec.Kernel)
	case spec.Map != "":
		a, err := featuremap.NewApproximation(spec.Map)
		if err != nil {
			return err
		}
		return a.Accepts(k)
	case !spec.chooses() && spec.Method != "gram":
		return fmt.Errorf("method %s: expected gram, the eigenvectors of the matrix of the kernel, or a map of the kernel to features, of which every method finds components", spec.Method)
	case spec.Epochs > 0 || spec.Shuffle:
		return errors.New("found epochs or shuffling asked for, expected a map of the kernel to features, and a method that learns row by row")
	}
	return nil
}
