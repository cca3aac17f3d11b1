// Package reportpage makes reports of models: one HTML file with pictures (SVG), which opens without a network and runs no
// script. Each picture has its numbers as a table; --json prints the same tables. Begin with [Of].
package reportpage

import (
	"bytes"
	"html/template"
	"io"

	_ "embed"
)

// A Page is a report.
type Page struct {
	Title    string     `json:"title"`
	Sections []*Section `json:"sections"`
}

// A Section answers one question about a model.
type Section struct {
	Title  string   `json:"title"`
	Text   []string `json:"text,omitempty"` // paragraphs
	Tables []*Table `json:"tables,omitempty"`
}

// A Table has numbers, and perhaps a picture of them.
type Table struct {
	Caption string     `json:"caption"`
	Heads   []string   `json:"heads"`
	Rows    [][]string `json:"rows"`
	Folded  bool       `json:"-"` // shown on demand: there is a picture

	picture Painter
	kind    string // of the picture; "": it is not made alone
}

// A Painter draws a picture.
type Painter interface{ WriteSVG(io.Writer) error }

// Say appends a paragraph.
func (s *Section) Say(text string) { s.Text = append(s.Text, text) }

// Show appends a table, folded below a picture if there is one.
func (s *Section) Show(caption string, picture Painter, heads []string, rows [][]string) {
	s.showKind("", caption, picture, heads, rows)
}

// showKind is Show of a picture that is also made alone.
func (s *Section) showKind(kind, caption string, picture Painter, heads []string, rows [][]string) {
	s.Tables = append(s.Tables, &Table{Caption: caption, Heads: heads, Rows: rows, Folded: picture != nil, picture: picture, kind: kind})
}

// Section begins a section.
func (p *Page) Section(title string) *Section {
	s := &Section{Title: title}
	p.Sections = append(p.Sections, s)
	return s
}

// SVG is the picture of a table, scaled to the width of the page; it escapes what it writes.
func (t *Table) SVG() (template.HTML, error) {
	if t.picture == nil {
		return "", nil
	}
	var out bytes.Buffer
	if err := t.picture.WriteSVG(&out); err != nil {
		return "", err
	}
	return template.HTML(out.String()), nil
}

//go:embed page.html
var pageText string

var pageTemplate = template.Must(template.New("report").Parse(pageText))

// WriteHTML writes the report.
func (p *Page) WriteHTML(w io.Writer) error { return pageTemplate.Execute(w, p) }

// WriteSections writes the sections alone, to stand in another page.
func (p *Page) WriteSections(w io.Writer) error {
	return pageTemplate.ExecuteTemplate(w, "sections", p)
}

// WriteStyle writes the style sheet that the sections need.
func WriteStyle(w io.Writer) error { return pageTemplate.ExecuteTemplate(w, "style", nil) }
