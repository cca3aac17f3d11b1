package option

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
)

// ApplyClassWeights reads "balanced" or "LABEL=WEIGHT,...".
func ApplyClassWeights(spec *fenchel.Spec, text string) (err error) {
	switch text {
	case "":
	case "balanced":
		spec.Balanced = true
	default:
		spec.ClassWeight, err = ParseClassWeights(text, "balanced or a list of LABEL=WEIGHT")
	}
	return err
}

// ParseClassWeights reads "LABEL=WEIGHT,...". What has no "=" is refused as not what was
// expected.
func ParseClassWeights(list, expected string) (map[string]float64, error) {
	return ParseLabelled("class-weight", list, expected, func(w float64) bool { return w > 0 }, "LABEL=WEIGHT with a weight > 0")
}

// ParseLabelled reads "LABEL=NUMBER,..." of a flag; a label may be in double quotes, as Go spells strings. What
// has no "=" is refused as not what was expected, and a number that is not good as not the pair that was.
func ParseLabelled(flag, list, expected string, good func(float64) bool, expectedPair string) (map[string]float64, error) {
	weights := map[string]float64{}
	for rest, more := list, true; more; {
		label := ""
		quoted, err := strconv.QuotedPrefix(rest)
		if after := rest[len(quoted):]; err == nil && rest[0] == '"' && strings.HasPrefix(after, "=") {
			label, _ = strconv.Unquote(quoted)
			rest = after
		} else {
			quoted = ""
		}
		pair := ""
		pair, rest, more = strings.Cut(rest, ",")
		at := strings.LastIndex(pair, "=")
		if at < 0 {
			if strings.Contains(list, ",") {
				expected += `, with a label that has a comma in quotes: "a,b"=2`
			}
			return nil, fmt.Errorf("--%s: found %q, expected %s", flag, pair, expected)
		}
		if quoted == "" {
			label = pair[:at]
		}
		w, err := strconv.ParseFloat(pair[at+1:], 64)
		if err != nil || !good(w) || math.IsInf(w, 1) {
			return nil, fmt.Errorf("--%s: found %q, expected %s", flag, quoted+pair, expectedPair)
		}
		if _, twice := weights[label]; twice {
			return nil, fmt.Errorf("--%s: found the label %q twice, expected each once", flag, label)
		}
		weights[label] = w
	}
	return weights, nil
}

// ParseNotes reads NAME=TEXT of each flag.
func ParseNotes(flags []string) (map[string]string, error) {
	if flags == nil {
		return nil, nil
	}
	notes := map[string]string{}
	for _, flag := range flags {
		name, text, ok := strings.Cut(flag, "=")
		if !ok || name == "" {
			return nil, fmt.Errorf("--note %s: expected NAME=TEXT", printing.Spell(flag))
		}
		if _, twice := notes[name]; twice {
			return nil, fmt.Errorf("--note: found the name %q twice, expected each once", name)
		}
		notes[name] = text
	}
	return notes, nil
}

const NoteHelp = "keep NAME=TEXT in the model, for its users (may be repeated)"
