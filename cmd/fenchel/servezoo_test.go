package main

import (
	"bytes"
	"encoding/binary"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"math"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fenchel-ml/fenchel/serve"
)

// An exhibit is a model, and rows that are sent to the server and given to predict.
type exhibit struct {
	name  string
	train string   // rows, a table or of LIBSVM; "": args name a generator
	args  []string // of train, or of the verb that comes first
	rows  string   // a table without targets, or lines of numbers with commas
}

// zooTable has columns of all kinds; zooRows are rows as people write them.
const (
	zooTable = `age,colour,member,since,at,code,note,grade,paid
30,red,true,2024-01-01,08:30,007,the parcel came late and broken,1,yes
41,blue,false,2024-02-01,09:15,012,a very good parcel that came soon,2,no
?,red,true,2024-03-05,23:59,007,it was late again this time,3,yes
25.5,green,false,2024-04-01,00:00,100,good and cheap as ever before,1,no
60,,true,2024-05-01,12:00,012,"late, late and broken once more",2,yes
33,blue,true,,13:30,100,no complaints at all from us,3,no
47,red,false,2024-07-01,,007,broken on the day it came,1,yes
52,green,true,2024-08-01,07:45,012,cheap but good enough for this,2,no
38,red,true,2024-09-01,18:20,007,never came at all this year,3,yes
1.00000005960464477540,blue,,2024-10-01,16:05,100,soon and good and cheap too,1,no
`
	zooRows = `age,colour,member,since,at,code,note,grade
35,red,true,2024-06-15,10:00,007,late and broken again,1
-0,blue,false,2023-12-31,23:59,012,good,2
?,green,true,,00:00,100,,3
1e-45,,,2024-02-29,,, ,
1.0000001,violet,true,1999-01-01,12:34:56,7,"words, that ""nobody"" knew",4
3.4e38,NA,false,2024-06-15 12:00:00,06:00,007,ünïcode — late 晚,1.0
-1e-320, red ,TRUE,2024-06-15T06:00:00,10:00,012,LATE Broken,?
16777217,N/A,False,2262-04-11,0:00,100,late	tab,2
`
	zooNumbers = "0.5,1,2,3\n-0,0,0,0\n1e-45,-1e-320,1.0000001,16777217\n-3,2.5,1e6,-0.001\n0,0,0,7\n"
)

func numbers(f func(i int) string) string {
	var b strings.Builder
	for i := range 60 {
		b.WriteString(f(i))
	}
	return b.String()
}

