package usage

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/model"
)

// A habit is a flag of another program: of which, and the flag or command that it is here,
// perhaps with a comment after "," or " (", or else what is true of it.
type habit struct{ program, here string }

// say says what the flag is here.
func (h habit) say(flag string) string {
	if !strings.HasPrefix(h.here, "--") && !strings.HasPrefix(h.here, `"`) {
		return h.program + flag + " " + h.here
	}
	end := len(h.here)
	for _, mark := range []string{",", " ("} {
		if at := strings.Index(h.here, mark); at >= 0 {
			end = min(end, at)
		}
	}
	return h.program + flag + " is " + h.here[:end] + " here" + h.here[end:]
}

// habits are the flags that users of LIBSVM, LIBLINEAR, vw and scikit-learn type.
var habits = map[string][]habit{
	"B": {{"LIBLINEAR's ", "--bias feature, of another value than 1 feature:value=V"}},
	"C": {{"LIBLINEAR's ", "\"fenchel tune DATA\""}},
	"R": {{"LIBLINEAR's ", "--bias free"}},
	"b": {{"LIBSVM's ", "--probabilities"}},
	"c": {{"LIBSVM's and LIBLINEAR's ", "--C"}},
	"d": {{"LIBSVM's ", "--degree"}, {"vw's ", "is an argument without a flag"}},
	"e": {{"LIBSVM's and LIBLINEAR's ", "--gap, which is proved"}},
	"f": {{"vw's ", "--output"}},
	"g": {{"LIBSVM's ", "--gamma"}},
	"i": {{"vw's ", "--init"}, {"vw's ", "\"fenchel predict MODEL DATA\""}},
	"j": {{"", "--threads"}},
	"l": {{"svm-scale's ", "--lower"}, {"vw's ", "is not needed: no solver has a learning rate"}},
	"m": {{"LIBSVM's ", "--cache"}},
	"n": {{"LIBSVM's ", "--nu"}},
	"p": {{"LIBSVM's ", "--loss epsilon-insensitive:epsilon=X"}, {"vw's ", "\"fenchel predict MODEL DATA -o FILE\""}},
	"r": {{"LIBSVM's ", "--coef0"}, {"svm-scale's ", "--restore"}},
	"s": {{"LIBSVM's and LIBLINEAR's ", "--loss and --penalty (or --nu, or --task one-class)"}, {"svm-scale's ", "--save"}},
	"t": {{"LIBSVM's ", "--kernel (0 is linear, 1 poly, 2 rbf, 3 sigmoid, 4 precomputed)"}, {"vw's ", "\"fenchel predict MODEL DATA\""}},
	"u": {{"svm-scale's ", "--upper"}},
	"v": {{"LIBSVM's and LIBLINEAR's ", "--folds"}},
	"w": {{"LIBSVM's and LIBLINEAR's ", "--class-weight LABEL=WEIGHT"}},
	"y": {{"svm-scale's ", "--target-lower and --target-upper"}},

	"alpha":                   {{"scikit-learn's ", "--lambda"}},
	"bit-precision":           {{"vw's ", "is not needed: features are not hashed"}},
	"cache-size":              {{"scikit-learn's ", "--cache"}},
	"cv":                      {{"scikit-learn's ", "--folds"}},
	"data":                    {{"vw's ", "is an argument without a flag"}},
	"decision-function-shape": {{"scikit-learn's ", "--scheme"}},
	"early-stopping":          {{"scikit-learn's ", "--gap, which is proved"}},
	"epsilon":                 {{"scikit-learn's ", "--loss epsilon-insensitive:epsilon=X"}},
	"eta0":                    {{"scikit-learn's ", "is not needed: no solver has a learning rate"}},
	"final-regressor":         {{"vw's ", "--output"}},
	"fit-intercept":           {{"scikit-learn's ", "--bias"}},
	"holdout-off":             {{"vw's ", "is the default: rows are held out by --holdout alone"}},
	"initial-regressor":       {{"vw's ", "--init"}, {"vw's ", "\"fenchel predict MODEL DATA\""}},
	"intercept":               {{"", "--bias"}},
	"iterations":              {{"", "--epochs"}},
	"l1":                      {{"vw's ", "--penalty l1 --lambda X"}},
	"l1-ratio":                {{"scikit-learn's ", "--penalty elastic-net:ratio=X"}},
	"l2":                      {{"vw's ", "--penalty l2 --lambda X"}},
	"learning-rate":           {{"", "is not needed: no solver has a learning rate"}},
	"link":                    {{"vw's ", "--loss logistic"}},
	"loss-function":           {{"vw's ", "--loss"}},
	"max-iter":                {{"scikit-learn's ", "--epochs"}},
	"multi-class":             {{"scikit-learn's ", "--scheme"}},
	"n-components":            {{"scikit-learn's ", "--components"}},
	"n-iter":                  {{"scikit-learn's ", "--epochs"}},
	"n-jobs":                  {{"scikit-learn's ", "--threads"}},
	"noconstant":              {{"vw's ", "--bias none"}},
	"normalize":               {{"scikit-learn's ", "--scale std"}},
	"passes":                  {{"vw's ", "--epochs"}},
	"positive":                {{"scikit-learn's ", "--lower 0"}},
	"predictions":             {{"vw's ", "\"fenchel predict MODEL DATA -o FILE\""}},
	"probability":             {{"scikit-learn's ", "--probabilities"}},
	"random-seed":             {{"vw's ", "--seed"}},
	"random-state":            {{"scikit-learn's ", "--seed"}},
	"regularization":          {{"", "--lambda"}},
	"sample-weight":           {{"scikit-learn's ", "--weights"}},
	"standardize":             {{"", "--scale std"}},
	"svd-solver":              {{"scikit-learn's ", "--method"}},
	"testonly":                {{"vw's ", "\"fenchel predict MODEL DATA\""}},
	"tol":                     {{"scikit-learn's ", "--gap, which is proved"}},
}

