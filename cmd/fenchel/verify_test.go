package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/result"
	"github.com/fenchel-ml/fenchel/model"
)

// What verify prints, its JSON and its exit code say one thing.
func TestVerdict(t *testing.T) {
	m := &model.Model{Statement: model.Statement{Gap: 1e-3}}
	for _, c := range []struct {
		problems []string
		unproved string
		want     string
		valid    any
		reason   any
		code     int
	}{
		{nil, "", "verified", true, nil, exitcode.OK},
		{nil, "there is no bound", "unproved", nil, "there is no bound", exitcode.Limit},
		{[]string{"the data differ"}, "", "FALSE", false, nil, exitcode.False},
		{[]string{"the data differ"}, "there is no bound", "FALSE", false, nil, exitcode.False},
	} {
		v := &fenchel.Verification{Problems: c.problems, Unproved: c.unproved}
		var out bytes.Buffer
		printVerification(printing.Report{W: &out}, m, v)
		if got, _, _ := strings.Cut(out.String(), " "); got != c.want {
			t.Errorf("%s: printed %q", c.want, got)
		}
		var found map[string]any
		text, err := json.Marshal(result.Verified(m, v))
		if err != nil || json.Unmarshal(text, &found) != nil || found["valid"] != c.valid || found["reason"] != c.reason {
			t.Errorf("%s: JSON says valid %v, reason %v", c.want, found["valid"], found["reason"])
		}
		code := exitcode.OK
		if e := (*exitcode.Error)(nil); errors.As(exitcode.Verified(v.Problems, v.Unproved), &e) {
			code = e.Code
		}
		if code != c.code {
			t.Errorf("%s: the exit code is %d, want %d", c.want, code, c.code)
		}
	}
}
