package fenchel

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// Set puts a value, as text, where the name says: a field of the Spec by its name in JSON (and scale for
// scaling), a parameter of the kernel (gamma, sigma, degree, coef0) or, as KIND:KEY, of the loss, the
// penalty or the kernel; class-weight is none or balanced, class-weight:LABEL the weight of a class.
// Numbers must be above 0. C and lambda are two names of one number: each clears the other.
func (spec *Spec) Set(name, value string) error {
	kind, key, part := strings.Cut(name, ":")
	of := map[string]*string{"loss": &spec.Loss, "penalty": &spec.Penalty, "kernel": &spec.Kernel}[kind]
	switch {
	case part && kind == "class-weight":
		return spec.weigh(key, value)
	case part && of != nil:
		return setParameter(of, kind, key, value)
	case slices.Contains([]string{"gamma", "sigma", "degree", "coef0"}, name):
		return setParameter(&spec.Kernel, "kernel", name, value)
	case name == "class-weight":
		if value != "none" && value != "balanced" {
			return fmt.Errorf("class-weight=%s: expected none or balanced, or class-weight:LABEL=WEIGHTS", value)
		}
		spec.Balanced, spec.ClassWeight = value == "balanced", nil
		return nil
	case name == "C":
		spec.Lambda = 0
	case name == "lambda":
		spec.C = 0
	case name == "scale":
		name = "scaling"
	}
	known := []string{}
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Spec]()) {
		switch tag := field.Tag.Get("json"); tag {
		case "-", "": // not of text; a group of fields
		case name:
			if setField(reflect.ValueOf(spec).Elem().FieldByIndex(field.Index), value) {
				return nil
			}
			return fmt.Errorf("%s=%s: expected %s", name, value, expectedOf(field.Type))
		default:
			known = append(known, tag)
		}
	}
	return registry.Unknown("parameter", name, known)
}

// setField sets a field to what a text says, and reports whether it says anything of the kind.
func setField(field reflect.Value, text string) (ok bool) {
	switch field.Kind() {
	case reflect.Slice: // of whole numbers
		var all []int
		for _, word := range strings.Split(text, ",") {
			x, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil || x <= 0 {
				return false
			}
			all = append(all, x)
		}
		field.Set(reflect.ValueOf(all))
		return true
	case reflect.String:
		field.SetString(text)
		return true
	case reflect.Float64:
		x, err := strconv.ParseFloat(text, 64)
		field.SetFloat(x)
		return err == nil && x > 0 && x-x == 0
	case reflect.Int, reflect.Int64:
		x, err := strconv.ParseInt(text, 10, 64)
		field.SetInt(x)
		return err == nil && x > 0
	case reflect.Uint64:
		x, err := strconv.ParseUint(text, 10, 64)
		field.SetUint(x)
		return err == nil
	case reflect.Bool:
		x, err := strconv.ParseBool(text)
		field.SetBool(x)
		return err == nil
	}
	return false
}

// expectedOf says what the text of a field may be.
func expectedOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Slice:
		return "whole numbers > 0, such as 100,50"
	case reflect.Float64:
		return "a number > 0"
	case reflect.Int, reflect.Int64, reflect.Uint64:
		return "a whole number > 0"
	case reflect.Bool:
		return "true or false"
	}
	return "a value that is set by a program"
}

// weigh gives a class a weight.
func (spec *Spec) weigh(label, weight string) error {
	w, err := strconv.ParseFloat(weight, 64)
	if err != nil || !(w > 0) {
		return fmt.Errorf("class-weight:%s=%s: expected a weight > 0", label, weight)
	}
	weights := maps.Clone(spec.ClassWeight)
	if weights == nil {
		weights = map[string]float64{}
	}
	weights[label] = w
	spec.ClassWeight = weights
	return nil
}

// setParameter sets a parameter in a spec such as rbf:gamma=1.
func setParameter(spec *string, kind, key, value string) error {
	if *spec == "" {
		return fmt.Errorf("%s=%s: found no %s that has this parameter, expected one", key, value, kind)
	}
	if strings.ContainsAny(*spec, "+*(") {
		return fmt.Errorf("%s=%s: found the %s %s of several parts, expected one", key, value, kind, *spec)
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