// zoo returns all exhibits.
func zoo() []exhibit {
	svm := numbers(func(i int) string {
		return fmt.Sprintf("%d 1:%d 2:%g 4:%g\n", i%3, i%7, float64(i%5)/4, math.Sin(float64(i)))
	})
	two := numbers(func(i int) string {
		return fmt.Sprintf("%+d 1:%d 2:%g 4:%g\n", i%2*2-1, i%7, float64(i%5)/4, math.Sin(float64(i)))
	})
	counts := numbers(func(i int) string {
		return fmt.Sprintf("%d 1:%d 2:%g 4:%g\n", 1+i%4, i%7, float64(i%5)/4, math.Sin(float64(i)))
	})
	targets := "a,b,c,d,up,down\n" + numbers(func(i int) string {
		return fmt.Sprintf("%d,%d,%d,%d,%d,%g\n", i%11, i%7, i%3, i%5, i*2+1, -float64(i)/3)
	})
	times := "t,p,y\n" + numbers(func(i int) string {
		return fmt.Sprintf("%.2f,%.1f,%d\n", 1.7e9+float64(i)/100, 270+float64(i%41)/10, i%7)
	})
	comma := "a;b;y\n" + numbers(func(i int) string { return fmt.Sprintf("%d,5;1.%03d,25;%d\n", i%9, i, i%2) })
	words := strings.NewReplacer("yes\n", "a\"b\n", "no\n", "ü\\ü\n").Replace(zooTable)
	wide := numbers(func(i int) (line string) {
		line = strconv.Itoa(i % 2)
		for j := range 50 {
			line += fmt.Sprintf(" %d:%g", j+1, math.Sin(float64(i*j+1)))
		}
		return line + "\n"
	})
	row := func(of float64) (line string) {
		for j := range 50 {
			line += fmt.Sprintf("%g,", math.Sin(of*float64(j+1)))
		}
		return line[:len(line)-1] + "\n"
	}
	train := func(args ...string) []string { return append([]string{"train"}, args...) }
	return []exhibit{
		{"columns", zooTable, train("--loss", "logistic"), zooRows},
		{"columns-hinge", zooTable, train("--scale", "none"), zooRows},
		{"columns-labels", words, train("--loss", "squared-hinge", "--scale", "max"), zooRows},
		{"columns-threshold", zooTable, train("--loss", "logistic", "--cost", "yes=5,no=1", "--folds", "2"), zooRows},
		{"columns-given-threshold", zooTable, train("--threshold", "-0.2"), zooRows},
		{"columns-calibrated", zooTable + zooTable[strings.Index(zooTable, "\n")+1:], train("--probabilities"), zooRows},
		{"columns-rbf", zooTable, train("--kernel", "rbf", "--ignore", "note"), zooRows},
		{"columns-network", zooTable, train("--hidden", "4", "--ignore", "note"), zooRows},
		{"columns-hashed", zooTable, train("--hash", "6", "--ngrams", "1..2", "--term-weights", "sublinear"), zooRows},
		{"columns-characters", zooTable, train("--ngrams", "chars:2..3", "--term-weights", "counts"), zooRows},
		{"columns-crossed", zooTable, train("--cross", "colour,note", "--cross", "age,colour", "--words", "uax29"), zooRows},
		{"columns-ignored", zooTable, train("--ignore", "colour,note,at", "--categorical", "grade"), zooRows},
		{"columns-three", zooTable, train("--target", "grade", "--task", "classification", "--loss", "softmax"), strings.NewReplacer("grade", "paid", ",1\n", ",yes\n", ",1.0\n", ",no\n", ",2\n", ",\n", ",3\n", ",NO\n", ",4\n", ",yes\n").Replace(zooRows)},
		{"columns-numbers", zooTable, train("--target", "age", "--skip-unlabelled", "--ignore", "paid"), strings.ReplaceAll(zooRows, "age,", "other,")},
		{"columns-pca", zooTable, []string{"pca", "-k", "2", "--ignore", "note,paid"}, zooRows},
		{"targets", targets, train("--target", "up,down"), "a,b,c,d\n1,2,3,4\n-0,0,0,0\n1e6,0.1,?,7\n"},
		{"times", times, train(), "t,p\n1700000000.07,271.3\n1700000000,0\n?,270\n"},
		{"commas", comma, train(), "a;b\n1,5;1.234,5\n-0;?\n"},
		{"log", targets, train("--target", "up", "--target-log", "--ignore", "down,a"), "a,b,c,d\n1,2,3,4\n60,0,0,0\n"},
		{"intervals", targets, train("--target", "up", "--ignore", "down", "--interval", "0.8"), "a,b,c,d\n1,2,3,4\n-0,0,0,0\n1e6,0.1,2,7\n"},
		{"intervals-log", targets, train("--target", "up", "--target-log", "--ignore", "down,a", "--interval", "0.8", "--loss", "huber"), "a,b,c,d\n1,2,3,4\n60,0,0,0\n"},
		{"intervals-rbf", counts, train("--kernel", "rbf", "--task", "regression", "--interval", "0.7"), zooNumbers},
		{"sets", svm, train("--interval", "0.9"), zooNumbers},
		{"sets-of-two", zooTable + zooTable[strings.Index(zooTable, "\n")+1:], train("--interval", "0.8", "--loss", "logistic"), zooRows},
		{"poisson", counts, train("--loss", "poisson"), "0.5,1,2,3\n-0,0,0,0\n"},
		{"classes", svm, train("--loss", "logistic"), zooNumbers},
		{"softmax", svm, train("--loss", "softmax", "--scale", "std"), zooNumbers},
		{"pairs", svm, train("--kernel", "rbf", "--scheme", "one-against-one"), zooNumbers},
		{"calibrated-pairs", svm, train("--kernel", "rbf", "--probabilities", "--scheme", "one-against-one"), zooNumbers},
		{"polynomial", two, train("--kernel", "poly:degree=2"), zooNumbers},
		{"mapped", two, train("--kernel", "rbf:gamma=0.5", "--map", "nystrom"), zooNumbers},
		{"outliers", two, train("--task", "one-class", "--nu", "0.2", "--kernel", "rbf"), zooNumbers},
		{"network", svm, train("--hidden", "5,3"), zooNumbers},
		{"scaled", two, train("--scale", "max", "--loss", "logistic"), zooNumbers},
		{"wide", wide, train("--loss", "logistic"), row(0.3) + row(1.7) + row(-2.9)},
		{"wide-rbf", wide, train("--kernel", "rbf"), row(0.3) + row(1.7) + row(-2.9)},
		{"zero-based", strings.ReplaceAll(two, " 1:", " 0:"), train("--zero-based"), "0.5,1,2,3,4\n-0,0,0,0,7\n"},
		{"components", svm, []string{"pca", "-k", "2"}, zooNumbers},
		{"components-kernel", svm, []string{"pca", "-k", "2", "--kernel", "rbf"}, zooNumbers},
		{"components-white", svm, []string{"pca", "-k", "2", "--whiten"}, zooNumbers},
	}
}

