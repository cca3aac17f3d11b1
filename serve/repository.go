package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fenchel-ml/fenchel/model"
)

// A catalog has the versions of each model, the newest first. It is not changed, but replaced.
type catalog map[string][]*served

// find returns a version of a model, "": the newest.
func (c *catalog) find(name, version string) (*served, error) {
	versions, ok := (*c)[name]
	if !ok && len(*c) == 0 {
		return nil, refuse(http.StatusNotFound, "found the model %q, expected none: all are gone", name)
	}
	if !ok {
		names := slices.Sorted(maps.Keys(*c))
		return nil, refuse(http.StatusNotFound, "found the model %q, expected one of %s", name, strings.Join(names, ", "))
	}
	for _, v := range versions {
		if version == "" || v.version == version {
			return v, nil
		}
	}
	return nil, refuse(http.StatusNotFound, "found version %q of the model %s, expected one of %s", version, name, strings.Join(versionsOf(versions), ", "))
}

func versionsOf(all []*served) (names []string) {
	for _, v := range all {
		names = append(names, v.version)
	}
	return names
}

// A repository reads models, and reads them again when their files change.
type repository struct {
	models   atomic.Pointer[catalog]
	loading  sync.Mutex // held by those who replace models
	sources  []string
	unlisted string // why models could not be listed; "": they could
	log      *slog.Logger
	counters *counters
}

// Add serves a model under a name as its version 1, in place of one that has it.
func (s *repository) Add(name string, m *model.Model) error {
	v, err := newServed(name, "1", m, nil)
	if err != nil {
		return err
	}
	s.loading.Lock()
	defer s.loading.Unlock()
	next := maps.Clone(*s.models.Load())
	v.use = s.counters.named(v.name)
	next[name] = []*served{v}
	s.models.Store(&next)
	return nil
}

// read reads a model or components.
func read(path string) (*model.Model, *model.PCA, error) {
	m, err := model.ReadFile(path)
	if kind := (*model.KindError)(nil); errors.As(err, &kind) {
		c, err := model.ReadPCAFile(path)
		return nil, c, err
	}
	return m, nil, err
}

// extension is what the names of model files in a folder end with.
const extension = ".model"

// A file is a model in sources.
type file struct{ name, version, path string }

// list finds the files of sources: a file is the model of its name, without the extension; a folder has NAME.model and
// NAME/VERSION.model.
func list(sources []string) (files []file, err error) {
	seen := map[[2]string]string{}
	add := func(name, version, path string) error {
		key := [2]string{name, version}
		if before, twice := seen[key]; twice {
			return fmt.Errorf("%s: found one more model %s of version %s, expected one: the other is %s", path, name, version, before)
		}
		seen[key] = path
		files = append(files, file{name, version, path})
		return nil
	}
	for _, source := range sources {
		info, err := os.Stat(source)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", source, errors.Unwrap(err))
		}
		if !info.IsDir() {
			if err := add(strings.TrimSuffix(filepath.Base(source), filepath.Ext(source)), "1", source); err != nil {
				return nil, err
			}
			continue
		}
		if err := listFolder(source, add); err != nil {
			return nil, err
		}
	}
	return files, nil
}

func listFolder(folder string, add func(name, version, path string) error) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		info, err := os.Stat(path) // through links, as Kubernetes mounts files
		switch name, isModel := strings.CutSuffix(e.Name(), extension); {
		case err != nil || strings.HasPrefix(e.Name(), "."): // gone meanwhile, or hidden
		case isModel && info.Mode().IsRegular():
			if err := add(name, "1", path); err != nil {
				return err
			}
		case info.IsDir():
			if err := listVersions(path, e.Name(), add); err != nil {
				return err
			}
		}
	}
	return nil
}

// listVersions finds those of a model. A folder that may not be read, as a disk's lost+found, has none.
func listVersions(folder, name string, add func(name, version, path string) error) error {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	for _, e := range entries {
		path := filepath.Join(folder, e.Name())
		version, isModel := strings.CutSuffix(e.Name(), extension)
		if info, err := os.Stat(path); !isModel || err != nil || strings.HasPrefix(e.Name(), ".") || !info.Mode().IsRegular() {
			continue
		}
		if err := add(name, version, path); err != nil {
			return err
		}
	}
	return nil
}

