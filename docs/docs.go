// Package docs has the pages of this folder in the program: "fenchel help" prints them.
package docs

import (
	"cmp"
	"embed"
	"io"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
)

//go:embed *.md guide/*.md tutorials/*.md formats/*.md formats/*.json
var files embed.FS

// A Page is one of the manual, or the schema of what a verb prints with --json.
type Page struct {
	Name  string // as users ask for it: kernel, model-file, train.schema.json
	Title string // of a page in Markdown, its first line
	text  string
}

// Pages returns all pages in order of their names.
func Pages() ([]Page, error) {
	var pages []Page
	err := fs.WalkDir(files, ".", func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := files.ReadFile(file)
		page := Page{Name: path.Base(file), text: string(text)}
		if name, ok := strings.CutSuffix(page.Name, ".md"); ok {
			switch folder := path.Base(path.Dir(file)); {
			case name == "README":
				page.Name = folder
			case folder == "tutorials":
				page.Name = "tutorial-" + name
			default:
				page.Name = name
			}
			first, _, _ := strings.Cut(page.text, "\n")
			page.Title = strings.TrimLeft(first, "# ")
		}
		pages = append(pages, page)
		return err
	})
	slices.SortFunc(pages, func(a, b Page) int { return cmp.Compare(a.Name, b.Name) })
	return pages, err
}

var (
	link   = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	item   = regexp.MustCompile(`^( *)([*-]|[0-9]+\.) +`)
	ruling = regexp.MustCompile(`^\|[-| :]+\|$`)
)

// Print writes a page for a terminal of so many columns: paragraphs and items wrapped, tables
// as columns, each wrapped, blocks of code as they are, links without their
// targets. A schema is written as it is.
func (p *Page) Print(w io.Writer, columns int) error {
	if p.Title == "" {
		_, err := io.WriteString(w, p.text)
		return err
	}
	out := printer{columns: columns}
	for line := range strings.SplitSeq(strings.TrimSuffix(p.text, "\n"), "\n") {
		out.line(line)
	}
	out.flush()
	out.table()
	_, err := io.WriteString(w, out.text.String())
	return err
}

// A printer puts lines of Markdown together to paragraphs.
type printer struct {
	text    strings.Builder
	columns int
	code    bool // inside a block of code
	indent  string
	mark    string     // before the first word of a paragraph
	words   []string   // of the paragraph that is not written yet
	rows    [][]string // of the table that is not written yet
}

// line takes the next line of the page.
func (p *printer) line(line string) {
	if len(p.rows) > 0 && !strings.HasPrefix(line, "|") {
		p.table()
	}
	switch {
	case strings.HasPrefix(line, "```"):
		p.flush()
		p.code = !p.code
	case p.code:
		p.text.WriteString("    " + line + "\n")
	case len(p.words) == 0 && strings.HasPrefix(line, "    "), line == "":
		p.flush()
		p.text.WriteString(line + "\n")
	case strings.HasPrefix(line, "#"):
		p.flush()
		p.text.WriteString(strings.ToUpper(plain(strings.TrimLeft(line, "# "))) + "\n")
	case ruling.MatchString(line):
	case strings.HasPrefix(line, "|"):
		p.flush()
		p.row(line)
	default:
		if m := item.FindString(line); m != "" {
			p.flush()
			p.mark, p.indent, line = m, strings.Repeat(" ", len(m)), line[len(m):]
		}
		p.words = append(p.words, strings.Fields(plain(line))...)
	}
}

// row takes the cells of a row.
func (p *printer) row(line string) {
	const bar = "\x00" // of a cell, not between cells
	cells := strings.Split(strings.Trim(strings.ReplaceAll(line, `\|`, bar), "|"), "|")
	for i, cell := range cells {
		cells[i] = strings.ReplaceAll(strings.TrimSpace(plain(cell)), bar, "|")
	}
	p.rows = append(p.rows, cells)
}

// table writes the rows, each cell wrapped in its column. The columns share what there is: none gets more than it needs.
func (p *printer) table() {
	const between = 2
	var whole, longest []int // runes of each column's longest cell, and word
	for _, row := range p.rows {
		for i, cell := range row {
			if i == len(whole) {
				whole, longest = append(whole, 1), append(longest, 1)
			}
			whole[i] = max(whole[i], len([]rune(cell)))
			for word := range strings.FieldsSeq(cell) {
				longest[i] = max(longest[i], len([]rune(word)))
			}
		}
	}
	widths, left := longest, p.columns-between*(len(whole)-1)
	for i, n := range longest {
		left -= n
		whole[i] -= n
	}
	if left < 0 {
		widths = shares(longest, left+sum(longest))
	} else {
		for i, more := range shares(whole, left) {
			widths[i] += more
		}
	}
	for _, row := range p.rows {
		cells, lines := make([][]string, len(row)), 0
		for i, cell := range row {
			cells[i] = wrap(strings.Fields(cell), max(1, widths[i]), true)
			lines = max(lines, len(cells[i]))
		}
		for k := range lines {
			line := ""
			for i, cell := range cells {
				text := ""
				if k < len(cell) {
					text = cell[k]
				}
				line += text + strings.Repeat(" ", max(0, widths[i]-len([]rune(text)))+between)
			}
			p.text.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	p.rows = nil
}

// shares divides so many columns of a terminal: who needs no more than an equal share of what is left gets it, the others share the rest.
func shares(needed []int, columns int) []int {
	order, widths := make([]int, len(needed)), make([]int, len(needed))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return needed[a] - needed[b] })
	for k, i := range order {
		widths[i] = max(0, min(needed[i], columns/(len(order)-k)))
		columns -= widths[i]
	}
	return widths
}

func sum(numbers []int) (total int) {
	for _, n := range numbers {
		total += n
	}
	return total
}

// wrap makes lines of at most so many runes of words; longer words are broken if they may be.
func wrap(words []string, width int, broken bool) (lines []string) {
	line := ""
	for _, word := range words {
		if line != "" && len([]rune(line))+1+len([]rune(word)) > width {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		for line += word; broken && len([]rune(line)) > width; {
			r := []rune(line)
			lines = append(lines, string(r[:width]))
			line = string(r[width:])
		}
	}
	return append(lines, line)
}

// flush writes the paragraph.
func (p *printer) flush() {
	if len(p.words) > 0 {
		lead := p.mark
		for _, line := range wrap(p.words, p.columns-len(p.indent), false) {
			p.text.WriteString(lead + line + "\n")
			lead = p.indent
		}
	}
	p.words, p.mark, p.indent = nil, "", ""
}

// plain takes the marks of links and of bold text away.
func plain(text string) string {
	return strings.ReplaceAll(link.ReplaceAllString(text, "$1"), "**", "")
}
