package tune

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Setting is a parameter with its value.
type Setting struct{ Key, Value string }

// Candidate is one of the specs to choose from.
type Candidate struct {
	Settings []Setting
	Spec     fenchel.Spec
}

// String writes the settings as ParseAxes reads them.
func (c Candidate) String() string {
	words := make([]string, len(c.Settings))
	for k, s := range c.Settings {
		words[k] = s.Key + "=" + s.Value
	}
	return strings.Join(words, " ")
}

// number returns the value of a setting; 0: there is none.
func (c Candidate) number(key string) float64 {
	for _, s := range c.Settings {
		if s.Key == key {
			x, _ := strconv.ParseFloat(s.Value, 64)
			return x
		}
	}
	return 0
}

// Candidates makes the product of axes around a spec. The first axis changes least often.
func Candidates(spec fenchel.Spec, axes []Axis) ([]Candidate, error) {
	total := 1
	for _, a := range axes {
		if len(a.Values) == 0 {
			return nil, fmt.Errorf("search: %s: found no values, expected at least one", a.Key)
		}
		if total *= len(a.Values); total > mostCandidates {
			return nil, fmt.Errorf("search: found more than %d candidates, expected fewer", mostCandidates)
		}
	}
	all := []Candidate{{Spec: spec}}
	for _, a := range axes {
		next := make([]Candidate, 0, len(all)*len(a.Values))
		for _, c := range all {
			for _, v := range a.Values {
				more := Candidate{append(slices.Clone(c.Settings), Setting{a.Key, v}), c.Spec}
				if err := assign(&more.Spec, a.Key, v); err != nil {
					return nil, err
				}
				next = append(next, more)
			}
		}
		all = next
	}
	for _, c := range all {
		if err := c.Spec.Check(); err != nil {
			switch where := c.String(); {
			case where == "":
				return nil, err
			case strings.HasPrefix(err.Error(), where+":"):
				return nil, fmt.Errorf("search: %w", err)
			default:
				return nil, fmt.Errorf("search: %s: %w", where, err)
			}
		}
	}
	return all, nil
}

// Keys are the parameters that a search knows; KIND:KEY is a parameter of the loss, the
// penalty or the kernel, and class-weight:LABEL the weight of a class.
func Keys() []string {
	return []string{"C", "lambda", "nu", "gamma", "sigma", "degree", "coef0", "loss", "penalty", "kernel", "bias", "scale", "class-weight",
		"loss:KEY", "penalty:KEY", "kernel:KEY", "class-weight:LABEL"}
}

// set puts a value into a spec.
func assign(spec *fenchel.Spec, key, value string) error {
	switch key {
	case "C":
		spec.Lambda = 0
		return setNumber(&spec.C, key, value)
	case "lambda":
		spec.C = 0
		return setNumber(&spec.Lambda, key, value)
	case "nu":
		return setNumber(&spec.Nu, key, value)
	case "gamma", "sigma", "degree", "coef0":
		return setParameter(&spec.Kernel, "kernel", key, value)
	case "loss":
		spec.Loss = value
	case "penalty":
		spec.Penalty = value
	case "kernel":
		spec.Kernel = value
	case "bias":
		spec.Bias = value
	case "scale":
		spec.Scaling = value
	case "class-weight":
		return setClassWeight(spec, value)
	default:
		return setPart(spec, key, value)
	}
	return nil
}

// setPart sets a parameter of a part of the spec, KIND:KEY.
func setPart(spec *fenchel.Spec, key, value string) error {
	kind, name, ok := strings.Cut(key, ":")
	of := map[string]*string{"loss": &spec.Loss, "penalty": &spec.Penalty, "kernel": &spec.Kernel}[kind]
	switch {
	case ok && kind == "class-weight":
		w, err := strconv.ParseFloat(value, 64)
		if err != nil || !(w > 0) {
			return fmt.Errorf("search: %s=%s: expected a weight > 0", key, value)
		}
		weights := maps.Clone(spec.ClassWeight)
		if weights == nil {
			weights = map[string]float64{}
		}
		weights[name] = w
		spec.ClassWeight = weights
		return nil
	case ok && of != nil:
		return setParameter(of, kind, name, value)
	}
	return fmt.Errorf("search: %w", registry.Unknown("parameter", key, Keys()))
}

func setNumber(dst *float64, key, value string) error {
	x, err := strconv.ParseFloat(value, 64)
	if err != nil || !(x > 0) || x-x != 0 {
		return fmt.Errorf("search: %s=%s: expected a number > 0", key, value)
	}
	*dst = x
	return nil
}

// setParameter sets a parameter in a spec such as rbf:gamma=1.
func setParameter(spec *string, kind, key, value string) error {
	if *spec == "" {
		return fmt.Errorf("search: %s=%s: found no %s that has this parameter, expected --%s too", key, value, kind, kind)
	}
	if strings.ContainsAny(*spec, "+*(") {
		return fmt.Errorf("search: %s=%s: found the %s %s of several parts, expected one", key, value, kind, *spec)
	}
	name, rest, _ := strings.Cut(*spec, ":")
	parameters := []string{}
	if rest != "" {
		parameters = slices.DeleteFunc(strings.Split(rest, ","), func(p string) bool {
			return strings.HasPrefix(p, key+"=") || kind == "kernel" && (key == "gamma" || key == "sigma") && (strings.HasPrefix(p, "gamma=") || strings.HasPrefix(p, "sigma="))
		})
	}
	parameters = append(parameters, key+"="+value)
	if kind == "kernel" && pose.DefaultsGamma(name) && !slices.ContainsFunc(parameters, func(p string) bool {
		return strings.HasPrefix(p, "gamma=") || strings.HasPrefix(p, "sigma=")
	}) {
		parameters = append(parameters, "gamma=auto")
	}
	slices.Sort(parameters)
	*spec = name + ":" + strings.Join(parameters, ",")
	return nil
}

func setClassWeight(spec *fenchel.Spec, value string) error {
	switch value {
	case "none":
		spec.Balanced, spec.ClassWeight = false, nil
	case "balanced":
		spec.Balanced, spec.ClassWeight = true, nil
	default:
		return fmt.Errorf("search: class-weight=%s: expected none or balanced, or class-weight:LABEL=WEIGHTS", value)
	}
	return nil
}
