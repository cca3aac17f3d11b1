package kernel

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/registry"
)

// New makes the kernel that spec describes:
//
//	sum     = product { "+" product }
//	product = factor { "*" factor }
//	factor  = name [":key=value,..."] | number | "(" sum ")" | "normalised(" sum ")"
//
// with blanks where wanted, as in "rbf:gamma=0.1 + 2*linear". A number is a
// [Constant]. In 1e+3 the sign belongs to the number.
func New(spec string) (Kernel, error) {
	if !strings.ContainsAny(spec, " \t+*()") && !beginsNumber(spec) {
		return kernels.New(spec) // one name: positions would say nothing
	}
	p := &parser{text: spec}
	k, err := p.sum(0)
	if err != nil {
		return nil, err
	}
	if p.blanks(); p.at < len(spec) {
		return nil, p.errorf("\"+\", \"*\" or the end")
	}
	return k, nil
}

// Name returns the names of the kinds of kernel that k is made of, without parameters, for messages.
func Name(k Kernel) string {
	switch k := k.(type) {
	case innerCombination:
		return Name(k.combination)
	case combination:
		names, sign := make([]string, len(k.parts)), " + "
		for i, part := range k.parts {
			names[i] = Name(part)
		}
		if k.product {
			sign = " * "
		}
		return strings.Join(names, sign)
	case normalised:
		return "normalised(" + Name(k.of) + ")"
	case Constant:
		return "constant"
	}
	return kernels.NameOf(k)
}

// maxDepth is how many parentheses may be open.
const maxDepth = 100

// parser reads a spec by recursive descent.
type parser struct {
	text string
	at   int
}

// errorf says what stands at the present place.
func (p *parser) errorf(expected string) error {
	found := "the end"
	if p.at < len(p.text) {
		found = strconv.Quote(p.text[p.at:min(len(p.text), p.at+20)])
	}
	return fmt.Errorf("kernel %q, column %d: found %s, expected %s", p.text, p.at+1, found, expected)
}

func (p *parser) blanks() {
	for p.at < len(p.text) && (p.text[p.at] == ' ' || p.text[p.at] == '\t') {
		p.at++
	}
}

// skip passes over c, if it comes next.
func (p *parser) skip(c byte) bool {
	p.blanks()
	if p.at == len(p.text) || p.text[p.at] != c {
		return false
	}
	p.at++
	return true
}

func (p *parser) sum(depth int) (Kernel, error) {
	return p.list('+', Sum, func() (Kernel, error) {
		return p.list('*', Product, func() (Kernel, error) { return p.factor(depth) })
	})
}

// list reads parts with a separator between and joins them.
func (p *parser) list(separator byte, join func(...Kernel) (Kernel, error), part func() (Kernel, error)) (Kernel, error) {
	var parts []Kernel
	for {
		k, err := part()
		if err != nil {
			return nil, err
		}
		parts = append(parts, k)
		if !p.skip(separator) {
			return join(parts...)
		}
	}
}

func (p *parser) factor(depth int) (Kernel, error) {
	p.blanks()
	start := p.at
	word := p.word()
	opens := p.at < len(p.text) && p.text[p.at] == '('
	switch {
	case opens && word == "":
		return p.parenthesis(depth)
	case opens && word == "normalised":
		k, err := p.parenthesis(depth)
		if err != nil {
			return nil, err
		}
		return Normalise(k)
	case opens:
		p.at = start
		return nil, p.errorf("\"normalised(\", the only function of a kernel")
	case word == "":
		return nil, p.errorf("a kernel, a number or \"(\"")
	case beginsNumber(word):
		c, err := strconv.ParseFloat(word, 64)
		if err != nil || !positive(c) {
			p.at = start
			return nil, p.errorf("a number > 0")
		}
		return Constant(c), nil
	case word == "normalised":
		return nil, p.errorf("\"(\" and a kernel")
	}
	return kernels.New(word)
}

func (p *parser) parenthesis(depth int) (Kernel, error) {
	if depth == maxDepth {
		return nil, p.errorf(fmt.Sprintf("at most %d open parentheses", maxDepth))
	}
	p.at++
	k, err := p.sum(depth + 1)
	if err == nil && !p.skip(')') {
		err = p.errorf("\"+\", \"*\" or \")\"")
	}
	return k, err
}

// word passes over a name with its parameters, or a number.
func (p *parser) word() string {
	start := p.at
	for p.at < len(p.text) && (!strings.ContainsRune(" \t+*()", rune(p.text[p.at])) || p.exponent(start)) {
		p.at++
	}
	return p.text[start:p.at]
}

// exponent reports whether the present character is the sign of an exponent of
// the word that begins at start.
func (p *parser) exponent(start int) bool {
	i := p.at
	return p.text[i] == '+' && i-start >= 2 && strings.IndexByte("eEpP", p.text[i-1]) >= 0 &&
		(digit(p.text[i-2]) || p.text[i-2] == '.') && i+1 < len(p.text) && digit(p.text[i+1])
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func beginsNumber(word string) bool {
	return word != "" && (digit(word[0]) || word[0] == '.' || word[0] == '-')
}

// Entries lists the kernels by name.
func Entries() []registry.Entry[Kernel] { return kernels.Entries() }
