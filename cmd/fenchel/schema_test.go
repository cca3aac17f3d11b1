package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/matrix"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// schemaFolder is the variable that tells tests, and the programs that they run elsewhere,
// where the schemas of what --json prints are.
const schemaFolder = "FENCHEL_TEST_SCHEMAS"

// judged is main, but what it prints with --json must be as the schema of its verb says: so
// every test that runs the program with --json is one of the schemas.
func judged() {
	args := os.Args[1:]
	if !slices.Contains(args, "--json") {
		main()
	}
	var out bytes.Buffer
	code := run(args, os.Stdin, io.MultiWriter(os.Stdout, &out), os.Stderr)
	if out.Len() > 0 {
		if err := fitsSchema(os.Getenv(schemaFolder), args[0], out.Bytes()); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(99)
		}
	}
	os.Exit(code)
}

// fitsSchema returns why a JSON object is not what the schema of a verb says.
func fitsSchema(folder, verb string, object []byte) error {
	schema, err := jsonschema.NewCompiler().Compile(filepath.Join(folder, verb+".schema.json"))
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(object))
	if err != nil {
		return err
	}
	if err := schema.Validate(value); err != nil {
		return fmt.Errorf("%s --json: %w\n%s", verb, err, object)
	}
	return nil
}

// examples are commands, in order, whose outputs have every field of the schemas. Those of
// verify are of true and of false claims, and one of tune reaches a limit.
var examples = []string{
	"train @toy:n=60,d=3 --test @toy:n=60,d=3,skip=60 --folds 2 --note a=b -o m",
	"train @blobs:n=90,classes=3 --kernel rbf --probabilities -o k",
	"train @toy:n=60,d=3 --proved -o proved", "info proved", "evaluate proved @toy:n=60,d=3 --proved", "train @linear:n=60,d=3 --proved -o number", "evaluate number @linear:n=60,d=3 --proved",
	"train @toy:n=90,d=3 --probabilities=isotonic --interval 0.8 --folds 2 --class-weight balanced --C 2 --test @toy:n=60,d=3 -o covered", "info covered", "evaluate covered @toy:n=60,d=3",
	"train @linear:n=60,d=3 --interval 0.8 -o rows", "info rows",
	"train @blobs:n=90,classes=3 --loss softmax --probabilities=temperature -o heat", "info heat",
	"train @toy:n=90,d=3 --probabilities=auto -o chosen", "info chosen", "tune @toy:n=60,d=3 --folds 2 --search C=1 --probabilities=auto",
	"path @toy:n=40,d=3 --proved --C 0.1..1 --gap 0.1",
	"train @blobs:n=90,classes=2,spread=1 --cost +1=5 -o c",
	"evaluate c @blobs:n=90,classes=2,spread=1",
	"info c",
	"tune @blobs:n=90,classes=2,spread=1 --cost +1=5 --search C=1",
	"train @toy:n=60,d=3 --loss hinge --kernel rbf -o two",
	"train @spirals:n=100,noise=0 --hidden 5,3 --activation tanh --epochs 500 --solver adam:patience=1,gamma=1 -o net", "info net", "verify net @spirals:n=100,noise=0", "train @blobs:n=90 --hidden 4 --epochs 3 -o net3", "info net3",
	"train @spirals:n=80 --kernel rbf --gamma 2 --map fourier:dim=20 -o map",
	"train @linear:n=60,d=3 --test @linear:n=60,d=3,skip=60 --probabilities -o r",
	"train @linear:n=60,d=3 --loss huber --probabilities -o fitted", "info fitted",
	"train @toy:n=60,d=3 --loss logistic --radius 1 --test @toy:n=60,d=3",
	"train round.svm",
	"train @toy:n=60,d=3 --kernel rbf --hard-margin",
	"train @toy:n=60,d=3 --task one-class --nu 0.2 --kernel rbf --probabilities --test @toy:n=60,d=3 -o one",
	"train @blobs:n=90,classes=3 --scheme one-against-one --class-weight balanced -o pairs",
	"train times.csv -o times",
	"train --stream @toy:n=60,d=3 --holdout-after 50 -o once", "info once",
	"train tiny.svm -o tiny", "info tiny", "pca tiny.svm -k 1 -o tinier", "verify tinier tiny.svm",
	"train @toy:n=60,d=3 --loss ramp --kernel rbf -o ramp",
	"train @blobs:n=90,classes=3 --epochs 1 --gap 1e-9",
	"train zero.svm --zero-based -o zero",
	"train @toy:n=60,d=3 --slack 0.1 --gap 0.5 --epochs 20 -o slack",
	"train @toy:n=60,d=3 --kernel rbf --hard-margin -o hard",
	"train @toy:n=60,d=3 --radius 1 --kernel rbf --gap 0.05 -o radius",
	"info m", "info k", "info map", "info r", "info one", "info pairs", "info times", "info zero", "info slack", "info hard", "info radius",
	"evaluate m @toy:n=60,d=3 --train @toy:n=60,d=3",
	"evaluate one @toy:n=60,d=3",
	"evaluate r @linear:n=60,d=3",
	"verify m @toy:n=60,d=3",
	"verify m @toy:n=61,d=3",
	"verify ramp @toy:n=60,d=3",
	"convert two two.svm-model", "info two.svm-model",
	"train @blobs:n=90,classes=3 --scheme one-against-one --kernel rbf -o two-by-two", "convert two-by-two pairs.svm-model",
	"train @toy:n=60,d=3 --kernel rbf --nu 0.3 -o nu", "info nu", "convert nu nu.svm-model",
	"verify two.svm-model @toy:n=60,d=3 --C 1 --class-weight 1=2 --refine 3",
	"verify nu.svm-model @toy:n=60,d=3 --nu 0.3",
	"verify pairs.svm-model @blobs:n=90,classes=3 --C 1",
	"tune @toy:n=60,d=3 --search C=0.1,1 --outer 2 -o t",
	"tune @toy:n=60,d=3 --search C=0.1,1 --epochs 1 --gap 1e-12",
	"tune @linear:n=60,d=5 --penalty l1 --folds 0",
	"tune @toy:n=60,d=3 --bias none --search C=0.01..10 --folds 2 --prove --within 0.2",
	"tune times.csv --task regression --folds loo --search C=1",
	"tune @toy:n=60,d=3 --kernel rbf --folds 2 --search C=1 --probabilities",
	"tune counts.csv --task regression --loss poisson --folds 2 --search C=1 -o counts", "evaluate counts counts.csv", "train counts.csv --task regression --loss poisson --test counts.csv",
	"train times.csv --task regression --target-log -o log", "info log", "tune times.csv --task regression --target-log --folds 2 --search C=1",
	"train counts.csv --task regression --loss quantile:tau=0.9 --test counts.csv -o quantile", "evaluate quantile counts.csv", "report quantile counts.csv",
	"tune @toy:n=60,d=3 --search C=1 --folds 2 --probabilities --class-weight balanced -o sure", "info sure",
	"train several.csv --target a,b --loss quantile:tau=0.5 --test several.csv -o several", "info several", "evaluate several several.csv",
	"train several.csv --target a,b --penalty nuclear --lambda 0.1 -o nuclear", "info nuclear", "tune several.csv --target a,b --folds 2 --search C=1",
	"path @toy:n=40,d=3 --kernel rbf --gamma 1",
	"path @linear:n=40,d=3 --kernel rbf --loss squared --points 3",
	"path @toy:n=40,d=3 --kernel rbf --gamma 1 --slack 0.1..0.5 --points 3",
	"check-kernel @toy:n=40,d=3 --kernel sigmoid --gamma 1",
	"sparsify two @toy:n=60,d=3 --test @toy:n=60,d=3,skip=60 -o small",
	"sparsify two @toy:n=60,d=3 --no-refit",
	"info small", "info wide",
	"pca @low-rank:n=80,d=10 -k 2 --note a=b -o p",
	"pca @low-rank:n=80,d=10 -k 2 --stream -o stream", "pca @low-rank:n=80,d=10 -k 2 --kernel rbf --map nystrom:rank=20 -o images", "info images", "pca gaps.csv -k 1 --observed -o gaps", "info gaps", "verify gaps gaps.csv", "verify images @low-rank:n=80,d=10",
	"pca @pca-gaussian:n=80 -k 2 --stream --method warmuth-kuzmin",
	"pca @text:n=80,d=50 -k 2 --center=false -o moment",
	"pca @low-rank:n=80,d=10 -k 2 --method oja", "pca @low-rank:n=80,d=10 -k 2 --method race", "pca @low-rank:n=80,d=10 -k 2 --method msg --regret --iterate average --round systematic",
	"pca times.csv -k 1 -o dates",
	"info p", "info moment", "info stream", "info dates",
	"evaluate p @low-rank:n=80,d=10,skip=80",
	"bounds components --n 100 --accuracy 0.1", "bounds machines --n 100 --support 3",
	"compare p stream", "train @blobs:n=90,classes=3 -o three", "compare three three", "compare m m",
	"verify p @low-rank:n=80,d=10", "verify stream @low-rank:n=80,d=10", "verify dates times.csv",
	"advise @toy:n=50,d=3", "advise @toy:n=1000,d=3 --plan 0.6", "advise --n 50 --d 4 --condition 10", "advise --n 50 --d 4 --kernel rbf",
	"qp small.qps", "qp crossed.qps",
	"version",
}