// ofTables are the flags of how a table is read, which a model has learned.
var ofTables = map[string]string{"target": "its target", "header": "its columns", "ignore": "its columns", "categorical": "its columns", "numeric": "its columns", "missing": "its columns", "dates": "its columns"}

// UnknownFlag is the error for a flag that cmd does not have: the best guess at what was
// meant, and where all flags are.
func UnknownFlag(cmd *cobra.Command, missing *pflag.NotExistError, args []string) error {
	flag, name := "--"+missing.GetSpecifiedName(), plain(missing.GetSpecifiedName())
	if group := missing.GetSpecifiedShortnames(); group != "" {
		if long := plain(group); cmd.Flags().Lookup(long) != nil { // -kernel
			return fmt.Errorf("no flag -%s: did you mean --%s? see %q", group, long, cmd.CommandPath()+" --help")
		}
		flag, name = "-"+missing.GetSpecifiedName(), missing.GetSpecifiedName()
	}
	if lines := translate(args); lines != nil && cmd.Name() == "train" {
		return fmt.Errorf("no flag %s: %s; see %q", flag, strings.Join(lines, ", "), cmd.CommandPath()+" --help")
	}
	return fmt.Errorf("no flag %s: %s", flag, guess(cmd, flag, name))
}

// guess says what the flag of that name may have meant.
func guess(cmd *cobra.Command, flag, name string) string {
	help := cmd.CommandPath() + " --help"
	if what, ok := ofTables[name]; ok && strings.Contains(cmd.Use, "MODEL DATA") {
		return fmt.Sprintf("the model knows %s%s", what, targetOf(cmd, what))
	}
	var meant []string
	for _, h := range habits[name] {
		if has(cmd, h.here) && (h.program != "svm-scale's " || cmd.Name() == "scale") {
			meant = append(meant, h.say(flag))
		}
	}
	if meant != nil {
		return fmt.Sprintf("%s; see %q", strings.Join(meant, ", "), help)
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := registry.Nearest(name, known); near != "" && len(name) > 1 {
		return fmt.Sprintf("did you mean --%s? see %q", near, help)
	}
	return fmt.Sprintf("see %q for those there are", help)
}

// has reports whether cmd has the flag that a habit is here. What is no flag is about
// training.
func has(cmd *cobra.Command, here string) bool {
	name, isFlag := strings.CutPrefix(here, "--")
	if !isFlag {
		return cmd.Name() == "train"
	}
	end := strings.IndexFunc(name, func(r rune) bool { return r == ' ' || r == ',' })
	return cmd.Flags().Lookup(name[:max(end, 0)]) != nil || cmd.Flags().Lookup(name) != nil
}

// plain spells the name of a flag as ours are: max_iter is max-iter.
func plain(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "-") }

// targetOf adds the name of the target, if the model is already known.
func targetOf(cmd *cobra.Command, what string) string {
	args := cmd.Flags().Args()
	if what != ofTables["target"] || len(args) == 0 {
		return ""
	}
	m, err := model.ReadFile(args[0])
	if err != nil || m.Schema == nil || m.Schema.Target < 0 {
		return ""
	}
	return fmt.Sprintf(" (%q)", m.Schema.Columns[m.Schema.Target].Name)
}
