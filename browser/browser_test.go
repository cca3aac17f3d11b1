package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

var (
	chrome  context.Context // nil: there is no browser
	program string          // fenchel
)

func TestMain(m *testing.M) { os.Exit(prepare(m)) }

// prepare finds a browser and builds the program.
func prepare(m *testing.M) int {
	found := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "chrome", "headless-shell"} {
		if path, err := exec.LookPath(name); err == nil && found == "" {
			found = path
		}
	}
	if found == "" {
		return m.Run()
	}
	folder, err := os.MkdirTemp("", "browser")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(folder)
	program = filepath.Join(folder, "fenchel")
	if out, err := exec.Command("go", "build", "-C", "..", "-o", program, "./cmd/fenchel").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "%v: %s\n", err, out)
		return 1
	}
	options := []chromedp.ExecAllocatorOption{chromedp.ExecPath(found), chromedp.Headless, chromedp.DisableGPU, chromedp.NoFirstRun, chromedp.NoDefaultBrowserCheck}
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocated, end := chromedp.NewExecAllocator(context.Background(), options...)
	defer end()
	opened, end := chromedp.NewContext(allocated)
	defer end()
	if err := chromedp.Do(opened); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	chrome = opened
	return m.Run()
}

// A tab shows pages, and remembers what went wrong and what was asked for.
type tab struct {
	context.Context
	mutex            sync.Mutex
	errors, requests []string
}

// open makes a tab, for a minute at most.
func open(t *testing.T) *tab {
	t.Helper()
	if chrome == nil {
		t.Skip("found no browser: chromium, google-chrome")
	}
	ctx, end := chromedp.NewContext(chrome)
	t.Cleanup(end)
	ctx, end = context.WithTimeout(ctx, time.Minute)
	t.Cleanup(end)
	p := &tab{Context: ctx}
	if err := chromedp.Do(ctx); err != nil {
		t.Fatal(err)
	}
	err := chromedp.Listen(ctx, func(event any) {
		p.mutex.Lock()
		defer p.mutex.Unlock()
		switch e := event.(type) {
		case *log.EventEntryAdded:
			p.errors = append(p.errors, e.Entry.Text+" "+e.Entry.URL)
		case *runtime.EventExceptionThrown:
			p.errors = append(p.errors, e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			p.errors = append(p.errors, fmt.Sprint("console: ", e.Type))
		case *network.EventRequestWillBeSent:
			p.requests = append(p.requests, e.Request.URL)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// do runs actions.
func (p *tab) do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(p, actions...); err != nil {
		t.Fatal(err)
	}
}

// ask returns what JavaScript finds in a page.
func ask[T any](t *testing.T, p *tab, script string) T {
	t.Helper()
	found, err := chromedp.Run(p, chromedp.Evaluate[T](script))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// clean fails if anything went wrong, or anything was asked for elsewhere.
func (p *tab) clean(t *testing.T, address string) {
	t.Helper()
	p.mutex.Lock()
	defer p.mutex.Unlock()
	for _, text := range p.errors {
		if !strings.Contains(text, "favicon") {
			t.Errorf("%s: the browser says %s", address, text)
		}
	}
	for _, url := range p.requests {
		if !strings.HasPrefix(url, address) && !strings.HasSuffix(url, "favicon.ico") {
			t.Errorf("%s: it asks for %s", address, url)
		}
	}
}

// served shows a text as a page.
func served(t *testing.T, text string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// run runs the program in a folder.
func run(t *testing.T, folder string, words ...string) string {
	t.Helper()
	cmd := exec.Command(program, words...)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v: %s", words, err, out)
	}
	return string(out)
}

// prefer has pages be dark or light.
func prefer(scheme string) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, to *chromedp.Target) error {
		_, err := cdp.Call(ctx, to, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}})
		return err
	})
}

// widths are those of a phone, a tablet and a desk.
var widths = []int64{360, 800, 1280}

// table is rows of a table of two classes, or of numbers, with columns of long names and many categories.
func table(t *testing.T, folder string, rows int) {
	t.Helper()
	var text strings.Builder
	text.WriteString("age,a column whose name is so long that it would not have room beside any bar,town,answer,price\n")
	for i := range rows {
		x := (i*37)%101 - 50
		y := (i*i*7)%53 - 26
		town := fmt.Sprintf("town%d", i%9)
		fmt.Fprintf(&text, "%d,%d,%s,%s,%d\n", x, y, town, map[bool]string{true: "yes", false: "no"}[3*x+4*y+(i*11)%60 > 20], 2*x-y+(i*13)%17)
	}
	if err := os.WriteFile(filepath.Join(folder, "rows.csv"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
