package serve

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

// A reply is what a request is answered.
type reply struct {
	code   int
	kind   string // of content
	body   []byte
	header int // bytes of JSON before binary tensors; 0: there are none
	model  *served
	rows   int
	allow  string // methods, where another one was found
}

const (
	kindJSON   = "application/json"
	kindText   = "text/plain; version=0.0.4; charset=utf-8"
	kindPage   = "text/html; charset=utf-8"
	kindBinary = "application/octet-stream"
)

// headers are values of headers that many replies have.
var headers = map[string][]string{kindJSON: {kindJSON}, kindText: {kindText}, kindPage: {kindPage}, kindBinary: {kindBinary}, "nosniff": {"nosniff"}}

// A refusal says why a request has no answer.
type refusal struct {
	code  int
	err   error
	allow string
}

func (r *refusal) Error() string { return r.err.Error() }

func refuse(code int, format string, args ...any) error {
	return &refusal{code: code, err: fmt.Errorf(format, args...)}
}

// failed is the reply that has an error.
func failed(err error) reply {
	code, allow := http.StatusBadRequest, ""
	var large *http.MaxBytesError
	if of := (*refusal)(nil); errors.As(err, &of) {
		code, allow = of.code, of.allow
	} else if errors.As(err, &large) {
		code, err = http.StatusRequestEntityTooLarge, fmt.Errorf("found a body of more than %d bytes, expected at most so many", large.Limit)
	}
	return reply{code: code, allow: allow, kind: kindJSON, body: append(appendQuoted([]byte(`{"error":`), err.Error()), '}')}
}

// only refuses other methods; HEAD is GET without the body.
func only(r *http.Request, method string) error {
	if r.Method == method || method == http.MethodGet && r.Method == http.MethodHead {
		return nil
	}
	allow := map[string]string{http.MethodGet: "GET, HEAD"}[method]
	return &refusal{http.StatusMethodNotAllowed, fmt.Errorf("found the method %s, expected %s", r.Method, method), cmp.Or(allow, method)}
}

// checkRows refuses more rows than a request may have.
func checkRows(rows, most int) error {
	if rows > most {
		return refuse(http.StatusRequestEntityTooLarge, "found %d rows, expected at most %d in a request", rows, most)
	}
	return nil
}

// appendQuoted appends a string as JSON.
func appendQuoted(b []byte, text string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range text { // bytes that are not UTF-8 become U+FFFD
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r < ' ' || r == 0x7f:
			b = append(b, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
		default:
			b = append(b, string(r)...)
		}
	}
	return append(b, '"')
}

// appendNumber appends a finite number as JSON.
func appendNumber(b []byte, v float64) []byte { return strconv.AppendFloat(b, v, 'g', -1, 64) }
