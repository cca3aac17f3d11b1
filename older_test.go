package fenchel_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/model"
)

var keep = flag.String("keep", "", "write a model file of every kind that needs a format after the first into this folder of testdata")

// moreKinds are those of kinds, and others of which not every field is forged.
func moreKinds() map[string]kind {
	all := kinds()
	words := "a\tabcabc\nb\txyzxyz\na\tabcab\nb\txyzyz\na\tbcabca\nb\tzyxzyx\n"
	for name, spec := range map[string]fenchel.Spec{
		"softmax": {Loss: "softmax"}, "softmax of a kernel": {Loss: "softmax", Kernel: "rbf:gamma=0.5"},
		"crammer-singer": {Loss: "crammer-singer"}, "crammer-singer of a kernel": {Loss: "crammer-singer", Kernel: "poly:degree=2,coef0=1"},
		"logistic pairs": {Loss: "logistic", Scheme: model.OneAgainstOne}, "calibrated pairs": {Scheme: model.OneAgainstOne, Kernel: "rbf:gamma=0.5", Decision: fenchel.Decision{Probabilities: true}},
		"calibrated":  {Decision: fenchel.Decision{Probabilities: true}},
		"isotonic":    {Decision: fenchel.Decision{Probabilities: true, Calibrator: "isotonic"}},
		"temperature": {Loss: "softmax", Decision: fenchel.Decision{Probabilities: true, Calibrator: "temperature"}},
		"chosen":      {Decision: fenchel.Decision{Probabilities: true, Calibrator: "auto"}},
	} {
		all[name] = kind{text: threeText, probe: threeProbe, format: "csv", target: "label", spec: spec}
	}
	all["intervals"] = kind{text: strings.Repeat(numbersText, 4), probe: numbersProbe, format: "csv", spec: fenchel.Spec{Task: "regression", Decision: fenchel.Decision{Interval: 0.8}}}
	all["sets"] = kind{text: threeText, probe: threeProbe, format: "csv", target: "label", spec: fenchel.Spec{Decision: fenchel.Decision{Interval: 0.7}}}
	all["calibrated numbers"] = kind{text: numbersText, probe: numbersProbe, format: "csv", spec: fenchel.Spec{Task: "regression", Decision: fenchel.Decision{Probabilities: true}}}
	all["marked"] = kind{text: strings.Repeat(twoText, 2), probe: oneProbe, format: "libsvm", spec: fenchel.Spec{Kernel: "rbf:gamma=0.5", Nu: 0.5, Task: pose.OneClass, Decision: fenchel.Decision{Probabilities: true}}}
	all["poisson"] = kind{text: "1,2,0\n2,1,3\n0,1,1\n1,1,2\n3,0,9\n", probe: "1,1,1\n", format: "csv", spec: fenchel.Spec{Task: "regression", Loss: "poisson", Lambda: 0.1}}
	all["ramp"] = kind{text: twoText, probe: twoProbe, format: "libsvm", spec: fenchel.Spec{Kernel: "rbf:gamma=0.5", Loss: "ramp"}}
	half := 0.5
	csv := func(text, probe string, spec fenchel.Spec) kind {
		return kind{text: text, probe: probe, format: "csv", target: "y", spec: spec}
	}
	all["costs"] = kind{text: strings.Repeat(twoText, 5), probe: twoProbe, format: "libsvm", spec: fenchel.Spec{Decision: fenchel.Decision{Costs: map[string]float64{"+1": 3, "-1": 1}}}}
	all["threshold"] = kind{text: twoText, probe: twoProbe, format: "libsvm", spec: fenchel.Spec{Decision: fenchel.Decision{Threshold: &half}}}
	all["threshold of probabilities"] = kind{text: strings.Repeat(twoText, 5), probe: twoProbe, format: "libsvm", spec: fenchel.Spec{Kernel: "rbf:gamma=0.5", Decision: fenchel.Decision{Probabilities: true, Threshold: &half}}}
	all["clock"] = csv("at;x;y\n18:30;1;2.5\n06:00;2;1\n12:15;0;4\n09:00;3;0.5\n", "at;x\n10:00;1\n;2\n", fenchel.Spec{})
	all["month first"] = csv("day;x;y\n1/13/2024;1;2.5\n2/1/2024;2;1\n3/5/2024;0;4\n4/4/2024;3;0.5\n", "day;x\n5/6/2024;1\n", fenchel.Spec{})
	all["unit"] = csv("w;x;y\n12 kg;1;2.5\n3.5 kg;2;1\n1,158 kg;0;4\n7 kg;3;0.5\n", "w;x\n5;1\n", fenchel.Spec{})
	all["tiny column"] = csv("t;x;y\n1.5e-42;1;2.5\n3.25e-42;2;1\n-2e-42;0;4\n5e-42;3;0.5\n", "t;x\n2e-42;1\n", fenchel.Spec{})
	all["left out"] = csv("g;x;y\nu;1;2.5\nv;2;1\nu;0;\nv;3;0.5\nu;2;7.5\n", "g;x;y\nu;1;1\n", fenchel.Spec{})
	left := all["left out"]
	left.skip = true
	all["left out"] = left
	all["words"] = kind{text: words, probe: "a\tabc\nb\tzyx\n", format: "strings", spec: fenchel.Spec{Kernel: "spectrum:p=2"}}
	return all
}

