package train_test

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/train"
)

var keep = flag.String("keep", "", "write a model file of every kind into this folder of testdata")

// moreKinds are those of kinds, and others of which not every field is forged.
func moreKinds() map[string]kind {
	all := kinds()
	words := "a\tabcabc\nb\txyzxyz\na\tabcab\nb\txyzyz\na\tbcabca\nb\tzyxzyx\n"
	for name, spec := range map[string]train.Spec{
		"softmax": {Loss: "softmax"}, "softmax of a kernel": {Loss: "softmax", Kernel: "rbf:gamma=0.5"},
		"crammer-singer": {Loss: "crammer-singer"}, "crammer-singer of a kernel": {Loss: "crammer-singer", Kernel: "poly:degree=2,coef0=1"},
		"logistic pairs": {Loss: "logistic", Scheme: model.OneAgainstOne}, "calibrated pairs": {Scheme: model.OneAgainstOne, Kernel: "rbf:gamma=0.5", Probabilities: true},
		"calibrated": {Probabilities: true},
	} {
		all[name] = kind{text: threeText, probe: threeProbe, format: "csv", target: "label", spec: spec}
	}
	all["calibrated numbers"] = kind{text: numbersText, probe: numbersProbe, format: "csv", spec: train.Spec{Task: "regression", Probabilities: true}}
	all["marked"] = kind{text: strings.Repeat(twoText, 2), probe: oneProbe, format: "libsvm", spec: train.Spec{Kernel: "rbf:gamma=0.5", Nu: 0.5, Task: train.OneClass, Probabilities: true}}
	all["poisson"] = kind{text: "1,2,0\n2,1,3\n0,1,1\n1,1,2\n3,0,9\n", probe: "1,1,1\n", format: "csv", spec: train.Spec{Task: "regression", Loss: "poisson", Lambda: 0.1}}
	all["ramp"] = kind{text: twoText, probe: twoProbe, format: "libsvm", spec: train.Spec{Kernel: "rbf:gamma=0.5", Loss: "ramp"}}
	all["words"] = kind{text: words, probe: "a\tabc\nb\tzyx\n", format: "strings", spec: train.Spec{Kernel: "spectrum:p=2"}}
	return all
}

// Model files of every kind are read, predict and are verified as they were by the program that
// wrote them. testdata/format1 is of the commit bf41460. A change of the format adds a folder,
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
				if unproved := strings.Contains(refusal, "rest on a calibration") || strings.Contains(refusal, "is not convex"); refusal != "" && !unproved {
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
