package terminal

import (
	"io"
	"os"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/term"
)

// screen is standard error. On a terminal a last line says how things go and is written anew
// as they do; what is printed otherwise comes above it.
type screen struct {
	w     io.Writer
	width func() int // of the terminal, in letters; nil: there is none

	mutex sync.Mutex
	line  string // shown last; "": none
}

func NewScreen(w io.Writer) *screen {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &screen{w: w}
	}
	return &screen{w: w, width: func() int {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
		return 80
	}}
}

// IsTerminal reports whether there is a last line.
func (s *screen) IsTerminal() bool { return s.width != nil }

// Write prints above the last line.
func (s *screen) Write(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.erase()
	return s.w.Write(p)
}

// show replaces the last line. It must be shorter than the terminal is wide.
func (s *screen) show(line string) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if line == s.line {
		return
	}
	blanks := max(0, utf8.RuneCountInString(s.line)-utf8.RuneCountInString(line))
	if line == "" {
		s.erase()
		return
	}
	_, _ = io.WriteString(s.w, "\r"+line+strings.Repeat(" ", blanks)+strings.Repeat("\b", blanks))
	s.line = line
}

// erase takes the last line away.
func (s *screen) erase() {
	if s.line != "" {
		_, _ = io.WriteString(s.w, "\r"+strings.Repeat(" ", utf8.RuneCountInString(s.line))+"\r")
		s.line = ""
	}
}
