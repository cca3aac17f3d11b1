package data

import (
	"bytes"
	"cmp"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/file"
	"github.com/fenchel-ml/fenchel/internal/read/set"
	"github.com/fenchel-ml/fenchel/internal/registry"
)

// detect returns the format of an input: the one opt names, or else the one
// with the best match.
func detect(in *file.Input, opt *Options) (name string, f set.Format, err error) {
	if opt.Format != "" {
		f, err = set.Registered.New(opt.Format)
		return opt.Format, f, err
	}
	head, err := in.Head()
	if err != nil {
		return "", nil, err
	}
	if err := refuseElsewhere(in, head); err != nil {
		return "", nil, err
	}
	best := set.NoMatch
	for _, e := range set.Registered.Entries() {
		candidate, err := e.New(nil)
		if err != nil {
			return "", nil, err
		}
		if m := candidate.Detect(file.PlainName(cmp.Or(in.Member, in.Name)), head); m > best {
			name, f, best = e.Name, candidate, m
		}
	}
	if best == set.MatchPossible && opt.Schema != nil || best == set.NoMatch && opt.Schema.Table() && bytes.IndexByte(head, 0) < 0 { // lines of one column, which a model of a table expects, are not those of labels
		name = "csv"
		f, err = set.Registered.New(name)
		return name, f, err
	}
	if best == set.NoMatch {
		if at := bytes.IndexByte(head, 0); at >= 16 { // what it begins with does not tell why
			before := head[:at]
			return "", nil, fault.At(in.Name, in.Line+1+bytes.Count(before, []byte{'\n'}), at-bytes.LastIndexByte(before, '\n'),
				"found a zero byte, expected text or one of the formats %s", strings.Join(set.Registered.Names(), ", "))
		}
		return "", nil, fault.In(in.Name, "found %q, expected one of the formats %s", head[:min(len(head), 16)], strings.Join(set.Registered.Names(), ", "))
	}
	return name, f, nil
}

// Formats returns the registered formats, sorted by name.
func Formats() []registry.Entry[set.Format] { return set.Registered.Entries() }