// TestServeZoo: the server says of all rows what predict says, number by number as they are written, whether they come as JSON or as
// tensors, as text or as bytes, alone or together; and all that it says is as its description tells.
func TestServeZoo(t *testing.T) {
	for _, e := range zoo() {
		t.Run(e.name, func(t *testing.T) {
			v := newVisit(t, e)
			v.records(t)
			v.tensors(t)
			v.sparse(t)
		})
	}
}

// A visit compares an exhibit.
type visit struct {
	server              *serve.Server
	table               bool
	name                []string   // of columns
	row                 [][]string // cells
	want                []string   // what predict says
	objects, wantSparse []string   // of rows with features left out
	zeroBased           bool
	outputs             []string
	kind                map[string]string // of inputs, as the model declares
	first               string            // input
	classes             []string
}

func fenchelSays(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.Command("fenchel", args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("fenchel %q: %v\n%s", args, err, stderr.String())
	}
	return string(out)
}

func newVisit(t *testing.T, e exhibit) *visit {
	folder := t.TempDir()
	v := &visit{server: serve.New(serve.Options{}), kind: map[string]string{}, table: strings.Contains(e.train, ",")}
	path, data := filepath.Join(folder, "m.model"), filepath.Join(folder, "rows.svm")
	if v.table || strings.Contains(e.train, ";") {
		v.table, data = true, filepath.Join(folder, "rows.csv")
	}
	write(t, data, e.train)
	fenchelSays(t, slices.Concat(e.args[:1], []string{data, "-q", "-o", path}, e.args[1:])...)
	if err := v.server.Load(path); err != nil {
		t.Fatal(err)
	}
	v.zeroBased = slices.Contains(e.args, "--zero-based")
	v.about(t)
	v.read(t, e.rows)
	v.predict(t, folder, path, e.rows)
	return v
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// read splits the rows of an exhibit.
func (v *visit) read(t *testing.T, text string) {
	r := csv.NewReader(strings.NewReader(text))
	if strings.Contains(text, ";") {
		r.Comma = ';'
	}
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if v.row = all; v.table {
		v.name, v.row = all[0], all[1:]
	}
}

// predict has predict say what it says of the rows: of those that are no table also where they are sparse.
func (v *visit) predict(t *testing.T, folder, path, text string) {
	data := filepath.Join(folder, "new.csv")
	if v.table {
		write(t, data, text)
		v.want = v.says(t, path, data)
		return
	}
	data = filepath.Join(folder, "new.npy")
	write(t, data, npy(v.row))
	v.want = v.says(t, path, data)
	first := 1
	if v.zeroBased {
		first = 0
	}
	var lines, objects []string
	for i, row := range v.row {
		line, object := "0", []string{}
		for j, cell := range append(slices.Clone(row[:len(row)-1]), "1.00000005960464477540") { // halfway in double precision, not as it is written
			if x, _ := strconv.ParseFloat(cell, 64); x != 0 && (i+j)%3 > 0 {
				line += fmt.Sprintf(" %d:%s", j+first, cell)
				object = append(object, fmt.Sprintf(`"%d":%s`, j+1, cell))
			}
		}
		lines, objects = append(lines, line+"\n"), append(objects, "{"+strings.Join(object, ",")+"}")
	}
	data = filepath.Join(folder, "new.svm")
	write(t, data, strings.Join(lines, ""))
	v.objects, v.wantSparse = objects, v.says(t, path, data)
}

// says returns the lines of predict, such as label, scores, probabilities.
func (v *visit) says(t *testing.T, path, data string) []string {
	args := []string{"predict", path, data}
	if slices.Contains(v.outputs, "score") {
		args = append(args, "--scores")
	}
	if slices.Contains(v.outputs, "probability") {
		args = append(args, "--probabilities")
	}
	if slices.Contains(v.outputs, "interval") || slices.Contains(v.outputs, "set") {
		args = append(args, "--interval")
	}
	lines := strings.Split(strings.TrimSuffix(fenchelSays(t, args...), "\n"), "\n")
	if len(lines) != len(v.row) {
		t.Fatalf("found %d predictions for %d rows", len(lines), len(v.row))
	}
	return lines
}

// sparse sends rows as objects of some features, and among arrays of all.
func (v *visit) sparse(t *testing.T) {
	var all []string
	for i, object := range v.objects {
		var p prediction
		decodeServed(t, v.ask(t, "POST", "/predict/m?with="+strings.Join(v.asked(), ","), "prediction", object), &p)
		v.compare(t, v.wantSparse[i], p.line(v), object)
		all = append(all, object, v.record(v.row[i], true))
	}
	if all == nil {
		return
	}
	var found []prediction
	decodeServed(t, v.ask(t, "POST", "/predict?with="+strings.Join(v.asked(), ","), "predictions", "["+strings.Join(all, ",")+"]"), &found)
	for i := range found {
		v.compare(t, [][]string{v.wantSparse, v.want}[i%2][i/2], found[i].line(v), all[i]+" among others")
	}
}

// npy is a file of NumPy in double precision.
func npy(rows [][]string) string {
	head := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }", len(rows), len(rows[0]))
	head += strings.Repeat(" ", 117-len(head)) + "\n"
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(head)), 0)
	b = append(b, head...)
	for _, row := range rows {
		for _, cell := range row {
			x, _ := strconv.ParseFloat(cell, 64)
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(x))
		}
	}
	return string(b)
}

