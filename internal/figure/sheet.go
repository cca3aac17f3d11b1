package figure

import (
	"bufio"
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
)

// A Sheet is rows of figures; nil: no figure there.
type Sheet [][]*Figure

// WriteSVG draws the figures in rows and columns.
func (s Sheet) WriteSVG(w io.Writer) error {
	out := bufio.NewWriter(w)
	const high = top + panelHigh + below
	columns, wide := 1, float64(left+panelWide+margin)
	var titles []string
	for _, row := range s {
		columns = max(columns, len(row))
		for _, f := range row {
			if f != nil {
				wide = max(wide, math.Ceil(f.wide()))
				titles = append(titles, f.Title)
			}
		}
	}
	begin(out, float64(columns)*wide, float64(max(1, len(s))*high), strings.Join(titles, "; "))
	for i, row := range s {
		for j, f := range row {
			if f != nil {
				fmt.Fprintf(out, `<g transform="translate(%.0f %d)">`+"\n", float64(j)*wide, i*high)
				f.draw(out, wide)
				fmt.Fprintln(out, "</g>")
			}
		}
	}
	fmt.Fprintln(out, "</svg>")
	return out.Flush()
}

// Page is a report of one file that opens without a network: a title, remarks, a table, figures.
type Page struct {
	Title   string
	Remarks []string
	Heads   []string // of the table
	Rows    [][]string
	Links   []string // of the rows: where the first column leads; nil: nowhere
	Figures Sheet
}

var page = template.Must(template.New("page").Parse(`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title>
<style>body{font-family:sans-serif;max-width:96rem;margin:2rem auto;padding:0 1rem}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:left}body>svg{max-width:100%;height:auto}</style>
</head><body><h1>{{.Title}}</h1>
{{with .Rows}}<table><tr>{{range $.Heads}}<th>{{.}}</th>{{end}}</tr>
{{range $i, $row := .}}<tr>{{range $j, $cell := $row}}<td>{{if and $.Links (eq $j 0)}}<a href="{{index $.Links $i}}">{{$cell}}</a>{{else}}{{$cell}}{{end}}</td>{{end}}</tr>
{{end}}</table>{{end}}
{{with .Remarks}}<ul>{{range .}}<li>{{.}}</li>
{{end}}</ul>{{end}}
{{.Drawing}}
</body></html>
`))

// Drawing is the figures as SVG within the page. It escapes what it writes.
func (p Page) Drawing() (template.HTML, error) {
	var out strings.Builder
	if len(p.Figures) > 0 {
		if err := p.Figures.WriteSVG(&out); err != nil {
			return "", err
		}
	}
	return template.HTML(out.String()), nil
}

// WriteHTML writes the page.
func (p Page) WriteHTML(w io.Writer) error { return page.Execute(w, p) }
