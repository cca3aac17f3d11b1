package docs_test

import (
	"strings"
	"testing"

	"github.com/fenchel-ml/fenchel/docs"
)

// TestPages: every page has a name of its own and a title, prints, and prose fits the columns.
func TestPages(t *testing.T) {
	pages, err := docs.Pages()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, page := range pages {
		if seen[page.Name] {
			t.Errorf("%s: found two pages of that name, expected one", page.Name)
		}
		seen[page.Name] = true
		if page.Title == "" && !strings.HasSuffix(page.Name, ".schema.json") {
			t.Errorf("%s: found no title", page.Name)
		}
		var out strings.Builder
		if err := page.Print(&out, 60); err != nil || out.Len() == 0 {
			t.Errorf("%s: printed %d bytes, error %v", page.Name, out.Len(), err)
		}
		for line := range strings.Lines(out.String()) {
			words := strings.TrimSuffix(line, "\n")
			if page.Title != "" && !strings.HasPrefix(line, "    ") && len([]rune(words)) > 60 && strings.Contains(strings.TrimLeft(words, " -*"), " ") && strings.ToUpper(words) != words {
				t.Errorf("%s: found a line of more than 60 columns: %s", page.Name, words)
			}
		}
	}
	for _, name := range []string{"kernel", "formats", "certificates", "train.schema.json"} {
		if !seen[name] {
			t.Errorf("found no page %s", name)
		}
	}
}
