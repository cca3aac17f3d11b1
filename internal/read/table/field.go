package table

import (
	"fmt"
	"math"
	"slices"

	"github.com/fenchel-ml/fenchel/internal/read/decimal"
	"github.com/fenchel-ml/fenchel/internal/read/fault"
	"github.com/fenchel-ml/fenchel/internal/read/lines"
	"github.com/fenchel-ml/fenchel/internal/read/set"
)

// cell reads a field. What is wrong with a target or a weight is an error; what
// is wrong with a feature is left for later, as it is not yet sure what the
// column is.
func (p *rowParser) cell(f field) (uint32, error) {
	for k, column := range p.kept {
		if f.column == column {
			p.out.fields[k].add(f.text)
		}
	}
	f.missing = f.missing || len(p.also) > 0 && p.isAlso(f.text)
	switch p.out.roles[f.column] {
	case roleNumber, roleInteger, roleKept:
		return p.number(f), nil
	case roleSpelled:
		return p.spelled(f), nil
	case roleCategory:
		return p.category(f), nil
	case roleTarget:
		return 0, p.readTarget(f)
	case roleFurther:
		return 0, p.readFurther(f)
	case roleWeight:
		return 0, p.readWeight(f)
	}
	return 0, nil
}

const noMean = "a stream has no mean to stand for a missing one"

func (p *rowParser) number(f field) uint32 {
	o := p.out
	content := &o.content[f.column]
	if f.missing || set.IsDash(f.text) {
		if p.strict {
			p.spoil(f, p.strictly(f, noMean))
		}
		o.missing[p.slot[f.column]]++
		content.missing++
		return set.MissingBits
	}
	v, status := decimal.Float32(f.text)
	switch {
	case status == decimal.Number && o.roles[f.column] == roleInteger && set.IsCode(f.text):
		p.turn(f.column)
	case status == decimal.Number:
		cell := math.Float32bits(v + 0) // nor -0
		tiny := v < 0x1p-126 && v > -0x1p-126
		if p.tight[f.column] || tiny {
			exact, _ := decimal.Float64(f.text)
			if p.tight[f.column] {
				p.note(p.slot[f.column], exact, cell)
			} else if exact != 0 {
				p.tighten(f.column)
			}
		}
		return cell
	case status == decimal.Text && p.open[f.column]:
		p.turn(f.column)
	case status == decimal.Text && p.strict:
		p.spoil(f, p.strictly(f, "a stream cannot make it one of categories"))
	case status == decimal.NoValue:
		p.spoil(f, "a finite number (leave the field empty for a missing value)")
	default:
		p.spoil(f, status.Expected())
	}
	return set.MissingBits
}

// turn makes a column one of categories, from the first row of the chunk on.
func (p *rowParser) turn(column int) {
	p.out.roles[column] = roleCategory
	p.text[column].Store(true)
	p.redo = true
}

// spelled reads a number in other words, as the schema has them.
func (p *rowParser) spelled(f field) uint32 {
	o, slot := p.out, p.slot[f.column]
	if f.missing || set.IsDash(f.text) {
		if p.strict {
			p.spoil(f, p.strictly(f, noMean))
		}
		o.missing[slot]++
		o.content[f.column].missing++
		return set.MissingBits
	}
	v, ok := p.spell[slot].Read(f.text)
	if !ok || math.Abs(v) > math.MaxFloat32 {
		p.spoil(f, p.spell[slot].Expected+", as in the training data")
		return set.MissingBits
	}
	return set.NumberCell(v)
}

// strictly is what the fields of a stream are to be.
func (p *rowParser) strictly(f field, why string) string {
	return fmt.Sprintf("a number in all of column %q: %s", p.names[f.column], why)
}

func (p *rowParser) category(f field) uint32 {
	o := p.out
	words, content := &o.words[p.slot[f.column]], &o.content[f.column]
	word := f.text
	if f.missing && p.fixed { // an older program took None for a category
		_, known := p.table.words[p.slot[f.column]].code[string(word)]
		f.missing = !known
	}
	if f.missing {
		word = []byte(set.MissingCategory)
		content.missing++
	} else if !p.allowed(f) {
		p.spoil(f, p.declared(f))
	}
	code, known := words.code[string(word)]
	if !known {
		if p.c.CheckText(f.at, word) != nil {
			p.spoil(f, p.c.ExpectedText())
		}
		if p.header && p.c.Frame == nil && isNamed(f, p.names[f.column]) && p.isHeader(f.at) {
			p.spoil(f, "a row: these are the names of the columns once more")
		}
		code = words.intern(word)
		if _, status := decimal.Float32(word); !f.missing && status == decimal.Text && content.text == "" {
			content.text, content.place = fault.Quote(f.text), p.c.Locate(f.at)
		}
	}
	return code + 1 // 0 is the number zero
}