// TestSchemas runs every verb that prints JSON, and checks what it prints against its schema,
// and that each field of a schema is printed by one of the examples.
func TestSchemas(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"gaps.csv":    "a,b,c\n1,2,3\n2,,7\n3,6,8\n4,8,\n5,9,15\n",
		"times.csv":   "t,y\n1700000000,1\n1700000100,2\n1700000250,3\n1700000300,5\n",
		"counts.csv":  "x,y\n1,0\n2,1\n3,1\n4,3\n5,6\n6,9\n",
		"several.csv": "a,x,b,z\n1,1,3,0\n2,2,1,1\n3.5,3,2,0\n4,4,5,2\n5,5.5,1,1\n6,7,2.5,0\n",
		"round.svm":   "-3 1:1700000000 2:-6\n2.5 1:1700000000.5 2:5\n1.6 1:1700000001 2:3\n",
		"tiny.svm":    "1 1:1e-50 2:1\n-1 1:-3e-50 2:2\n1 1:2e-50\n",
		"small.qps":   "ROWS\n N C\nCOLUMNS\n X C 1\nQUADOBJ\n X X 1\nENDATA\n",
		"crossed.qps": "ROWS\n N C\nCOLUMNS\n X C 1\nBOUNDS\n UP B X 1\n LO B X 2\nENDATA\n",
		"zero.svm":    "1 0:1 2:0.5\n-1 0:-1 1:2\n1 0:2\n-1 1:1\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	wide := &matrix.Double{Matrix: &matrix.Dense{Rows: 2, Cols: 1, Value: []float32{1, 2}}, Value: []float64{1, 2}}
	solved, err := fenchel.Train(t.Context(), &data.Set{X: wide, Target: data.Numbers([]float64{1, 3})}, fenchel.Spec{Loss: "squared"})
	if err != nil {
		t.Fatal(err)
	}
	if err := solved.Model.WriteFile("wide"); err != nil { // as the Python package writes one
		t.Fatal(err)
	}
	printed := map[string]map[string]bool{} // of each verb, the names of fields
	for _, example := range examples {
		args := strings.Fields(example)
		if args[0] == "convert" { // which makes a file for those that follow
			if err := exec.Command("fenchel", args...).Run(); err != nil {
				t.Errorf("fenchel %s: %v", example, err)
			}
			continue
		}
		args = append(args, "--json")
		cmd := exec.Command("fenchel", args...)
		var said bytes.Buffer
		cmd.Stderr = &said
		out, _ := cmd.Output() // which is empty after an error
		if err := fitsSchema(os.Getenv(schemaFolder), args[0], out); err != nil {
			t.Errorf("fenchel %s: %v\n%s", example, err, &said)
			continue
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(out))
		if err != nil {
			t.Fatal(err)
		}
		if printed[args[0]] == nil {
			printed[args[0]] = map[string]bool{}
		}
		addFields(printed[args[0]], value)
	}
	for _, c := range newRoot(nil).Commands() {
		if c.Flags().Lookup("json") == nil {
			continue
		}
		said := map[string]bool{}
		addProperties(t, said, c.Name()+".schema.json", "", map[string]bool{})
		for _, name := range slices.Sorted(maps.Keys(said)) {
			if !printed[c.Name()][name] {
				t.Errorf("%s.schema.json: found the field %q, expected an example that prints it", c.Name(), name)
			}
		}
	}
}

