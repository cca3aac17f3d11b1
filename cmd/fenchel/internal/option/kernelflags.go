package option

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/featuremap"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/kernel"
)

// KernelFlags are those of kernel machines. The parameters of the usual kernels
// have flags of their own: "--kernel rbf --gamma 2" is "--kernel rbf:gamma=2".
type KernelFlags struct {
	parameters [4]float64 // in the order of kernelParameters
	Cache      string
}

var kernelParameters = [...]struct{ name, of, help string }{ // of: a kernel that has it
	{"gamma", "rbf", "gamma of the kernel (default 1/features for rbf, poly and sigmoid)"},
	{"sigma", "rbf", "width of the kernel rbf, instead of gamma: gamma = 1/(2 sigma^2)"},
	{"degree", "poly", "degree of the kernel poly (default 3)"},
	{"coef0", "poly", "constant of the kernels poly and sigmoid (default 0)"},
}

// Register adds the flags.
func (k *KernelFlags) Register(cmd *cobra.Command, spec *fenchel.Spec) {
	f := cmd.Flags()
	f.StringVar(&spec.Kernel, "kernel", "", "train a kernel machine with this kernel, as in \"fenchel list kernels\": a name, name:key=value,..., or a sum of products of them")
	k.ParametersOf(cmd)
	f.StringVar(&spec.Map, "map", "", "approximate the kernel by inner products of finitely many features, as in \"fenchel list maps\", and train a linear model of these")
	f.Float64Var(&spec.Radius, "radius", 0, "bound on the norm, instead of lambda; of linear models that of the penalty, l1 or l2")
	f.Float64Var(&spec.Slack, "slack", 0, "seek the largest margin with this average slack, instead of lambda")
	f.BoolVar(&spec.HardMargin, "hard-margin", false, "the largest margin of a kernel machine on separable rows, which must be; the same as --C inf and --slack 0")
	f.Float64Var(&spec.Nu, "nu", 0, "share of rows beyond the margin or tube of a kernel machine, or of outliers: nu-classification, nu-regression (with C), one class")
	f.StringVar(&k.Cache, "cache", "", "keep at most so much of the kernel's matrix in memory, such as 500MB (default 1GB; with several classes, and in tune, last digits may depend on it)")
	Complete(cmd, "kernel", Names(kernel.Entries())...)
	Complete(cmd, "map", Names(featuremap.Approximations())...)
}

// ParametersOf adds the flags of the kernels' parameters.
func (k *KernelFlags) ParametersOf(cmd *cobra.Command) {
	for i, p := range kernelParameters {
		cmd.Flags().Float64Var(&k.parameters[i], p.name, 0, p.help)
	}
}

// Apply puts the flags into the spec.
func (k *KernelFlags) Apply(cmd *cobra.Command, spec *fenchel.Spec) error {
	var err error
	if cmd.Flags().Changed("cache") {
		if spec.Kernel == "" {
			return fmt.Errorf("--cache %s: expected a kernel too, such as --kernel rbf", k.Cache)
		}
		if spec.Cache, err = ParseBytes(k.Cache); err != nil {
			return fmt.Errorf("--cache %s: %w", k.Cache, err)
		}
	}
	return k.ApplyTo(cmd, &spec.Kernel)
}

// ApplyTo puts the flags of parameters into the spec of a kernel.
func (k *KernelFlags) ApplyTo(cmd *cobra.Command, spec *string) error {
	var given []string
	for i, p := range kernelParameters {
		if !cmd.Flags().Changed(p.name) {
			continue
		}
		value := strconv.FormatFloat(k.parameters[i], 'g', -1, 64)
		if err := checkParameter(p.name, k.parameters[i]); err != nil {
			return err
		}
		if *spec == "" {
			return fmt.Errorf("--%s needs --kernel (try --kernel %s)", p.name, p.of)
		}
		if strings.ContainsAny(*spec, ":+*(") {
			return fmt.Errorf("--%s %s: expected the name of one kernel, such as --kernel rbf, found --kernel %q", p.name, value, *spec)
		}
		given = append(given, p.name+"="+value)
	}
	if len(given) == 0 {
		return nil
	}
	if pose.DefaultsGamma(*spec) && !cmd.Flags().Changed("gamma") && !cmd.Flags().Changed("sigma") {
		given = append(given, "gamma=auto")
	}
	*spec += ":" + strings.Join(given, ",")
	return nil
}

// checkParameter refuses what no kernel can have, by the name of the flag.
func checkParameter(name string, x float64) error {
	expected := ""
	switch name {
	case "gamma", "sigma":
		if !(x > 0 && x <= math.MaxFloat64) {
			expected = "a number > 0"
		}
	case "degree":
		if !(x >= 1 && x == math.Trunc(x)) {
			expected = "a whole number >= 1"
		}
	}
	if expected != "" {
		return fmt.Errorf("--%s %g: expected %s", name, x, expected)
	}
	return nil
}

// ParseBytes reads a size in memory: a number of bytes, KB, MB or GB.
func ParseBytes(text string) (int64, error) {
	number, unit := text, 1.0
	for i, suffix := range []string{"KB", "MB", "GB"} {
		if rest, ok := strings.CutSuffix(strings.ToUpper(text), suffix); ok {
			number, unit = strings.TrimSpace(rest), math.Ldexp(1, 10*(i+1))
		}
	}
	x, err := strconv.ParseFloat(number, 64)
	if size := x * unit; err == nil && size >= 1 && size < math.MaxInt64 {
		return int64(size), nil
	}
	return 0, fmt.Errorf("expected a size > 0, such as 500MB or 1GB (of 1024 MB)")
}