// isHeader reports whether the line around an offset has the names of the columns.
func (p *rowParser) isHeader(at int) bool {
	fields, _, err := p.rows.row(p.c, lines.LastLine(p.c.Text[:at]), nil)
	return err == nil && slices.EqualFunc(fields, p.names, isNamed)
}

// spoil notes a feature that is no feature: the first by row and, within a row,
// by place in the schema.
func (p *rowParser) spoil(f field, expected string) {
	o, place := p.out, p.use[f.column]
	if o.bad != nil && (o.badRow < o.rows || o.badPlace <= place) {
		return
	}
	o.bad, o.badRow, o.badPlace = p.c.Errorf(f.at, fault.Quote(f.text), expected), o.rows, place
}

func (p *rowParser) readTarget(f field) error {
	o := p.out
	switch {
	case f.missing && set.MayBeLabel(f.text) && !p.isAlso(f.text):
		f.missing = false
		return p.readTarget(f)
	case f.missing && p.fixed: // a model may be asked for it
		if o.untargeted++; o.untargeted == 1 {
			o.firstBare = p.c.Place(f.at)
		}
		return nil
	case f.missing:
		return p.c.Errorf(f.at, "no target"+p.targetBy(), "one in each row ("+skipHint+")")
	case !p.allowed(f):
		return p.c.Errorf(f.at, fault.Quote(f.text), p.declared(f))
	}
	if p.kinds[f.column].kind == kindNumber {
		if _, status := decimal.Float64(f.text); status != decimal.Number {
			return p.c.Errorf(f.at, fault.Quote(f.text), "a finite number as target")
		}
	}
	return o.labels.Add(p.c, f.at, f.text)
}

// readFurther reads one more target, a number.
func (p *rowParser) readFurther(f field) error {
	o, missing := p.out, p.isMissing(f)
	v, status := decimal.Float64(f.text)
	switch {
	case missing && p.fixed:
		if o.untargeted++; o.untargeted == 1 {
			o.firstBare = p.c.Place(f.at)
		}
		v = 0
	case missing:
		return p.c.Errorf(f.at, fmt.Sprintf("no target in column %q", p.names[f.column]), "one in each row ("+skipHint+")")
	case status != decimal.Number:
		return p.c.Errorf(f.at, fmt.Sprintf("%s in column %q", fault.Quote(f.text), p.names[f.column]), "a finite number, as of each of several targets")
	}
	if o.further == nil {
		o.further = make([][]float64, len(p.further))
	}
	k := slices.Index(p.further, f.column)
	o.further[k] = append(o.further[k], v+0) // no negative zero
	return nil
}

func (p *rowParser) readWeight(f field) (err error) {
	if f.missing {
		return p.c.Errorf(f.at, "no weight", "a positive number as weight")
	}
	return p.addWeight(f.at, f.text)
}

// addWeight notes the weight of a row. Where it is 0 the rows are read again without that one.
func (p *rowParser) addWeight(at int, text []byte) (err error) {
	if p.out.weights, err = set.AppendWeight(p.out.weights, p.c, at, text); err == nil && isZero(text) {
		p.weightless.Store(true)
	}
	return err
}

func isZero(text []byte) bool {
	v, status := decimal.Float64(text)
	return v == 0 && status == decimal.Number
}

// allowed reports whether the declaration of its column, if there is one,
// lists the value.
func (p *rowParser) allowed(f field) bool {
	allowed := p.kinds[f.column].allowed
	if allowed == nil {
		return true
	}
	_, ok := allowed[string(f.text)]
	return ok
}

// declared is what allowed expects.
func (p *rowParser) declared(f field) string {
	return fmt.Sprintf("a declared value of the attribute %q", p.names[f.column])
}
