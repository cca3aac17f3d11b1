package live

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/exitcode"
	"github.com/fenchel-ml/fenchel/cmd/fenchel/internal/printing"
	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/internal/reportpage"
	"github.com/fenchel-ml/fenchel/problem"
	"github.com/fenchel-ml/fenchel/solver"
	"github.com/fenchel-ml/fenchel/tune"
)

// event reads the next one.
func event(t *testing.T, r *bufio.Reader) (name, data string) {
	t.Helper()
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		switch line = strings.TrimSuffix(line, "\n"); {
		case line == "":
			return name, data
		case strings.HasPrefix(line, "event: "):
			name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			data += line[len("data: "):] + "\n"
		default:
			t.Fatalf("found the line %q in an event", line)
		}
	}
}

func get(t *testing.T, url string) *http.Response {
	t.Helper()
	answer, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { answer.Body.Close() })
	return answer
}

func look(class, classes, epoch int, primal, dual float64) fenchel.Progress {
	return fenchel.Progress{Output: fenchel.Output{Class: class, Classes: classes, Name: "<b>cat"}, Progress: solver.Progress{Epoch: epoch, Certificate: problem.Certificate{Primal: primal, Dual: dual}}}
}

// TestPage: whoever comes gets the newest state at once, what changes as it does, and how the run ended; then nothing is left.
func TestPage(t *testing.T) {
	before := runtime.NumGoroutine()
	p, err := Open(":0", func() string { return "training <i>" })
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(p.Address(), "http://127.0.0.1:") || !p.Local() {
		t.Fatalf("found the address %s, expected this machine alone", p.Address())
	}
	p.Aim(1e-3)
	p.Certified(look(0, 2, 3, 2, 1.5))
	answer := get(t, p.Address())
	text, _ := io.ReadAll(answer.Body)
	policy := answer.Header.Get("Content-Security-Policy")
	nonce := regexp.MustCompile(`script-src 'nonce-([A-Z2-7]{26})'`).FindStringSubmatch(policy)
	if nonce == nil || !strings.HasPrefix(policy, "default-src 'none';") || strings.Contains(policy, "unsafe") {
		t.Fatalf("found the policy %s", policy)
	}
	if strings.Count(string(text), "<script") != 1 || strings.Count(string(text), `nonce="`+nonce[1]+`"`) != 2 || strings.Contains(string(text), " style=") || strings.Contains(string(text), "<b>cat") {
		t.Errorf("found %s", text)
	}
	if !strings.Contains(string(text), "training &lt;i&gt;") || !strings.Contains(string(text), "<td>0.25</td>") {
		t.Errorf("the state is not in the page: %s", text)
	}
	again := get(t, p.Address())
	_, _ = io.Copy(io.Discard, again.Body)
	if again.Header.Get("Content-Security-Policy") == policy {
		t.Error("found the same nonce twice")
	}
	stream := get(t, p.Address()+"events")
	r := bufio.NewReader(stream.Body)
	if name, data := event(t, r); name != "message" || !strings.Contains(data, "<td>0.25</td>") || strings.Contains(data, "the bound that is proved") {
		t.Errorf("found the event %s: %s", name, data)
	}
	p.Certified(look(1, 2, 5, 1, 0.9))
	p.Tested(0.125, "error")
	if name, data := event(t, r); name != "message" || !strings.Contains(data, "<td>0.1</td>") || !strings.Contains(data, "<td>3</td><td>2.4</td>") || !strings.Contains(data, "<td>0.125</td>") {
		t.Errorf("found the event %s: %s", name, data)
	}
	go p.End(Outcome{Err: &exitcode.Error{Code: exitcode.Limit}, Status: solver.TimeLimit, Print: func(r printing.Report) { r.Line("proof", "is <b>") }, Report: func(context.Context) (*reportpage.Page, error) {
		page := &reportpage.Page{}
		page.Section("A report")
		return page, nil
	}})
	if name, data := event(t, r); name != "end" || !strings.Contains(data, "It has reached the limit of time") || strings.Contains(data, "training &lt;i&gt;") || !strings.Contains(data, "<td>proof</td><td>is &lt;b&gt;</td>") || !strings.Contains(data, "A report") {
		t.Errorf("found the event %s: %s", name, data)
	}
	if _, err := r.ReadByte(); err != io.EOF {
		t.Errorf("found %v after the last event, expected the end", err)
	}
	<-p.served
	http.DefaultClient.CloseIdleConnections()
	for range 400 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("found %d goroutines, expected the %d from before", runtime.NumGoroutine(), before)
}

