package usage

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
)

// Two classes are one pair, so that svm-train's lines name its scheme for several whatever the data are.

// A foreign is the command line of a program that trains, as its users type it: a table from its
// flags to ours, in which X is the value, and
// P and N those of -p and -n.
type foreign struct {
	program string
	flags   map[string]string // -c: --C X
	alone   string            // flags that take no value
	types   map[string]string // of -s
	kernels map[string]string // of -t; nil: it has none
}

var foreigns = []foreign{
	{"svm-train", map[string]string{"c": "--C X", "g": "--gamma X", "d": "--degree X", "r": "--coef0 X", "n": "", "p": "", "e": "", "m": "--cache XMB", "h": "", "b": "--probabilities", "v": "--folds X", "q": "--quiet"}, "q",
		map[string]string{"0": "--scheme one-against-one", "1": "--nu N --scheme one-against-one", "2": "--task one-class --nu N", "3": "--loss epsilon-insensitive:epsilon=P", "4": "--task regression --nu N"},
		map[string]string{"0": "--kernel linear", "1": "--kernel poly", "2": "--kernel rbf", "3": "--kernel sigmoid", "4": "--kernel precomputed"}},
	{"LIBLINEAR's train", map[string]string{"c": "--C X", "p": "", "e": "", "B": "", "v": "--folds X", "q": "--quiet", "R": "--bias free", "C": "", "m": "--threads X"}, "qRC",
		map[string]string{"0": "--loss logistic", "1": "--loss squared-hinge", "2": "--loss squared-hinge", "3": "--loss hinge", "4": "--loss crammer-singer", "5": "--loss squared-hinge --penalty l1", "6": "--loss logistic --penalty l1",
			"7": "--loss logistic", "11": "--loss squared-epsilon-insensitive:epsilon=P", "12": "--loss squared-epsilon-insensitive:epsilon=P", "13": "--loss epsilon-insensitive:epsilon=P"}, nil},
}

// parameters are the flags that the kernels of svm-train have.
var parameters = map[string]string{"1": "gdr", "2": "g", "3": "gr"}

// classFlag is the weight of a class, -w1 5.
var classFlag = regexp.MustCompile(`^-w(.+)$`)

// translate returns what the arguments of a verb, as users of other programs type them, are
// here; nil: they are of none of these.
func translate(args []string) (lines []string) {
	for _, f := range foreigns {
		if line, ok := f.translate(args); ok {
			line = fmt.Sprintf("%s %s is %q", f.program, printing.Spell(strings.Join(args, " ")), line)
			if slices.Contains(args, "-e") {
				line += " (without -e, a tolerance of another kind: --gap is a proved bound)"
			}
			lines = append(lines, line)
		}
	}
	return lines
}

// translate returns the command line here; false: it is not of the program.
func (f foreign) translate(args []string) (line string, ok bool) {
	given := map[string]string{}
	var files, weights []string
	for k := 0; k < len(args); k++ {
		name, flag := strings.CutPrefix(args[k], "-")
		switch class := classFlag.FindStringSubmatch(args[k]); {
		case !flag:
			files = append(files, args[k])
		case strings.Contains(f.alone, name):
			given[name] = " "
		case k+1 == len(args):
			return "", false
		case class != nil:
			k++
			weights = append(weights, class[1]+"="+args[k])
		case f.has(name):
			k++
			given[name] = args[k]
		default:
			return "", false
		}
	}
	kind, known := f.types[cmp.Or(given["s"], map[bool]string{true: "0", false: "1"}[f.kernels != nil])]
	if !known || len(files) == 0 || len(files) > 2 {
		return "", false
	}
	return f.write(given, files, weights, kind)
}

// has reports whether the program has the flag.
func (f foreign) has(name string) bool {
	_, ok := f.flags[name]
	return ok || name == "s" || name == "t" && f.kernels != nil
}

// write writes the command line here.
func (f foreign) write(given map[string]string, files, weights []string, kind string) (line string, ok bool) {
	words := []string{"fenchel train " + printing.Word(files[0])}
	if given["p"] != "" && !strings.Contains(kind, "P") {
		return "", false
	}
	switch single := strings.Contains(kind, "one-class"); {
	case single && given["v"] != "":
		return "", false // there are no targets to be judged by
	case strings.Contains(kind, "P"): // C is 1 there, by the scale of the targets here
		given["c"] = cmp.Or(given["c"], "1")
	case strings.Contains(kind, "N") && !strings.Contains(kind, "regression"):
		delete(given, "c") // svm-train takes no notice of it
	}
	if strings.ContainsAny(kind, "PN") { // nor of these, as LIBLINEAR where numbers are learned
		weights = nil
	}
	if kind = strings.NewReplacer("P", cmp.Or(given["p"], "0.1"), "N", cmp.Or(given["n"], "0.5")).Replace(kind); kind != "" {
		words = append(words, kind)
	}
	if f.kernels != nil {
		kernel, known := f.kernels[cmp.Or(given["t"], "2")]
		if !known {
			return "", false
		}
		words = append(words, kernel)
		for _, name := range []string{"g", "d", "r"} {
			if !strings.Contains(parameters[cmp.Or(given["t"], "2")], name) {
				delete(given, name) // svm-train takes no notice of it either
			}
		}
	} else if given["R"] == "" {
		words = append(words, "--bias "+constant(given["B"]))
	}
	for _, name := range slices.Sorted(maps.Keys(f.flags)) {
		if text := f.flags[name]; given[name] != "" && text != "" && !(name == "b" && given[name] == "0") {
			words = append(words, strings.Replace(text, "X", given[name], 1))
		}
	}
	if weights != nil {
		words = append(words, "--class-weight "+strings.Join(weights, ","))
	}
	if len(files) == 2 {
		words = append(words, "-o "+printing.Word(files[1]))
	}
	if given["C"] != "" {
		words[0] = "fenchel tune " + printing.Word(files[0])
		words = slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "--C ") })
	}
	return strings.Join(words, " "), true
}

// constant is the bias of LIBLINEAR's -B: the value of a constant column, below 0 none; one of zeros is none too.
func constant(value string) string {
	switch v, err := strconv.ParseFloat(value, 64); {
	case err != nil || !(v > 0):
		return "none"
	case v == 1:
		return "feature"
	}
	return "feature:value=" + value
}
