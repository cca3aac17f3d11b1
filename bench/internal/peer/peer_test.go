package peer

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
)

func TestLadder(t *testing.T) {
	if got, want := ladder(1, -2), []float64{10, 3, 1, 0.3, 0.1, 0.03, 0.01}; !slices.Equal(got, want) {
		t.Errorf("ladder(1, -2) = %v, want %v", got, want)
	}
	if got, want := doubling(5), []float64{1, 2, 4}; !slices.Equal(got, want) {
		t.Errorf("doubling(5) = %v, want %v", got, want)
	}
}

// TestReadLiblinearModel: LIBLINEAR scores the label it met first.
func TestReadLiblinearModel(t *testing.T) {
	model := func(labels, bias, weights string) string {
		return "solver_type L2R_L1LOSS_SVC_DUAL\nnr_class 2\nlabel " + labels + "\nnr_feature 3\nbias " + bias + "\nw\n" + weights
	}
	for _, c := range []struct {
		text string
		want []float64
		err  string
	}{
		{model("1 -1", "-1", "0.5 \n-2 \n0 \n"), []float64{0.5, -2, 0}, ""},
		{model("-1 1", "-1", "0.5 \n-2 \n0 \n"), []float64{-0.5, 2, 0}, ""},
		{model("1 -1", "-1", "0.5 \n-2 \n"), nil, "found 2 weights, expected 3"},
		{model("1 -1", "1", "0.5 \n-2 \n0 \n"), nil, "bias"},
		{model("1 -1", "-1", "0.5 \nnothing \n0 \n"), nil, "weight 2"},
		{"", nil, "found 0 weights"},
	} {
		got, err := readLiblinearModel(strings.NewReader(c.text), 3)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: error %v, want one with %q", c.text, err, c.err)
			}
			continue
		}
		for j := range c.want {
			if err != nil || got[j] != c.want[j] {
				t.Errorf("%q: %v, %v; want %v", c.text, got, err, c.want)
				break
			}
		}
	}
}

// TestReadVWModel: weights that are zero are left out of the file.
func TestReadVWModel(t *testing.T) {
	const header = "Version 9.11.9\nId \nbits:8\nChecksum: 1\n:0\n"
	got, err := readVWModel(strings.NewReader(header+"1:-1.5\n3:0.25\n"), 3)
	if err != nil || !slices.Equal(got, []float64{-1.5, 0, 0.25}) {
		t.Errorf("%v, %v; want -1.5 0 0.25", got, err)
	}
	for _, text := range []string{"", header + "4:1\n", header + "0:1\n", header + "1:nothing\n"} {
		if got, err := readVWModel(strings.NewReader(text), 3); err == nil {
			t.Errorf("%q: %v, want an error", text, got)
		}
	}
}

// TestProcess measures a process of its own: the memory it takes must show.
func TestProcess(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r, err := RunProcess(context.Background(), []string{self, "-test.run", "^TestLadder$"})
	if err != nil || r.Seconds <= 0 {
		t.Errorf("%+v, %v; want a time", r, err)
	}
	if _, err := RunProcess(context.Background(), []string{self, "-test.nosuchflag"}); err == nil {
		t.Error("a process that fails: want an error")
	}
}

// TestMain lets the test binary measure processes, as the command does.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == LaunchVerb {
		os.Exit(Launch(os.Args[2:]))
	}
	os.Exit(m.Run())
}
