package file

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// gone returns the number of a process that has ended.
func gone(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Skip(err)
	}
	c := exec.Command(self, "-test.run=^$")
	if err := c.Run(); err != nil {
		t.Skip(err)
	}
	return strconv.Itoa(c.Process.Pid)
}

// Whoever writes into a folder removes the temporary files of processes that are gone,
// and no others.
func TestWriteFileRemovesAbandoned(t *testing.T) {
	if errors.Is(lockFile(nil), errors.ErrUnsupported) {
		t.Skip("no locks")
	}
	folder, dead, self := t.TempDir(), gone(t), strconv.Itoa(os.Getpid())
	abandoned := []string{".m.model." + dead + "-0.tmp", ".m.model." + dead + "-12.tmp", ".other.csv." + dead + "-0.tmp", ".m.model." + self + "-7.tmp"}
	kept := []string{"m.model." + dead + "-0.tmp", ".m.model." + dead + "-0", ".m.model." + dead + ".tmp", ".m.model.0" + dead + "-0.tmp", ".." + dead + "-0.tmp",
		".m.model." + dead + "-x.tmp", ".m.model." + dead + "-00.tmp", ".m.model." + dead + "-99999999.tmp", ".m.model.-" + dead + "-0.tmp", ".m.model.1-0.tmp", ".m.model." + strconv.Itoa(os.Getppid()) + "-0.tmp"}
	for _, name := range slices.Concat(abandoned, kept) {
		if err := os.WriteFile(filepath.Join(folder, name), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(folder, ".folder."+dead+"-0.tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	// A writer of another container, whose number means nothing here.
	other, err := os.OpenFile(filepath.Join(folder, ".other."+dead+"-0.tmp"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil || lockFile(other) != nil {
		t.Fatal(err)
	}
	defer other.Close()
	path := filepath.Join(folder, "m.model")
	err = WriteFile(path, func(w io.Writer) error { // a second writer of this process removes nothing of the first
		return WriteFile(filepath.Join(folder, "n.model"), func(io.Writer) error { return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	kept = append(kept, ".folder."+dead+"-0.tmp", ".other."+dead+"-0.tmp", "m.model", "n.model")
	entries, _ := os.ReadDir(folder)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	slices.Sort(kept)
	if !slices.Equal(names, kept) {
		t.Errorf("found\n%q, expected\n%q", names, kept)
	}
}