// addFields adds the names of the fields of a value.
func addFields(names map[string]bool, value any) {
	switch v := value.(type) {
	case map[string]any:
		for name, below := range v {
			names[name] = true
			addFields(names, below)
		}
	case []any:
		for _, below := range v {
			addFields(names, below)
		}
	}
}

// addProperties adds the names of the properties below a place of a schema, a pointer such
// as /$defs/bound, and of those that it refers to. Each of them must say what it is.
func addProperties(t *testing.T, names map[string]bool, file, pointer string, seen map[string]bool) {
	t.Helper()
	if seen[file+pointer] {
		return
	}
	seen[file+pointer] = true
	text, err := os.Open(filepath.Join(os.Getenv(schemaFolder), file))
	if err != nil {
		t.Error(err)
		return
	}
	defer text.Close()
	value, err := jsonschema.UnmarshalJSON(text)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if part != "" {
			value = value.(map[string]any)[part]
		}
	}
	var walk func(value any)
	walk = func(value any) {
		switch v := value.(type) {
		case []any:
			for _, below := range v {
				walk(below)
			}
		case map[string]any:
			if properties, ok := v["properties"].(map[string]any); ok {
				for name, property := range properties {
					names[name] = true
					if p := property.(map[string]any); p["description"] == nil && p["$ref"] == nil {
						t.Errorf("%s: found no description of %q", file, name)
					}
				}
			}
			if to, ok := v["$ref"].(string); ok {
				other, place, _ := strings.Cut(to, "#")
				if other == "" {
					other = file
				}
				addProperties(t, names, other, place, seen)
			}
			for key, below := range v {
				if key != "$defs" { // what is used of them is referred to
					walk(below)
				}
			}
		}
	}
	walk(value)
}
