// Command golden compares what the program writes with what it wrote when the list was made:
//
//	.ci/golden             # runs the commands of tools/golden/commands.txt, names those that differ
//	.ci/golden --write     # writes their digests
//
// Each line of the list is a digest and the arguments of a command; commands run in order, in one
// folder, so that later ones read the files of earlier ones. A digest is of the exit code, of every file
// that is new or changed, and of what --json prints without times. Moves of code leave all of them as
// they are; a change of bits is a commit of its own that says why.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// timed are the fields of JSON that differ from run to run, or with the version.
var timed = []string{"seconds", "program_version", "version", "memory", "one_row_seconds", "rows_per_second"}

func main() {
	list := flag.String("list", "tools/golden/commands.txt", "file of the commands")
	program := flag.String("program", "", "program that is run")
	write := flag.Bool("write", false, "write the digests instead of comparing them")
	flag.Parse()
	if err := run(*list, *program, *write); err != nil {
		fmt.Fprintln(os.Stderr, "golden:", err)
		os.Exit(1)
	}
}

func run(list, program string, write bool) error {
	text, err := os.ReadFile(list)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "golden")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	f := &runner{program: program, folder: folder, seen: map[string]string{}}
	var out bytes.Buffer
	differ, count := 0, 0
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if line == "" || line[0] == '#' {
			fmt.Fprintln(&out, line)
			continue
		}
		expected, command, _ := strings.Cut(line, "  ")
		found, err := f.digest(command)
		if err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
		count++
		fmt.Fprintf(&out, "%s  %s\n", found, command)
		if found != expected && !write {
			differ++
			fmt.Printf("differs: %s\n", command)
		}
	}
	if write {
		return os.WriteFile(list, out.Bytes(), 0o644)
	}
	if differ > 0 {
		return fmt.Errorf("%d of %d commands differ", differ, count)
	}
	fmt.Printf("%d commands as they were\n", count)
	return nil
}

// runner runs commands in a folder.
type runner struct {
	program, folder string
	seen            map[string]string // digests of the files that are there
}

// digest runs a command and returns the digest of what came of it.
func (f *runner) digest(command string) (string, error) {
	args := split(command)
	cmd := exec.Command(f.program, args...)
	cmd.Dir = f.folder
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, io.Discard
	var exit *exec.ExitError
	if err := cmd.Run(); err != nil && !errors.As(err, &exit) {
		return "", err
	}
	sum := sha256.New()
	fmt.Fprintln(sum, cmd.ProcessState.ExitCode())
	if slices.Contains(args, "--json") && out.Len() > 0 {
		var value any
		if err := json.Unmarshal(out.Bytes(), &value); err != nil {
			return "", fmt.Errorf("found no JSON: %w", err)
		}
		if err := json.NewEncoder(sum).Encode(without(value)); err != nil {
			return "", err
		}
	}
	now, err := f.files()
	if err != nil {
		return "", err
	}
	for _, name := range slices.Sorted(maps.Keys(now)) {
		if f.seen[name] != now[name] {
			fmt.Fprintln(sum, name, now[name])
		}
	}
	f.seen = now
	return hex.EncodeToString(sum.Sum(nil))[:16], nil
}

// files returns the digests of all files of the folder.
func (f *runner) files() (map[string]string, error) {
	entries, err := os.ReadDir(f.folder)
	if err != nil {
		return nil, err
	}
	digests := map[string]string{}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(f.folder, e.Name()))
		if err != nil {
			return nil, err
		}
		digests[e.Name()] = fmt.Sprintf("%x", sha256.Sum256(data))
	}
	return digests, nil
}

// without returns a JSON value without the fields that are timed.
func without(value any) any {
	switch v := value.(type) {
	case map[string]any:
		maps.DeleteFunc(v, func(name string, _ any) bool { return slices.Contains(timed, name) })
		for name := range v {
			v[name] = without(v[name])
		}
	case []any:
		for k := range v {
			v[k] = without(v[k])
		}
	}
	return value
}

// split separates arguments at blanks, but for those between quotation marks.
func split(command string) (args []string) {
	s := bufio.NewScanner(strings.NewReader(command))
	quoted := false
	s.Split(func(data []byte, atEOF bool) (int, []byte, error) {
		var word []byte
		for i, b := range data {
			switch {
			case b == '"':
				quoted = !quoted
			case b == ' ' && !quoted:
				return i + 1, word, nil
			default:
				word = append(word, b)
			}
		}
		return len(data), word, bufio.ErrFinalToken
	})
	for s.Scan() {
		args = append(args, s.Text())
	}
	return args
}
