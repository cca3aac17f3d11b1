package experiment

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/data"
)

// files are the training and the test file of the sets of the sources, as those who distribute them call
// them, without the ending of a compression.
var files = map[string][2][]string{
	"reuters": {{"reuters.trn"}, {"reuters.tst"}},
	"adult":   {{"a9a"}, {"a9a.t"}},
	"mnist":   {{"train-images-idx3-ubyte"}, {"t10k-images-idx3-ubyte"}},
	"ijcnn1":  {{"ijcnn1.trn", "ijcnn1"}, {"ijcnn1.tst", "ijcnn1.t"}},
	"web":     {{"w8a"}, {"w8a.t"}},
	"covtype": {{"covtype_ramp_92962.svm", "covtype.libsvm.binary.scale"}, nil},
	"rcv1":    {{"rcv1_test.binary"}, {"rcv1_train.binary"}}, // exchanged, as in the paper on PGS
}

// On runs do on the data of an experiment, for which the source has the named sets:
//
//	Options.Data    these rows, as the chosen set; if that is "all", as the only one of names, or as other
//	Options.Folder  the chosen set, or all of names, as far as their files are there
//	neither         rows of the generator, of which no claim is judged
func (o Options) On(ctx context.Context, r *Result, chosen string, names []string, generator string, do func(name string, opt Options) error) error {
	switch {
	case o.Data != nil:
		if chosen == "all" {
			if chosen = names[0]; len(names) > 1 {
				chosen = "other"
				r.Note("the rows given are taken as the set other: set=NAME says which they are")
			}
		}
		return do(chosen, o)
	case o.Folder == "":
		return o.generated(ctx, r, "no data given (--data FOLDER has the files)", names, generator, do)
	case chosen != "all":
		names = []string{chosen}
	}
	drawn := 0
	for _, name := range names {
		found, err := find(o.Folder, name)
		if err != nil {
			return err
		}
		if found == nil {
			r.Note("%s is left out: found no file %s in %s", name, strings.Join(files[name][0], " or "), filepath.Base(o.Folder))
			continue
		}
		opt := o
		if err := opt.read(ctx, found); err != nil {
			return err
		}
		if err := do(name, opt); err != nil {
			return err
		}
		drawn++
	}
	if drawn == 0 && chosen == "all" {
		return o.generated(ctx, r, "found none of the files", names, generator, do)
	}
	if drawn == 0 {
		return fmt.Errorf("found no files of %s in %s, expected %s", strings.Join(names, ", "), o.Folder, strings.Join(files[names[0]][0], " or "))
	}
	return nil
}

// generated runs do on rows of a generator.
func (o Options) generated(ctx context.Context, r *Result, why string, names []string, generator string, do func(name string, opt Options) error) error {
	r.Data = generator
	r.Unjudged = fmt.Sprintf("%s: %s is in place of %s, and no claim of the source is judged", why, generator, strings.Join(names, ", "))
	if err := o.read(ctx, []string{generator}); err != nil {
		return err
	}
	return do("other", o)
}

// find returns the training and the test file of a set in a folder, below it too; nil: not there.
func find(folder, name string) (found []string, err error) {
	at := [2]string{}
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		base := entry.Name()
		for _, compression := range []string{".gz", ".bz2", ".xz", ".zst"} {
			base = strings.TrimSuffix(base, compression)
		}
		for k, names := range files[name] {
			if slices.Contains(names, base) {
				at[k] = path
			}
		}
		return nil
	})
	if err != nil || at[0] == "" {
		return nil, err
	}
	for _, path := range at {
		if path != "" {
			found = append(found, path)
		}
	}
	return found, nil
}

// read reads the training file and, if there is one, the test file.
func (o *Options) read(ctx context.Context, paths []string) error {
	train, err := data.Read(ctx, paths[:1], data.Options{Threads: o.Threads})
	if err != nil {
		return err
	}
	set := train
	if len(paths) > 1 {
		if set, err = data.Read(ctx, paths, data.Options{Threads: o.Threads}); err != nil {
			return err
		}
		o.Train, _ = train.X.Dims()
	}
	o.Take(set)
	return nil
}

// Take makes a set of rows that was read the data of the experiment.
func (o *Options) Take(set *data.Set) {
	o.Data, o.Labels, o.Codes = set.X, set.Target.Label, set.Target.Code
	if len(set.Target.Label) == 2 {
		o.Classes = make([]float64, len(set.Target.Code))
		for i, code := range set.Target.Code {
			o.Classes[i] = 2*float64(code) - 1
		}
	}
}
