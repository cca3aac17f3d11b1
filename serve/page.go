package serve

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"maps"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// mostFields is up to how many features the page has a field for each; of more a row is written as JSON.
const mostFields = 200

// A page tries a model by hand.
type page struct {
	Model, Version, What, Gap, Program string
	Others                             []string
	Fields                             []field
	Features                           int
	Row, Error, Result, Within         string
	Shares, Parts                      []named
	Score                              float64
}

type field struct {
	Name, Key, Value, Hint string
	Options                []string
}

type named struct {
	Name  string
	Value float64
}

// pageOf shows the form of a model, "": the first, and what it predicts of a row that was sent, nil: none.
func pageOf(models *catalog, name string, work *work, sent url.Values) (reply, error) {
	p := &page{Program: pose.Version(), Others: slices.Sorted(maps.Keys(*models))}
	if name == "" && len(p.Others) > 0 {
		name = p.Others[0]
	}
	out := reply{code: 200, kind: kindPage}
	if name != "" {
		m, err := models.find(name, "")
		if err != nil {
			return out, err
		}
		out.model = m
		m.show(p, work, sent)
		if sent != nil && p.Error == "" {
			out.rows = 1
		}
	}
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, p)
	out.body = b.Bytes()
	return out, err
}

// show fills in the page of a model; sent: nil, or a row.
func (v *served) show(p *page, work *work, sent url.Values) {
	p.Model, p.Version, p.Gap, p.Features = v.name, v.version, v.gap(), v.inputs.features
	switch {
	case v.components != nil:
		p.What = fmt.Sprintf("%d principal components", v.components.Statement.K)
	case v.model.Classes != nil:
		p.What = fmt.Sprintf("%d classes, loss %s", len(v.model.Classes), v.model.Statement.Loss)
	default:
		p.What = "numbers, loss " + v.model.Statement.Loss
	}
	p.Fields = v.fields(sent)
	p.Row = sent.Get("row")
	if sent == nil {
		return
	}
	if err := v.try(p, work, sent); err != nil {
		p.Error = err.Error()
	}
}

// fields are those of a form: of each column, or feature; nil: there are too many.
func (v *served) fields(sent url.Values) (fields []field) {
	in := &v.inputs
	if in.schema == nil {
		for j := 0; j < in.features && in.features <= mostFields; j++ {
			f := field{Name: v.explainedName(j), Key: "c" + strconv.Itoa(j), Value: "0"}
			if sent != nil {
				f.Value = sent.Get(f.Key)
			}
			fields = append(fields, f)
		}
		return fields
	}
	for i := range in.columns {
		c := &in.columns[i]
		f := field{Name: c.Name, Key: "c" + strconv.Itoa(i), Value: sent.Get("c" + strconv.Itoa(i))}
		switch {
		case c.Category != nil:
			f.Options = slices.DeleteFunc(slices.Clone(c.Category), func(word string) bool { return word == set.MissingCategory }) // which the page offers anyway
		case c.Text != nil:
			f.Hint = "a text"
		case c.Kind.IsDate():
			f.Hint = "such as 2024-05-31"
		case datatype(c) == "BOOL":
			f.Options = []string{"true", "false"}
		default:
			f.Hint = "a number; empty: missing"
		}
		fields = append(fields, f)
	}
	return fields
}

// try predicts the row that was sent.
func (v *served) try(p *page, work *work, sent url.Values) error {
	in, b := &v.inputs, work.builder(&v.inputs)
	switch {
	case in.schema != nil:
		clear(work.record)
		for i := range in.columns {
			work.record[in.columns[i].Name] = sent.Get("c" + strconv.Itoa(i))
		}
		if err := b.add(work.record); err != nil {
			return err
		}
	case p.Fields != nil:
		for j, f := range p.Fields {
			x, err := strconv.ParseFloat(f.Value, 64)
			if err != nil {
				return fmt.Errorf("%s: found %q, expected a number", f.Name, f.Value)
			}
			value, err := in.set(j, x)
			if err != nil {
				return err
			}
			b.value = append(b.value, value)
		}
		b.rows = 1
	default:
		if _, err := b.rowsOf([]byte(p.Row), work.record, 1); err != nil {
			return err
		}
	}
	a, err := v.answer(b.matrix(), v.outputs())
	if err != nil {
		return err
	}
	v.present(p, a)
	return nil
}

// present fills in what is predicted.
func (v *served) present(p *page, a *answer) {
	if v.components != nil {
		p.Result = fmt.Sprintf("coordinates %.6g", a.score)
		return
	}
	m, output := v.model, 0
	if m.Classes == nil {
		p.Result = fmt.Sprintf("%.6g", a.number)
		if len(a.number) == 1 {
			p.Result = strconv.FormatFloat(a.number[0], 'g', 6, 64)
		}
	} else {
		p.Result = m.Classes[a.class[0]]
		if len(m.Outputs) == len(m.Classes) {
			output = a.class[0]
		}
		for c, share := range a.probability {
			p.Shares = append(p.Shares, named{m.Classes[c], share})
		}
	}
	if m.Coverage != nil && m.Classes == nil {
		p.Within = fmt.Sprintf("%.6g to %.6g", a.coverage[0], a.coverage[1])
	} else if m.Coverage != nil {
		p.Within = "{" + strings.Join(v.inSet(a.coverage), ", ") + "}"
	}
	p.Score = a.score[output]
	if a.explanation == nil {
		return
	}
	width := v.explained() + 1
	part := a.explanation[output*width : (output+1)*width]
	for i, x := range part[:width-1] {
		if x != 0 {
			p.Parts = append(p.Parts, named{v.explainedName(i), x})
		}
	}
	slices.SortStableFunc(p.Parts, func(a, b named) int {
		if x, y := math.Abs(a.Value), math.Abs(b.Value); x != y {
			return map[bool]int{true: -1, false: 1}[x > y]
		}
		return 0
	})
	p.Parts = append(p.Parts[:min(len(p.Parts), mostFields)], named{"(bias)", part[width-1]})
}
