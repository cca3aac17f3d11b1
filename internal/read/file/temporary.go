package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// A temporary file of WriteFile is called .BASE.PID-TRY.tmp. A process that is killed
// leaves it behind; the next that writes into the folder removes it. While it is written,
// it is locked where the system can do that: a number alone does not tell a process of
// another container or machine from one that is gone.

// longestBase is how much of a file's name the temporary one has: names are at most 255
// bytes long nearly everywhere.
const longestBase = 200

// mostTries bounds how many temporary files of one name a process may have.
const mostTries = 10000

// createTemp is os.CreateTemp, but with permissions that obey the umask.
func createTemp(path string, mode fs.FileMode) (*os.File, error) {
	base := filepath.Base(path)
	base = strings.ToValidUTF8(base[:min(len(base), longestBase)], "")
	for try := 0; ; try++ {
		name := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%d-%d.tmp", base, os.Getpid(), try))
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode|0o200)
		switch {
		case err == nil:
			_ = lockFile(f) // what cannot be locked is never removed
			if isStill(f, name) {
				return f, nil
			}
			f.Close() // removed before it was locked
		case !errors.Is(err, fs.ErrExist):
			return nil, err
		}
		if try == mostTries {
			return nil, fmt.Errorf("found %d temporary files of its name, expected a free one", try)
		}
	}
}

// processOf returns the process that a temporary file of that name belongs to; false
// for a name that WriteFile does not give.
func processOf(name string) (pid int, ok bool) {
	rest, hidden := strings.CutPrefix(name, ".")
	rest, temporary := strings.CutSuffix(rest, ".tmp")
	at := strings.LastIndexByte(rest, '.')
	if !hidden || !temporary || at < 1 {
		return 0, false
	}
	first, second, _ := strings.Cut(rest[at+1:], "-")
	pid, err := strconv.Atoi(first)
	try, bad := strconv.Atoi(second)
	exact := fmt.Sprintf("%d-%d", pid, try) == rest[at+1:]
	return pid, exact && err == nil && bad == nil && pid > 0 && try >= 0 && try <= mostTries
}

// removeAbandoned removes the temporary files in a folder whose processes are gone. What
// fails is left to the next.
func removeAbandoned(folder string) {
	f, err := os.Open(folder)
	if err != nil {
		return
	}
	defer f.Close()
	for {
		names, err := f.Readdirnames(1024)
		for _, name := range names {
			if pid, ok := processOf(name); ok && (pid == os.Getpid() || !isRunning(pid)) {
				removeUnlocked(filepath.Join(folder, name))
			}
		}
		if err != nil {
			return
		}
	}
}

// removeUnlocked removes a file that no process writes. As long as the lock is held, no
// other process removes it or makes another of its name.
func removeUnlocked(path string) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer f.Close()
	if lockFile(f) == nil && isStill(f, path) {
		os.Remove(path)
	}
}

// isStill reports whether path is the name of an open file.
func isStill(f *os.File, path string) bool {
	mine, err := f.Stat()
	named, missing := os.Lstat(path)
	return err == nil && missing == nil && os.SameFile(mine, named)
}

// unfinished is the temporary files that are being written.
var unfinished = struct {
	sync.Mutex
	names map[string]bool
}{names: map[string]bool{}}

// writing notes that a file is being written until the function that it returns is called,
// which removes it, unless it has another name by then.
func writing(name string) (done func()) {
	unfinished.Lock()
	defer unfinished.Unlock()
	unfinished.names[name] = true
	return func() {
		unfinished.Lock()
		defer unfinished.Unlock()
		delete(unfinished.names, name)
		_ = os.Remove(name) // fails, as it should, once it is renamed
	}
}

// Discard removes the temporary files of all that is being written, for a process that is
// to end at once: nothing else is written from then on.
func Discard() {
	unfinished.Lock()
	for name := range unfinished.names {
		_ = os.Remove(name)
	}
}
