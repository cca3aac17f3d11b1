package printing

import (
	"regexp"
	"slices"
	"strings"
)

// FlagGroups order the flags in the help of every verb; a test checks that each flag has
// its place.
var FlagGroups = []struct {
	Title string
	Flags []string
}{
	{"Data", []string{"target", "weights", "labels", "group", "test", "valid", "train", "data", "id", "keep", "like", "richer", "full", "header", "ignore", "categorical", "numeric", "text", "ngrams", "words", "cross", "hash", "min-count", "max-share", "term-weights", "missing", "dates", "skip-unlabelled", "features", "format", "restore", "zero-based", "n", "d", "descriptor", "shared", "folder"}},
	{"Problem", []string{"task", "classes", "loss", "target-log", "penalty", "hidden", "activation", "image", "C", "lambda", "bias", "scheme", "class-weight", "cost", "threshold", "interval", "components", "center", "scale", "lower", "upper", "standardise", "target-lower", "target-upper", "condition", "plan", "accuracy", "delta", "squared-norm", "fourth-norm"}},
	{"Kernel", []string{"kernel", "gamma", "sigma", "degree", "coef0", "map", "nu", "radius", "slack", "hard-margin", "alpha", "cache", "support", "loss-at-most", "error-at-most", "keep-bias", "no-refit"}},
	{"Search", []string{"search", "folds", "holdout", "repeats", "outer", "estimate", "score", "rule", "halving", "budget", "prove", "within", "points", "repair"}},
	{"Solver and stopping", []string{"solver", "method", "gap", "epochs", "steps", "time", "refine", "refit", "seed", "partitions", "threads", "init", "anew", "shuffle", "stream", "bits", "holdout-after", "resume", "hold-out", "observed", "runs", "quick", "iterate", "round", "regret"}},
	{"Server", []string{"listen", "token-file", "cert", "key", "max-rows", "max-bytes", "concurrency", "poll", "drain", "log", "openapi"}},
	{"Output", []string{"output", "to", "save", "force", "svm-operators", "note", "trace", "live", "compare", "slice", "rows", "no-dual", "no-state", "table", "figure", "kind", "x", "y", "top", "scores", "probabilities", "proved", "randomise", "whiten", "from-scores", "errors", "json", "quiet", "verbose", "version", "help", "no-descriptions"}},
}

// isFlag reports whether some verb has a flag of this name.
func isFlag(name string) bool {
	for _, group := range FlagGroups {
		if slices.Contains(group.Flags, name) {
			return true
		}
	}
	return false
}

// named is a parameter as the packages below name it in their messages, 'name' or 'name=value', where a word begins.
var named = regexp.MustCompile(`(^|[ (])'([a-z][a-z-]*)(?:=([^']+))?'`)

// Message spells a message of the packages below, which know no flags, for a command line: names of parameters
// become flags. Other words in quotes, such as a file 'c', stay as they are: only names of flags change.
func Message(text string) string {
	return named.ReplaceAllStringFunc(text, func(found string) string {
		m := named.FindStringSubmatch(found)
		if !isFlag(m[2]) {
			return found
		}
		return strings.TrimSuffix(m[1]+"--"+m[2]+" "+m[3], " ")
	})
}
