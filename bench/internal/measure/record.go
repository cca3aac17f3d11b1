package measure

import (
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// A Record is what one run leaves: the machine, what was left out, and every
// measurement. It is the two files run.json and results.csv of a folder.
type Record struct {
	Machine Machine
	Notes   []string
	Rows    []Measurement `json:"-"`
}

const (
	runFile     = "run.json"
	ResultsFile = "results.csv"
)

// WriteRun writes run.json.
func (r Record) WriteRun(folder string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, runFile), append(text, '\n'), 0o666)
}

// ReadRecord reads both files.
func ReadRecord(folder string) (r Record, err error) {
	text, err := os.ReadFile(filepath.Join(folder, runFile))
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", filepath.Join(folder, runFile), err)
	}
	r.Rows, err = readCSV(filepath.Join(folder, ResultsFile))
	return r, err
}

// readCSV reads what writeCSV wrote, of an older version too: columns go by their names.
func readCSV(path string) ([]Measurement, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err == nil && len(lines) == 0 {
		err = errors.New("found no line, expected a header")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var rows []Measurement
	for i, line := range lines[1:] {
		cells := map[string]string{}
		for k, name := range lines[0] {
			cells[name] = line[k]
		}
		m, err := measurementOf(cells)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+2, err)
		}
		rows = append(rows, m)
	}
	return rows, nil
}

// measurementOf is the inverse of record.
func measurementOf(cells map[string]string) (Measurement, error) {
	var errs []error
	f := func(name string) float64 {
		x, err := strconv.ParseFloat(cells[name], 64)
		if err != nil && cells[name] != "" {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		return x
	}
	i := func(name string) int64 {
		x, err := strconv.ParseInt(cells[name], 10, 64)
		if err != nil && cells[name] != "" {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
		return x
	}
	m := Measurement{Race: cells["race"], Kind: cells["kind"], Set: cells["set"], Size: Size{Rows: i("rows"), Columns: i("columns"), Nonzeros: i("nonzeros"), Bytes: i("input_bytes")},
		Loss: cells["loss"], Lambda: cells["lambda"], Kernel: cells["kernel"], Contender: cells["contender"], Setting: cells["setting"],
		Threads: int(i("threads")), Target: f("target"), Repeat: int(i("repeat")), Seconds: f("seconds"), Certify: f("certify_seconds"),
		Objective: f("objective"), Accuracy: f("accuracy"), Peak: i("peak_bytes"), Support: i("support"),
		Evaluations: i("evaluations"), Test: f("test_accuracy"), Components: i("components"), Total: f("total"), Note: cells["note"]}
	return m, errors.Join(errs...)
}

// Races are the races of a record, for people.
func (r Record) Races() string {
	return strings.Join(Distinct(r.Rows, func(m Measurement) string { return m.Race }), ", ")
}
