package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/internal/reportpage"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
)

// reports are the types of what --json prints, by the schema, or the definition in it, that describes
// them: one type, or that of either of two outputs.
var reports = map[string][]any{
	"train": {result.Training{}}, "path#/$defs/machines": {result.Path{}}, "path#/$defs/answers": {result.Answers{}}, "pca": {result.Reduction{}}, "evaluate#/$defs/model": {result.Evaluation{}}, "evaluate#/$defs/components": {result.EvaluatedComponents{}}, "sparsify": {result.Sparsified{}},
	"check-kernel": {result.CheckedKernel{}}, "version": {result.Version{}}, "qp": {result.Quadratic{}}, "tune": {result.Tuning{}, result.Solutions{}}, "report": {reportpage.Page{}},
	"info#/$defs/model": {result.Info{}}, "info#/$defs/components": {result.Components{}},
	"verify#/$defs/model": {result.Verification{}}, "verify#/$defs/components": {result.VerifiedComponents{}}, "verify#/$defs/foreign": {result.Audit{}},
	"bounds#/$defs/components": {result.BoundedComponents{}}, "bounds#/$defs/machines": {result.BoundedMachines{}},
	"compare#/$defs/components": {result.ComparedComponents{}}, "compare#/$defs/linear": {result.Compared{}},
	"advise#/$defs/linear": {result.Surveyed{}, result.Advised{}}, "advise#/$defs/machines": {result.AdvisedMachine{}},
}

// TestSchemasAreOfTypes compares the schemas with the types: the same fields, of the same kinds, as
// often absent or null.
func TestSchemasAreOfTypes(t *testing.T) {
	for name, types := range reports {
		verb, pointer, _ := strings.Cut(name, "#")
		fields, found := map[string]field{}, map[string]int{}
		for _, report := range types {
			of := map[string]field{}
			fieldsOf(of, reflect.TypeOf(report), false)
			for key, f := range of {
				fields[key] = f
				found[key]++
			}
		}
		for key, f := range fields {
			f.omitted = f.omitted || found[key] < len(types)
			fields[key] = f
		}
		fields["format_version"] = field{of: reflect.TypeFor[int]()}
		compareFields(t, name, schemaAt(t, verb+".schema.json", pointer), fields)
	}
}

// located is a part of a schema, and the file that its references are in.
type located struct {
	file  string
	value map[string]any
}

// schemaAt reads the part of a file that a pointer such as /$defs/bound names.
func schemaAt(t *testing.T, file, pointer string) located {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(os.Getenv(schemaFolder), file))
	var value any
	if err == nil {
		err = json.Unmarshal(text, &value)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for part := range strings.SplitSeq(strings.Trim(pointer, "/"), "/") {
		switch v := value.(type) {
		case []any:
			value = v[part[0]-'0']
		case map[string]any:
			if part != "" {
				value = v[part]
			}
		}
	}
	found, ok := value.(map[string]any)
	if !ok {
		t.Fatalf("%s#%s: found no part of a schema", file, pointer)
	}
	return located{file, found}
}

// parts are a schema and all that it refers to, of one of several that may be null the other.
func (s located) parts(t *testing.T) (all []located) {
	all = []located{s}
	if to, ok := s.value["$ref"].(string); ok {
		file, pointer, _ := strings.Cut(to, "#")
		if file == "" {
			file = s.file
		}
		all = append(all, schemaAt(t, file, pointer).parts(t)...)
	}
	for _, word := range []string{"allOf", "oneOf"} {
		list, _ := s.value[word].([]any)
		for _, v := range list {
			all = append(all, located{s.file, v.(map[string]any)}.parts(t)...)
		}
	}
	return all
}

