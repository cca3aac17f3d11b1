package file

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/memory"
)

// WriteFile makes path hold what write writes: into a temporary file in the
// same folder, which is synced and then takes the place of path. If anything
// fails, path stays as it was; after a power cut within seconds it may be as it was,
// too: the folder is not synced. An existing file keeps its permissions; a
// symbolic link stays a link, to the new content. What is not a regular file,
// such as /dev/null or a pipe, is written to directly.
func WriteFile(path string, write func(io.Writer) error) error {
	return WriteFileChecked(path, write, nil)
}

// WriteFilePacked is WriteFile that compresses what is written as the extension of path says.
func WriteFilePacked(path string, write func(io.Writer) error) error {
	packer, err := PackerFor(path)
	if err != nil {
		return err
	}
	return WriteFile(path, func(w io.Writer) error {
		packed, err := packer(w)
		if err != nil {
			return err
		}
		if err := write(packed); err != nil {
			return err
		}
		return packed.Close()
	})
}

// WriteFileChecked is WriteFile that lets check, unless it is nil, read the temporary
// file before it takes the place of path: if it fails, path stays as it was. The data are
// gone when check returns.
func WriteFileChecked(path string, write func(io.Writer) error, check func(data []byte) error) error {
	mode := fs.FileMode(0o666)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("%s: found a directory, expected a file", path)
	case err == nil && !info.Mode().IsRegular():
		return writeDirectly(path, write)
	case err == nil:
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return fault.Renamed(path, err)
		}
	case !errors.Is(err, fs.ErrNotExist):
		return fault.Renamed(path, err)
	}
	removeAbandoned(filepath.Dir(path))
	temp, err := createTemp(path, mode)
	if err != nil {
		return fault.Renamed(path, err)
	}
	defer writing(temp.Name())()
	err = fill(temp, write)
	if err == nil && info != nil {
		err = temp.Chmod(mode) // what the umask took away
	}
	if err == nil {
		err = temp.Sync()
	}
	if err == nil && check != nil {
		err = readBack(temp, check)
	}
	if closing := temp.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		return fault.Renamed(path, err)
	}
	return nil
}

func fill(f *os.File, write func(io.Writer) error) error {
	buffered := bufio.NewWriterSize(f, 1<<16)
	if err := write(buffered); err != nil {
		return err
	}
	return buffered.Flush()
}

// readBack has check read a file: mapped, since memory may be full of what it was made
// of, where the system can do that.
func readBack(f *os.File, check func(data []byte) error) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if data, unmap, err := memory.Map(f, int(info.Size())); err == nil {
		defer unmap()
		return check(data)
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return err
	}
	return check(data)
}

func writeDirectly(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return fault.Renamed(path, err)
	}
	err = fill(f, write)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return fault.Renamed(path, err)
	}
	return nil
}
