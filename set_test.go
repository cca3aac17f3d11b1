package fenchel

import (
	"reflect"
	"strings"
	"testing"
)

// TestSet: every field that has a name takes its text, and the parameters of its parts do too.
func TestSet(t *testing.T) {
	spec := Spec{Decision: Decision{Threshold: nil}}
	for _, c := range [][2]string{{"task", "regression"}, {"loss", "huber"}, {"loss:delta", "2"}, {"target_log", "true"}, {"penalty", "elastic-net"}, {"penalty:ratio", "0.5"}, {"kernel", "poly"},
		{"degree", "2"}, {"coef0", "1"}, {"cache", "1000"}, {"map", "nystrom"}, {"lambda", "3"}, {"C", "2"}, {"radius", "1"}, {"slack", "0.5"}, {"hard_margin", "true"}, {"nu", "0.1"}, {"scheme", "joint"},
		{"bias", "none"}, {"scale", "std"}, {"solver", "sdca"}, {"partitions", "2"}, {"class-weight:a,b", "3"}, {"gap", "1e-5"}, {"epochs", "7"}, {"seed", "0"}, {"threads", "1"}, {"no_dual", "true"}, {"probabilities", "true"}} {
		if err := spec.Set(c[0], c[1]); err != nil {
			t.Error(err)
		}
	}
	want := Spec{Task: "regression", Loss: "huber:delta=2", TargetLog: true, Penalty: "elastic-net:ratio=0.5", Kernel: "poly:coef0=1,degree=2,gamma=auto", Run: Run{Cache: 1000, Partitions: 2, Epochs: 7, Threads: 1}, Map: "nystrom", C: 2, Radius: 1, Slack: 0.5,
		HardMargin: true, Nu: 0.1, Scheme: "joint", Bias: "none", Scaling: "std", Solver: "sdca", Weighting: Weighting{ClassWeight: map[string]float64{"a,b": 3}}, Gap: 1e-5, Record: Record{NoDual: true}, Decision: Decision{Probabilities: true}}
	if !reflect.DeepEqual(spec, want) {
		t.Errorf("found %+v, expected %+v", spec, want)
	}
	for _, name := range []string{"", "-", "Run"} {
		if err := spec.Set(name, "1"); err == nil || !strings.HasPrefix(err.Error(), `unknown parameter "`+name+`"`) || strings.Contains(err.Error(), ", ,") {
			t.Errorf("%q: found %v, expected that it is unknown", name, err)
		}
	}
	for _, c := range [][3]string{{"C", "0", "C=0: expected a number > 0"}, {"gap", "x", "gap=x: expected a number > 0"}, {"epochs", "-1", "epochs=-1: expected a whole number > 0"}, {"no_dual", "2", "no_dual=2: expected true or false"},
		{"class-weight", "1", "class-weight=1: expected none or balanced, or class-weight:LABEL=WEIGHTS"}, {"class-weight:a", "0", "class-weight:a=0: expected a weight > 0"}, {"notes", "x", "notes=x: expected a value that is set by a program"},
		{"gamma", "1", ""}, {"gama", "1", ""}} {
		empty := Spec{}
		if err := empty.Set(c[0], c[1]); err == nil || c[2] != "" && err.Error() != c[2] {
			t.Errorf("%s=%s: found %v, expected %s", c[0], c[1], err, c[2])
		}
	}
}