// kinds are the types of JSON that a schema allows.
func (s located) kinds(t *testing.T) (all []string) {
	for _, p := range s.parts(t) {
		switch v := p.value["type"].(type) {
		case string:
			all = append(all, v)
		case []any:
			for _, one := range v {
				all = append(all, one.(string))
			}
		}
		values, _ := p.value["enum"].([]any)
		if v, ok := p.value["const"]; ok {
			values = append(values, v)
		}
		for _, v := range values {
			if v == nil {
				all = append(all, "null")
				continue
			}
			all = append(all, map[reflect.Kind]string{reflect.String: "string", reflect.Bool: "boolean", reflect.Float64: "integer"}[reflect.ValueOf(v).Kind()])
		}
	}
	return all
}

// field is one of the JSON of a type.
type field struct {
	of                 reflect.Type
	omitted, uncertain bool // where it is zero; with the others of a pointer
}

// fieldsOf adds the fields of a type, those of what it embeds too, which the type's own hide.
func fieldsOf(all map[string]field, of reflect.Type, uncertain bool) {
	for k := range of.NumField() {
		f := of.Field(k)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if inner := f.Type; f.Anonymous && name == "" {
			if pointer := inner.Kind() == reflect.Pointer; pointer {
				fieldsOf(all, inner.Elem(), true)
			} else {
				fieldsOf(all, inner, uncertain)
			}
		}
		if name != "" && name != "-" {
			all[name] = field{f.Type, strings.Contains(options, "omit"), uncertain}
		}
	}
}

var bound = reflect.TypeFor[model.Bound]()

// kindOf is the type of JSON of a type, and whether it may be null.
func kindOf(of reflect.Type) (kind string, null bool) {
	switch k := of.Kind(); {
	case of == bound:
		return "number", true
	case k == reflect.Pointer:
		kind, _ = kindOf(of.Elem())
		return kind, true
	case k == reflect.String:
		return "string", false
	case k == reflect.Bool:
		return "boolean", false
	case k == reflect.Slice || k == reflect.Array:
		return "array", false
	case k == reflect.Map || k == reflect.Struct:
		return "object", false
	case k == reflect.Float64:
		return "number", false
	}
	return "integer", false
}

// compareFields reports where a schema of an object is not as the fields of a type.
func compareFields(t *testing.T, name string, s located, fields map[string]field) {
	properties, required, closed := map[string]located{}, []any{}, false
	for _, p := range s.parts(t) {
		more, _ := p.value["properties"].(map[string]any)
		for key, v := range more {
			properties[key] = located{p.file, v.(map[string]any)}
		}
		needed, _ := p.value["required"].([]any)
		required = append(required, needed...)
		closed = closed || p.value["additionalProperties"] == false || p.value["unevaluatedProperties"] == false
	}
	for key, p := range properties {
		f, ok := fields[key]
		if !ok {
			t.Errorf("%s: found the property %q, expected a field of the type", name, key)
			continue
		}
		if needed := slices.Contains(required, any(key)); !f.uncertain && needed == f.omitted {
			t.Errorf("%s: %q is required: found %t, expected %t as of the type", name, key, needed, !f.omitted)
		}
		compareField(t, name+"."+key, p, f)
	}
	for key := range fields {
		if _, ok := properties[key]; !ok && closed {
			t.Errorf("%s: found no property for the field %q of the type", name, key)
		}
	}
}

// compareField reports where a schema is not as a field.
func compareField(t *testing.T, name string, s located, f field) {
	kind, null := kindOf(f.of)
	allowed := s.kinds(t)
	for _, found := range allowed {
		if found != kind && found != "null" && (found != "integer" || kind != "number") {
			t.Errorf("%s: found the type %s, expected %s", name, found, kind)
		}
	}
	if null && !f.omitted && !slices.Contains(allowed, "null") {
		t.Errorf("%s: found no null, which %s may be", name, f.of)
	}
	inner := f.of
	for inner != bound && (inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice) {
		inner = inner.Elem()
		if items, ok := s.value["items"].(map[string]any); ok {
			s = located{s.file, items}
		}
	}
	if inner.Kind() == reflect.Struct {
		fields := map[string]field{}
		fieldsOf(fields, inner, false)
		compareFields(t, name, s, fields)
	}
}
