package dataset

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
)

// The files that the options speak of: those of Options.FS, or else the system's.

func (opt *Options) open(ctx context.Context, path string) (fs.File, error) {
	if opt.FS != nil {
		return opt.FS.Open(path)
	}
	return openFile(ctx, path)
}

func (opt *Options) stat(path string) (fs.FileInfo, error) {
	if opt.FS != nil {
		return fs.Stat(opt.FS, path)
	}
	return os.Stat(path)
}

// exists reports whether there is something of that name, if only a link to nothing.
func (opt *Options) exists(path string) bool {
	var err error
	if opt.FS != nil {
		_, err = fs.Stat(opt.FS, path)
	} else {
		_, err = os.Lstat(path)
	}
	return err == nil
}

func (opt *Options) glob(pattern string) ([]string, error) {
	if opt.FS != nil {
		return fs.Glob(opt.FS, pattern)
	}
	return filepath.Glob(pattern)
}

// path returns where an input is among the files, "" if it is none of them.
func (opt *Options) path(in *Input) string {
	if opt.FS != nil && in.again != nil {
		return in.Name
	}
	return in.Path
}