// about reads what the model tells of itself.
func (v *visit) about(t *testing.T) {
	var about struct {
		Inputs, Outputs []struct{ Name, Datatype string }
		Parameters      struct{ Classes []string }
	}
	decodeServed(t, v.ask(t, "GET", "/v2/models/m", "model", ""), &about)
	for _, in := range about.Inputs {
		v.kind[in.Name] = in.Datatype
	}
	for _, out := range about.Outputs {
		v.outputs = append(v.outputs, out.Name)
	}
	v.first, v.classes = about.Inputs[0].Name, about.Parameters.Classes
	v.ask(t, "POST", "/v2/repository/index", "index", "")
	v.ask(t, "GET", "/v2/models/m/versions/1/ready", "ready", "")
}

func decodeServed(t *testing.T, text string, into any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
}

// ask sends a request, and holds the answer to a schema of the description.
func (v *visit) ask(t *testing.T, method, path, schema, body string, headers ...string) string {
	t.Helper()
	w := v.send(method, path, body, headers...)
	text := w.Body.String()
	if n := w.Header().Get(headerLength); n != "" {
		length, _ := strconv.Atoi(n)
		text = text[:length]
	}
	if w.Code != 200 {
		t.Fatalf("%s %s: found %d %s\n%.300s", method, path, w.Code, text, body)
	}
	described(t, schema, text)
	return w.Body.String()
}

const headerLength = "Inference-Header-Content-Length"

func (v *visit) send(method, path, body string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	v.server.ServeHTTP(w, r)
	return w
}

