package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// riddles are words that somebody who knows the field but not this program has to guess at,
// each with the field's term. The first is one of programs too: model.Output is a type.
var riddles = []struct{ word, term string }{
	{`\boutputs\b|\b(each|every|an|one|first|last) output\b|\boutput %d`, "classifiers, or classes"},
	{`\blook(s|ed|ing)?\b`, "a check, a pass, is read"},
	{`\brows (that )?come once\b|\bcomes? once\b`, "a stream"},
	{`\ball by all\b|\bby all features\b`, "the sizes of the matrix"},
	{`\bdear(er|est|ly)?\b`, "expensive"},
	{`\bwhose (place|turn)\b`, "instead of"},
	{`\b(nobody|foretells?|hopeless|a hair|no surprise)\b`, "plain words"},
}

// plainUse is where such a word means what it means everywhere.
var plainUse = regexp.MustCompile(`\blooks? (like|for)\b|\blooking for\b|\b(looked|looking) (for|up)\b|\b(left|right)-looking\b`)

// findRiddles reports the words of riddles in a text, or in the docs of a program.
func findRiddles(t *testing.T, where, text string, docs bool) {
	t.Helper()
	text = plainUse.ReplaceAllString(strings.ReplaceAll(text, "\n", " "), "")
	for i, r := range riddles {
		if docs && i == 0 || i == 0 && strings.Contains(where, "serving.md") { // outputs are a word of the Open Inference Protocol
			continue
		}
		if found := regexp.MustCompile(`(?i)` + r.word).FindString(text); found != "" {
			t.Errorf("%s: found %q, expected the field's term (%s): %s", where, found, r.term, text)
		}
	}
}

// TestProse checks what users read, for words that they would have to guess at: all help,
// all texts in the program, and the pages of docs. The package conform and the module attack are left
// out: their messages are for people who work on the program.
func TestProse(t *testing.T) {
	const root = "../.."
	files := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains([]string{"conform", "attack"}, entry.Name()) || strings.HasPrefix(entry.Name(), ".") && path != root || entry.Name() == "testdata"):
			return filepath.SkipDir
		case entry.Name() == "CHANGELOG.md": // what was said of versions that are out
			return nil
		case strings.HasSuffix(path, ".md"):
			text, err := os.ReadFile(path)
			for i, line := range strings.Split(string(text), "\n") {
				findRiddles(t, path+":"+strconv.Itoa(i+1), line, false)
			}
			return err
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if !ast.IsGenerated(file) { // by others' words
			findRiddlesIn(t, files, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// documented returns the comments of a package and of what it exports.
func documented(file *ast.File) (list []*ast.CommentGroup) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.File:
			list = append(list, n.Doc)
		case *ast.GenDecl:
			list = append(list, n.Doc)
		case *ast.FuncDecl:
			list = append(list, n.Doc)
			return false
		case *ast.TypeSpec:
			list = append(list, n.Doc)
		case *ast.Field:
			list = append(list, n.Doc, n.Comment)
		}
		return true
	})
	return slices.DeleteFunc(list, func(c *ast.CommentGroup) bool { return c == nil })
}

// findRiddlesIn checks the texts of a file, and what "go doc" shows of its package.
func findRiddlesIn(t *testing.T, files *token.FileSet, file *ast.File) {
	t.Helper()
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err == nil && strings.Contains(text, " ") { // others are names
			findRiddles(t, files.Position(literal.Pos()).String(), text, false)
		}
		return true
	})
	if name := file.Name.Name; name == "main" || name == "vec" { // loops of this module alone
		return
	}
	ast.FileExports(file)
	for _, comment := range documented(file) {
		findRiddles(t, files.Position(comment.Pos()).String(), comment.Text(), true)
	}
}
