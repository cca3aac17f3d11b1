package terms

import (
	"encoding/json"
	"math"
	"os"
	"reflect"
	"slices"
	"sort"
	"testing"
)

// fit makes the vocabulary of all texts, as [Fit] does for tables.
func fit(s Space, texts []string, idf bool) *Space {
	counts := map[string]float64{}
	for _, text := range texts {
		seen := map[string]bool{}
		s.Each(text, func(term []byte) {
			if !seen[string(term)] {
				seen[string(term)] = true
				counts[string(term)]++
			}
		})
	}
	for term := range counts {
		s.Words = append(s.Words, term)
	}
	sort.Strings(s.Words)
	for _, w := range s.Words {
		if idf {
			s.IDF = append(s.IDF, IDF(counts[w], float64(len(texts))))
		}
	}
	return &s
}

// TestSklearn: terms, hashes and values are those of scikit-learn 1.9, in several scripts.
func TestSklearn(t *testing.T) {
	raw, err := os.ReadFile("testdata/sklearn.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Docs  []string
		Cases []struct {
			Least, Most, Bits          int
			Chars, Counts, Damped, IDF bool
			Rows                       [][][2]float64
			Terms                      []string
		}
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	for n, c := range golden.Cases {
		s := &Space{Least: c.Least, Most: c.Most, Within: c.Chars, Bits: c.Bits, Counts: c.Counts, Damped: c.Damped, Rare: c.IDF}
		if c.Bits == 0 {
			s = fit(*s, golden.Docs, c.IDF)
			fast := &Space{Least: c.Least, Most: c.Most, Within: c.Chars, Counts: c.Counts, Damped: c.Damped, Rare: c.IDF}
			fast.Fit(golden.Docs, slices.Repeat([]int{1}, len(golden.Docs)), len(golden.Docs), 2)
			if !reflect.DeepEqual(s, fast) {
				t.Errorf("case %d: Fit found %+v, expected %+v", n, fast, s)
			}
			if !slices.Equal(s.Words, c.Terms) {
				t.Errorf("case %d: found the terms %q, expected %q", n, s.Words, c.Terms)
				continue
			}
		}
		if err := s.Check(); err != nil {
			t.Error(err)
		}
		index := s.Index()
		for i, text := range golden.Docs {
			terms := index.Count(text)
			values := s.Weigh(terms)
			want := slices.DeleteFunc(slices.Clone(c.Rows[i]), func(p [2]float64) bool { return p[1] == 0 })
			k := 0
			for j, term := range terms {
				if values[j] == 0 { // opposite signs of one hash
					continue
				}
				if k >= len(want) || float64(term.Index) != want[k][0] || math.Abs(float64(values[j])-want[k][1]) > 1e-7*math.Abs(want[k][1]) {
					t.Errorf("case %d: text %d: found %v with %g, expected %v", n, i, term, values[j], want[min(k, len(want)-1)])
				}
				k++
			}
			if k != len(want) {
				t.Errorf("case %d: text %d: found %d terms, expected %d", n, i, k, len(want))
			}
		}
	}
}

// TestSegments: words of several scripts, cut as Unicode says; letters and digits are words, marks and blanks none.
func TestSegments(t *testing.T) {
	s := Space{Least: 1, Most: 1, By: Segments}
	for text, want := range map[string][]string{
		"I can't, 3.14 x_y!":   {"i", "can't", "3.14", "x_y"},
		"我爱北京":                 {"我", "爱", "北", "京"},
		"カタカナとひらがな":            {"カタカナ", "と", "ひ", "ら", "が", "な"},
		"안녕 세계":                {"안녕", "세계"},
		"e\u0301te\u0301 🙂 ok": {"e\u0301te\u0301", "ok"},
		"example.com a-b":      {"example.com", "a", "b"},
		" ,;\xff":              nil,
	} {
		var found []string
		s.Each(text, func(term []byte) { found = append(found, string(term)) })
		if !slices.Equal(found, want) {
			t.Errorf("%q: found %q, expected %q", text, found, want)
		}
	}
	s.Most = 2
	var found []string
	s.Each("我爱他", func(term []byte) { found = append(found, string(term)) })
	if !slices.Equal(found, []string{"我", "爱", "他", "我 爱", "爱 他"}) {
		t.Errorf("found %q", found)
	}
}

func TestCheck(t *testing.T) {
	for _, s := range []Space{{}, {Least: 2, Most: 1}, {Least: 1, Most: 99}, {Least: 1, Most: 1, Bits: 25}, {Least: 1, Most: 1, Bits: 3, Words: []string{"a"}}, {Least: 1, Most: 1, Words: []string{"b", "a"}},
		{Least: 1, Most: 1, Words: []string{"a"}, IDF: []float64{}}, {Least: 1, Most: 1, Words: []string{"a"}, IDF: []float64{math.NaN()}}, {Least: 1, Most: 1, By: "blanks"}, {Least: 1, Most: 1, By: Segments, Within: true}} {
		if s.Check() == nil {
			t.Errorf("%+v: found no error", s)
		}
	}
}

// FuzzEach: any bytes have terms, in any space.
func FuzzEach(f *testing.F) {
	f.Add("Hello, wörld ΟΔΟΣ", uint8(3))
	f.Add("\xff\xfe a\x00b", uint8(200))
	f.Fuzz(func(t *testing.T, text string, how uint8) {
		if how == 7 {
			how = 0
			fit(Space{Least: 1, Most: 2, By: Segments}, []string{text}, true).Index().Count(text)
		}
		s := Space{Least: 1 + int(how&3), Within: how&4 != 0, Bits: int(how >> 4), Damped: how&8 != 0}
		s.Most = s.Least + 2
		if s.Bits == 0 {
			s = *fit(s, []string{text}, true)
			s.Rare = true
		}
		terms := s.Index().Count(text)
		for k, v := range s.Weigh(terms) {
			if v != v || int(terms[k].Index) >= s.Width() || k > 0 && terms[k].Index <= terms[k-1].Index {
				t.Fatalf("%q: found %v of value %g", text, terms[k], v)
			}
		}
	})
}
