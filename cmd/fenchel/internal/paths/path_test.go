package paths

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestCheckFolder: before anything is trained is known whether its file can be made there,
// which is asked of the folder that the file comes to be in.
func TestCheckFolder(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("no folder is closed to this user")
	}
	open, closed := t.TempDir(), t.TempDir()
	for link, file := range map[string]string{filepath.Join(closed, "outside"): filepath.Join(open, "a"), filepath.Join(open, "inside"): filepath.Join(closed, "b")} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(file, link); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(closed, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(closed, 0o700)
	for path, refused := range map[string]bool{
		"": false, "/dev/null": false,
		filepath.Join(open, "new"): false, filepath.Join(open, "a"): false, filepath.Join(closed, "outside"): false,
		filepath.Join(closed, "new"): true, filepath.Join(closed, "b"): true, filepath.Join(open, "inside"): true,
	} {
		err := CheckFolder(path)
		if (err != nil) != refused || refused && !strings.HasSuffix(err.Error(), "permission denied") {
			t.Errorf("%s: found %v, to be refused: %v", path, err, refused)
		}
	}
}
