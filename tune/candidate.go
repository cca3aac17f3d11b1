package tune

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel"
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

// candidates makes the product of axes around a spec. The first axis changes least often.
func candidates(spec fenchel.Spec, axes []Axis) ([]Candidate, error) {
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

// keys are the parameters that a search knows; KIND:KEY is a parameter of the loss, the
// penalty or the kernel, and class-weight:LABEL the weight of a class.
func keys() []string {
	return []string{"C", "lambda", "nu", "gamma", "sigma", "degree", "coef0", "loss", "penalty", "kernel", "bias", "scale", "class-weight",
		"loss:KEY", "penalty:KEY", "kernel:KEY", "class-weight:LABEL"}
}

// assign puts a value into a spec.
func assign(spec *fenchel.Spec, key, value string) error {
	if kind, _, part := strings.Cut(key, ":"); !slices.Contains(keys(), key) && !(part && slices.Contains(keys(), kind)) {
		return fmt.Errorf("search: %w", registry.Unknown("parameter", key, keys()))
	}
	if err := spec.Set(key, value); err != nil {
		return fmt.Errorf("search: %w", err)
	}
	return nil
}