// Model files of every kind are read, predict and are verified as they were by the program that
// wrote them. testdata/format1 is of the commit bf41460, format2 has those that only later formats hold. A change of the format adds a folder,
// written with -keep, and leaves the older ones alone.
func TestOlderFiles(t *testing.T) {
	if *keep != "" {
		keepFiles(t, filepath.Join("testdata", *keep))
	}
	lists, err := filepath.Glob("testdata/format*/predictions.json")
	if err != nil || len(lists) == 0 {
		t.Fatal("found no older files", err)
	}
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			t.Fatal(err)
		}
		predictions, judges := map[string]string{}, judges()
		if err := json.Unmarshal(text, &predictions); err != nil {
			t.Fatal(err)
		}
		for _, name := range slices.Sorted(maps.Keys(predictions)) {
			t.Run(name, func(t *testing.T) {
				file, err := os.ReadFile(filepath.Join(filepath.Dir(list), fileName(name)))
				if err != nil {
					t.Fatal(err)
				}
				refusal, found := judges[name](t, file)
				if unproved := strings.Contains(refusal, "rest on a calibration") || strings.Contains(refusal, "not trained again") || strings.Contains(refusal, "is not convex"); refusal != "" && !unproved {
					t.Errorf("found %q", refusal)
				}
				if refusal == "" && found != predictions[name] {
					t.Errorf("found the predictions\n%s, expected\n%s", found, predictions[name])
				}
			})
		}
	}
}

// fileName is the file of a kind.
func fileName(kind string) string {
	return strings.NewReplacer(", ", "-", " ", "-").Replace(kind) + ".model"
}

// judges are what looks at a file of each kind; of components the name has a prefix.
func judges() map[string]func(testing.TB, []byte) (refusal, predictions string) {
	all := map[string]func(testing.TB, []byte) (string, string){}
	for name, k := range moreKinds() {
		if k.sparse != nil {
			k.sparse.unknown = true
		}
		all[name] = k.judge
	}
	for name, k := range pcaKinds() {
		all["pca, "+name] = k.judge
	}
	return all
}

// keepFiles writes a file of every kind, and what it predicts.
func keepFiles(t *testing.T, folder string) {
	files, predictions := map[string][]byte{}, map[string]string{}
	for name, k := range moreKinds() {
		files[name] = k.make(t)
	}
	for name, k := range pcaKinds() {
		files["pca, "+name] = k.file(t)
	}
	for name, judge := range judges() {
		if bytes.Contains(files[name], []byte(`"format_version":"1"`)) {
			continue
		}
		_, predictions[name] = judge(t, files[name])
		if err := os.WriteFile(filepath.Join(folder, fileName(name)), files[name], 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.MarshalIndent(predictions, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "predictions.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
}