// Load reads the models of files and folders, and serves them in place of those that were loaded before. An error names the
// file that cannot be served; then nothing changes.
func (s *repository) Load(sources ...string) error {
	s.loading.Lock()
	defer s.loading.Unlock()
	s.sources = slices.Clone(sources)
	files, err := list(sources)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%s: found no model, expected files NAME.model or NAME/VERSION.model", strings.Join(sources, ", "))
	}
	next := catalog{}
	for _, f := range files {
		v, err := load(f)
		if err != nil {
			return err
		}
		v.use = s.counters.named(v.name)
		next[f.name] = append(next[f.name], v)
	}
	s.replace(next)
	return nil
}

// load reads the model of a file; errors name it.
func load(f file) (*served, error) {
	info, err := os.Stat(f.path)
	if err != nil {
		return nil, err
	}
	m, components, err := read(f.path)
	if err != nil {
		return nil, err
	}
	v, err := newServed(f.name, f.version, m, components)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.path, err)
	}
	v.path, v.info = f.path, info
	return v, nil
}

// replace serves other models from now on.
func (s *repository) replace(next catalog) {
	for _, versions := range next {
		slices.SortFunc(versions, func(a, b *served) int { return compareVersions(b.version, a.version) })
	}
	s.models.Store(&next)
}

// compareVersions orders numbers by their values, before other words.
func compareVersions(a, b string) int {
	x, errX := strconv.ParseUint(a, 10, 64)
	y, errY := strconv.ParseUint(b, 10, 64)
	if errX == nil && errY == nil {
		return cmp.Or(cmp.Compare(x, y), cmp.Compare(a, b))
	}
	if (errX == nil) != (errY == nil) {
		return map[bool]int{true: -1, false: 1}[errX != nil]
	}
	return cmp.Compare(a, b)
}

// Watch looks for changes of the sources now and then, until ctx ends: what is new is read, what is gone is served no more.
func (s *repository) Watch(ctx context.Context, every time.Duration) {
	ticker := time.NewTicker(every)
	defer ticker.Stop()
	refused := map[string]fs.FileInfo{} // files that could not be read, as they were
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.reload(refused)
		}
	}
}

// Models lists the names of the models that are served.
func (s *repository) Models() []string { return slices.Sorted(maps.Keys(*s.models.Load())) }

// reload reads the files that have changed.
func (s *repository) reload(refused map[string]fs.FileInfo) {
	s.loading.Lock()
	defer s.loading.Unlock()
	files, err := list(s.sources)
	if err != nil {
		if why := err.Error(); why != s.unlisted { // once, not every second
			s.log.Error("models cannot be listed: those before are served on", "error", why)
			s.counters.faulty.Add(1)
			s.unlisted = why
		}
		return
	}
	s.unlisted = ""
	before, next := *s.models.Load(), catalog{}
	for name, versions := range before {
		if i := slices.IndexFunc(versions, func(v *served) bool { return v.info == nil }); i >= 0 {
			next[name] = append(next[name], versions[i])
		}
	}
	changed := false
	for _, f := range files {
		old, _ := before.find(f.name, f.version)
		if old != nil && old.info == nil { // of the program that has the server
			continue
		}
		v, read := s.renew(f, old, refused)
		changed = changed || read
		if v != nil {
			next[f.name] = append(next[f.name], v)
		}
	}
	if s.part(before, next) || changed {
		s.replace(next)
	}
}

// part tells of versions that are served no more, and reports whether there are some.
func (s *repository) part(before, next catalog) (some bool) {
	for name, versions := range before {
		for _, v := range versions {
			if still, _ := next.find(name, v.version); still == nil {
				s.log.Warn("a model is gone", "model", name, "version", v.version, "path", v.path)
				some = true
			}
		}
	}
	return some
}

// renew returns the version to be served of a file: the old one where the file has not changed, or cannot be read.
func (s *repository) renew(f file, old *served, refused map[string]fs.FileInfo) (v *served, changed bool) {
	info, err := os.Stat(f.path)
	if err != nil || old != nil && same(old.info, info) || same(refused[f.path], info) {
		return old, false
	}
	v, err = load(f)
	if err != nil {
		refused[f.path] = info
		s.counters.faulty.Add(1)
		s.log.Error("a model cannot be read: what was there before is served on", "path", f.path, "error", err.Error())
		return old, false
	}
	delete(refused, f.path)
	v.use = s.counters.named(v.name)
	s.counters.reloads.Add(1)
	s.log.Info("a model is read", "model", v.name, "version", v.version, "path", f.path)
	return v, true
}

// same reports whether a file is as it was.
func same(a, b fs.FileInfo) bool {
	return a != nil && b != nil && os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