// TestGuard: other names than this machine's lead nowhere; addresses without a port are none.
func TestGuard(t *testing.T) {
	p, err := Open("localhost:0", func() string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	defer p.End(Outcome{})
	for host, code := range map[string]int{"localhost": 200, "localhost:9": 200, "127.0.0.1": 200, "[::1]:80": 200, "example.com": 421, "example.com:80": 421, "localhost.example.com": 421} {
		request, _ := http.NewRequest("GET", p.Address(), nil)
		request.Host = host
		answer, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		if answer.Body.Close(); answer.StatusCode != code {
			t.Errorf("%s: found %d, expected %d", host, answer.StatusCode, code)
		}
	}
	if answer := get(t, p.Address()+"other"); answer.StatusCode != 404 {
		t.Errorf("found %d", answer.StatusCode)
	}
	if _, err := Open("8080", nil); err == nil || !strings.Contains(err.Error(), "expected HOST:PORT") {
		t.Errorf("found %v", err)
	}
	var none *Page
	none.Aim(1)
	none.Step(fenchel.Step{})
	none.End(Outcome{})
}

// TestSeries: of many points a few hundred are kept, evenly, the first and the last among them.
func TestSeries(t *testing.T) {
	for _, n := range []int{1, 2, mostPoints, mostPoints + 1, 12345} {
		var s series
		for k := range n {
			s.add(point{seconds: float64(k)})
		}
		points := s.points()
		if len(points) > mostPoints+1 || len(points) < min(n, mostPoints/2) || points[0].seconds != 0 || points[len(points)-1].seconds != float64(n-1) {
			t.Errorf("%d: found %d points from %g to %g", n, len(points), points[0].seconds, points[len(points)-1].seconds)
		}
		for k := 2; k < len(points)-1; k++ {
			if points[k].seconds-points[k-1].seconds != points[1].seconds {
				t.Errorf("%d: found the points %v", n, points[k-2:k+1])
				break
			}
		}
	}
}

// TestRecord: estimates lie between proofs; bounds that say nothing are left out; of many classes the worst are drawn; candidates
// have their folds.
func TestRecord(t *testing.T) {
	p := &Page{}
	p.record.begun = time.Now()
	for class := range 30 {
		p.Step(fenchel.Step{Output: fenchel.Output{Class: class, Classes: 30}, Step: solver.Step{Epoch: 1, Estimate: 0.5}})
		p.Certified(look(class, 30, 2, 1, math.Inf(-1)))
		p.Certified(look(class, 30, 3, 1, 1-float64(class+1)/100))
	}
	c := p.record.tracks[3].curve()
	if len(c.X) != 2 || c.Marked[0] || !c.Marked[1] || c.Y[0] != 0.5 || math.Abs(c.Y[1]-0.04) > 1e-12 {
		t.Errorf("found %+v", c)
	}
	p.Judged(tune.Progress{Done: 7, Best: "C=1", Score: 0.75, Latest: tune.Trial{Scores: []float64{0.5, math.NaN()}, Mean: math.NaN()}}, "auc")
	p.Judged(tune.Progress{Done: 8, Best: "C=1", Score: 0.75, Latest: tune.Trial{Scores: []float64{0.5, 1}, Mean: 0.75, Gap: 0.01}}, "auc")
	p.Judged(tune.Progress{Done: 1}, "auc")
	of := func() (titles []string, work [][]string) {
		page := &reportpage.Page{}
		p.record.show(page)
		for _, s := range page.Sections {
			if titles = append(titles, s.Title); s.Title == "fig1" {
				work = s.Tables[0].Rows
			}
		}
		return titles, work
	}
	p.Counted("fig1", "runs", 1, 9)
	p.Counted("fig1", "sizes", 2, 4)
	p.Counted("fig1", "runs", 3, 9)
	if _, work := of(); fmt.Sprint(work) != "[[runs 3 9] [sizes 2 4]]" {
		t.Errorf("found the work %v", work)
	}
	p.Found("1 of 1", &reportpage.Section{Title: "figure 1"})
	p.Found("2 of 3", &reportpage.Section{Title: "figure 2"})
	if titles, _ := of(); fmt.Sprint(titles[1:3]) != "[Experiments figure 2]" || len(p.record.results) != 2 {
		t.Errorf("found the sections %v", titles)
	}
	p.record.results, p.record.latest = nil, nil
	page := &reportpage.Page{}
	p.record.show(page)
	search, training := page.Sections[0], page.Sections[1]
	if rows := search.Tables[1].Rows; len(rows) != 1 || strings.Join(rows[0], " ") != "the only candidate 0.75 0.5 1 0.01" {
		t.Errorf("found the candidates %v", rows)
	}
	if rows := search.Tables[0].Rows; len(rows) != 2 {
		t.Errorf("found %v", rows)
	}
	if gaps, now := training.Tables[0].Rows, training.Tables[1].Rows; len(gaps) != 2*mostCurves || len(now) != 30 || now[0][2] != "0.3" {
		t.Errorf("found %d points and %v", len(gaps), now)
	}
}

// TestThinned: few points are left of many, the last and those that are proved among them.
func TestThinned(t *testing.T) {
	c := figure.Curve{Name: "a"}
	for k := range 1000 {
		c.X, c.Y, c.Marked = append(c.X, float64(k)), append(c.Y, 1/float64(k+1)), append(c.Marked, k == 501)
	}
	out := thinned(c, 40)
	if n := len(out.X); n < 35 || n > 45 || out.X[0] != 0 || out.X[n-1] != 999 || !slices.Contains(out.X, 501) || out.Name != "a" || len(out.Y) != n || len(out.Marked) != n {
		t.Errorf("found %+v", out)
	}
	if out := thinned(figure.Curve{X: c.X[:30], Y: c.Y[:30], Marked: c.Marked[:30]}, 40); len(out.X) != 30 {
		t.Errorf("found %d points, expected all 30", len(out.X))
	}
}

// TestEnded: every status has its words.
func TestEnded(t *testing.T) {
	seen := map[string]bool{ended(solver.EpochLimit, true): true}
	for _, status := range []solver.Status{solver.Converged, solver.EpochLimit, solver.TimeLimit, solver.Interrupted, solver.Stalled, solver.Diverged} {
		seen[ended(status, false)] = true
	}
	if len(seen) != 7 {
		t.Errorf("found %v", seen)
	}
}
