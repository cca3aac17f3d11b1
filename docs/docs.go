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

//go:embed *.md guide/*.md formats/*.md formats/*.json
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
			if page.Name = name; name == "README" {
				page.Name = path.Base(path.Dir(file))
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
// as a line or paragraph for each row, blocks of code as they are, links without their
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
	_, err := io.WriteString(w, out.text.String())
	return err
}

// A printer puts lines of Markdown together to paragraphs.
type printer struct {
	text    strings.Builder
	columns int
	code    bool // inside a block of code
	indent  string
	mark    string   // before the first word of a paragraph
	words   []string // of the paragraph that is not written yet
}

// line takes the next line of the page.
func (p *printer) line(line string) {
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
		p.row(strings.Split(strings.Trim(line, "|"), " | "))
	default:
		if m := item.FindString(line); m != "" {
			p.flush()
			p.mark, p.indent, line = m, strings.Repeat(" ", len(m)), line[len(m):]
		}
		p.words = append(p.words, strings.Fields(plain(line))...)
	}
}

// row begins a paragraph of the cells of a row, the first of them before the margin.
func (p *printer) row(cells []string) {
	const margin = 4
	for i, cell := range cells {
		cells[i] = strings.TrimSpace(plain(cell))
	}
	p.words, p.indent = strings.Fields(strings.Join(cells, " | ")), strings.Repeat(" ", margin)
	p.flush()
}

// flush writes the paragraph.
func (p *printer) flush() {
	line := p.mark
	for _, word := range p.words {
		if strings.TrimSpace(line) != "" && line != p.mark && len([]rune(line))+1+len([]rune(word)) > p.columns {
			p.text.WriteString(strings.TrimRight(line, " ") + "\n")
			line = p.indent
		}
		if line != p.mark && line != p.indent {
			line += " "
		}
		line += word
	}
	if len(p.words) > 0 {
		p.text.WriteString(line + "\n")
	}
	p.words, p.mark, p.indent = nil, "", ""
}

// plain takes the marks of links and of bold text away.
func plain(text string) string {
	return strings.ReplaceAll(link.ReplaceAllString(text, "$1"), "**", "")
}