// described holds a text to a schema of the description of all paths.
func described(t *testing.T, schema, text string) {
	t.Helper()
	all, err := jsonschema.UnmarshalJSON(bytes.NewReader(serve.OpenAPI()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("file:///openapi.json", all); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("file:///openapi.json#/components/schemas/" + schema)
	if err != nil {
		t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if err := s.Validate(value); err != nil {
		t.Errorf("%s: %v", text, err)
	}
}

// cells are the values of a row as JSON, typed or as text, in the order of columns; "": the model knows no such column.
func (v *visit) cells(row []string, typed bool) (cells []string) {
	for j, cell := range row {
		quoted, _ := json.Marshal(cell)
		switch kind := ""; {
		case !v.table:
			cells = append(cells, cell)
			continue
		default:
			if kind = v.kind[v.name[j]]; kind == "" {
				cells = append(cells, "")
				continue
			}
			switch {
			case !typed:
			case cell == "" || cell == "?":
				quoted = []byte("null")
			case kind == "BOOL" && (strings.EqualFold(cell, "true") || strings.EqualFold(cell, "false")):
				quoted = []byte(strings.ToLower(cell))
			case kind == "FP64" && json.Valid([]byte(cell)):
				quoted = []byte(cell)
			}
		}
		cells = append(cells, string(quoted))
	}
	return cells
}

// record is a row as JSON.
func (v *visit) record(row []string, typed bool) string {
	cells := v.cells(row, typed)
	if !v.table {
		return "[" + strings.Join(cells, ",") + "]"
	}
	var fields []string
	for j, cell := range cells {
		if cell != "" {
			fields = append(fields, strconv.Quote(v.name[j])+":"+cell)
		}
	}
	return "{" + strings.Join(fields, ",") + "}"
}

// records sends rows as JSON, one by one and all.
func (v *visit) records(t *testing.T) {
	for _, typed := range []bool{false, true} {
		var all []string
		for i, row := range v.row {
			one := v.record(row, typed)
			all = append(all, one)
			var p prediction
			decodeServed(t, v.ask(t, "POST", "/predict/m?with="+strings.Join(v.asked(), ","), "prediction", one), &p)
			v.compare(t, v.want[i], p.line(v), one)
		}
		var found []prediction
		decodeServed(t, v.ask(t, "POST", "/predict?with="+strings.Join(v.asked(), ","), "predictions", "["+strings.Join(all, ",")+"]"), &found)
		for i := range found {
			v.compare(t, v.want[i], found[i].line(v), all[i]+" among others")
		}
	}
}

// asked are the outputs that predict writes, in its order.
func (v *visit) asked() (names []string) {
	for _, name := range []string{"predict", "score", "probability", "interval", "set", "components"} {
		if slices.Contains(v.outputs, name) {
			names = append(names, name)
		}
	}
	return names
}

func (v *visit) compare(t *testing.T, want, found, sent string) {
	t.Helper()
	if found != want {
		t.Errorf("%.1000s: found\n%s, predict says\n%s", sent, found, want)
	}
}

// prediction is an answer to a row.
type prediction struct {
	Label                                            *string
	Set                                              *[]string
	Number, Score, Probability, Interval, Components json.RawMessage
}

// line writes a prediction as predict does.
func (p prediction) line(v *visit) string {
	var parts []string
	if p.Label != nil {
		parts = append(parts, *p.Label)
	}
	for _, raw := range []json.RawMessage{p.Number, p.Score, p.Probability, p.Interval, p.Components} {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.UseNumber()
		for {
			token, err := d.Token()
			if err != nil {
				break
			}
			if n, ok := token.(json.Number); ok {
				parts = append(parts, n.String())
			}
		}
	}
	if p.Set != nil {
		parts = append(parts, strings.Join(*p.Set, "|"))
	}
	return strings.Join(parts, "\t")
}

// A sent tensor: how its elements are written.
type sentTensor struct {
	head string
	json string
	raw  []byte
}

// column makes a tensor of cells.
func (v *visit) column(name, kind string, shape string, cells []string) sentTensor {
	missing := func(cell string) bool { return slices.Contains([]string{"", "?", "NA", "N/A"}, cell) }
	if kind == "BOOL" && !slices.ContainsFunc(cells, func(cell string) bool { return strings.EqualFold(cell, "true") }) || slices.ContainsFunc(cells, missing) && kind == "BOOL" {
		kind = "BYTES" // yes and no, or what can be missing
	}
	s := sentTensor{head: fmt.Sprintf(`"name":%q,"shape":%s`, name, shape)}
	var texts []string
	for _, cell := range cells {
		x, err := strconv.ParseFloat(cell, 64)
		if kind == "FP64" && err != nil {
			if !missing(cell) {
				kind = "BYTES"
			}
			x = math.NaN()
		}
		switch kind {
		case "FP64":
			s.raw = binary.LittleEndian.AppendUint64(s.raw, math.Float64bits(x))
			texts = append(texts, cell)
			continue
		case "BOOL":
			yes := strings.EqualFold(cell, "true")
			s.raw = append(s.raw, map[bool]byte{true: 1}[yes])
			texts = append(texts, strconv.FormatBool(yes))
			continue
		}
	}
	if kind == "BYTES" {
		s.raw, texts = nil, nil
		for _, cell := range cells {
			quoted, _ := json.Marshal(cell)
			s.raw = append(binary.LittleEndian.AppendUint32(s.raw, uint32(len(cell))), cell...)
			texts = append(texts, string(quoted))
		}
	}
	s.head += `,"datatype":"` + kind + `"`
	if s.json = "[" + strings.Join(texts, ",") + "]"; kind == "FP64" && slices.ContainsFunc(cells, missing) {
		s.json = "" // JSON has no NaN
	}
	return s
}

// inputs are all tensors of the rows.
func (v *visit) inputs() (all []sentTensor) {
	if !v.table {
		var cells []string
		for _, row := range v.row {
			cells = append(cells, row...)
		}
		return []sentTensor{v.column(v.first, "FP64", fmt.Sprintf("[%d,%d]", len(v.row), len(v.row[0])), cells)}
	}
	for j, name := range v.name {
		kind := v.kind[name]
		if kind == "" {
			continue
		}
		var cells []string
		for _, row := range v.row {
			cells = append(cells, row[j])
		}
		all = append(all, v.column(name, kind, fmt.Sprintf("[%d]", len(cells)), cells))
	}
	return all
}

// tensors sends rows as tensors, as text and as bytes, and asks for both.
func (v *visit) tensors(t *testing.T) {
	for _, sendRaw := range []bool{false, true} {
		for _, askRaw := range []bool{false, true} {
			var inputs, outputs []string
			var raw []byte
			for _, s := range v.inputs() {
				if sendRaw || s.json == "" {
					inputs = append(inputs, fmt.Sprintf(`{%s,"parameters":{"binary_data_size":%d}}`, s.head, len(s.raw)))
					raw = append(raw, s.raw...)
				} else {
					inputs = append(inputs, fmt.Sprintf(`{%s,"data":%s}`, s.head, s.json))
				}
			}
			for _, name := range v.asked() {
				outputs = append(outputs, fmt.Sprintf(`{"name":%q,"parameters":{"binary_data":%t}}`, name, askRaw))
			}
			body := fmt.Sprintf(`{"id":"x","inputs":[%s],"outputs":[%s]}`, strings.Join(inputs, ","), strings.Join(outputs, ","))
			described(t, "infer", body)
			v.inferred(t, body, raw)
		}
	}
}

func (v *visit) inferred(t *testing.T, body string, raw []byte) {
	w := v.send("POST", "/v2/models/m/infer", body+string(raw), headerLength, strconv.Itoa(len(body)))
	text := w.Body.String()
	if w.Code != 200 {
		t.Fatalf("found %d %s\n%s", w.Code, text, body)
	}
	rest := ""
	if n := w.Header().Get(headerLength); n != "" {
		length, _ := strconv.Atoi(n)
		text, rest = text[:length], text[length:]
	}
	described(t, "inferred", text)
	var answer struct {
		Outputs []struct {
			Name, Datatype string
			Shape          []int
			Data           []any
			Parameters     map[string]int
		}
	}
	decodeServed(t, text, &answer)
	lines := make([][]string, len(v.row))
	for _, out := range answer.Outputs {
		if out.Data == nil {
			n := out.Parameters["binary_data_size"]
			out.Data, rest = unpack(out.Datatype, rest[:n]), rest[n:]
		}
		sets := make([][]string, len(v.row))
		for k, x := range out.Data {
			i := k * len(v.row) / len(out.Data)
			if out.Name != "set" {
				lines[i] = append(lines[i], fmt.Sprint(x))
			} else if fmt.Sprint(x) == "1" {
				sets[i] = append(sets[i], v.classes[k%len(v.classes)])
			}
		}
		for i := range lines {
			if out.Name == "set" {
				lines[i] = append(lines[i], strings.Join(sets[i], "|"))
			}
		}
		if width := len(out.Data) / len(v.row); out.Shape[0] != len(v.row) || len(out.Shape) == 2 && out.Shape[1] != width || len(out.Shape) == 1 && width != 1 {
			t.Errorf("%s: found the shape %v of %d values", out.Name, out.Shape, len(out.Data))
		}
	}
	if rest != "" {
		t.Errorf("found %d bytes behind the tensors", len(rest))
	}
	for i := range lines {
		v.compare(t, v.want[i], strings.Join(lines[i], "\t"), body)
	}
}

// unpack reads the elements of a binary tensor.
func unpack(kind, raw string) (all []any) {
	for raw != "" {
		if kind == "FP64" {
			x := math.Float64frombits(binary.LittleEndian.Uint64([]byte(raw[:8])))
			all, raw = append(all, strconv.FormatFloat(x, 'g', -1, 64)), raw[8:]
			continue
		}
		n := binary.LittleEndian.Uint32([]byte(raw[:4]))
		all, raw = append(all, raw[4:4+n]), raw[4+n:]
	}
	return all
}
