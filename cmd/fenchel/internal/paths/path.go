// Package paths checks what files a command line names before any work is done: that
// none that is read is written, nothing lost, and that there is a folder.
package paths

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/model"
)

// ExpectedText says what a flag that takes a text expects; "": nothing more than that.
func ExpectedText(flag string) string {
	switch flag {
	case "output", "trace", "test", "train", "valid", "figure", "richer", "labels", "save", "restore":
		return "a file name"
	case "group", "target", "id":
		return "the name or position of a column"
	case "ignore", "categorical", "numeric":
		return "names or positions of columns"
	case "classes":
		return "two labels with a comma between them"
	case "search":
		return "parameters with their values, such as C=2^-5..2^15"
	case "loss":
		return "the name of a loss"
	case "bias":
		return "free, feature or none"
	case "class-weight":
		return "balanced or a list of LABEL=WEIGHT"
	}
	return ""
}

// RefuseEmpty refuses flags given with an empty text, as an unset variable of
// a shell script makes them: it would silently mean the default.
func RefuseEmpty(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		empty := f.Value.Type() == "string" && f.Value.String() == ""
		if list, ok := f.Value.(pflag.SliceValue); ok {
			empty = len(list.GetSlice()) == 0 || slices.Contains(list.GetSlice(), "")
		}
		if empty && err == nil {
			err = fmt.Errorf("--%s \"\": expected %s", f.Name, cmp.Or(ExpectedText(f.Name), "a value"))
		}
	})
	return err
}

// CheckFolder refuses a path to write to whose folder does not exist or takes no file,
// or which is one: better before hours of training than after them. What is there and
// no regular file, such as /dev/null, needs no folder that takes one.
func CheckFolder(path string) error {
	if path == "" {
		return nil
	}
	folder := filepath.Dir(path)
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: found no folder %q to write to, expected one that exists", path, folder)
	}
	info, err := os.Stat(path)
	if err == nil && info.IsDir() {
		return fmt.Errorf("%s: found a directory, expected a file", path)
	}
	if err == nil && !info.Mode().IsRegular() {
		return nil
	}
	if file, err := filepath.EvalSymlinks(path); err == nil {
		folder = filepath.Dir(file)
	}
	if err := writable(folder); err != nil {
		return fmt.Errorf("%s: no file can be made in the folder %q: %w", path, folder, err)
	}
	return nil
}

// KeepOthers refuses to replace a file that holds something else than a model, unless
// force says so: a slip of the hand would lose it. name is as in keepInputs.
func KeepOthers(name, path string, force bool) error {
	info, err := os.Stat(path)
	if force || err != nil || !info.Mode().IsRegular() || info.Size() == 0 || model.IsFile(path) {
		return nil
	}
	return fmt.Errorf("%s %s: found a file that is not a model, expected a new name or a model to replace (--force replaces any file)", name, path)
}

// KeepInputs refuses to write to one of the files that are read. name is how
// the user gave path: a flag or an argument.
func KeepInputs(name, path string, inputs ...string) error {
	for _, input := range inputs {
		for _, file := range Matches(input) {
			if SameFile(path, file) {
				return fmt.Errorf("%s %s: found the file that is read as %s, expected another one", name, path, file)
			}
		}
	}
	return nil
}

// CheckOutputs refuses files to write to, each with its flag, that are standard output, have no folder,
// are read, or are one file by two names: the second would replace the first.
func CheckOutputs(files [][2]string, inputs []string) error {
	for k, file := range files {
		if file[1] == "-" {
			return fmt.Errorf("%s -: found standard output, expected a file name", file[0])
		}
		if err := cmp.Or(KeepInputs(file[0], file[1], inputs...), exitcode.BadData(CheckFolder(file[1]))); err != nil {
			return err
		}
		for _, other := range files[:k] {
			if SameFile(other[1], file[1]) {
				return fmt.Errorf("%s %s, %s %s: found the same file twice, expected two files", other[0], other[1], file[0], file[1])
			}
		}
	}
	return nil
}

// Matches returns the files that a source names: none for standard input and
// generators, several for a glob pattern.
func Matches(source string) []string {
	if source == "" || source == "-" || strings.HasPrefix(source, "@") {
		return nil
	}
	if _, err := os.Lstat(source); err == nil {
		return []string{source}
	}
	files, _ := filepath.Glob(source) // a bad pattern is refused when it is read
	return files
}

// SameFile reports whether writing to path a would replace b, by whatever
// names. What is not a regular file, such as /dev/null, is never replaced.
func SameFile(a, b string) bool {
	if a == "" || b == "" || a == "-" || b == "-" {
		return false
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	switch {
	case errA == nil && errB == nil:
		return infoA.Mode().IsRegular() && os.SameFile(infoA, infoB)
	case errA == nil || errB == nil:
		return false
	}
	folderA, errA := os.Stat(filepath.Dir(a)) // neither is there yet
	folderB, errB := os.Stat(filepath.Dir(b))
	return filepath.Base(a) == filepath.Base(b) && errA == nil && errB == nil && os.SameFile(folderA, folderB)
}
