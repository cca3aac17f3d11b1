package browser

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"github.com/chromedp/chromedp"
)

// unreadable finds words whose colour is too near to what is behind them (WCAG 2.2, 4.5 to 1).
const unreadable = `(() => {
	const probe = document.createElement("i");
	document.body.append(probe);
	const parse = text => text.match(/[\d.]+/g).map(Number), system = name => { probe.style.color = name; return parse(getComputedStyle(probe).color); };
	const canvas = system("Canvas");
	const light = c => { const [r, g, b] = c.map(x => x / 255).map(x => x <= .04045 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
	const over = (top, below) => { const a = top.length > 3 ? top[3] : 1; return [0, 1, 2].map(i => a * top[i] + (1 - a) * below[i]); };
	const behind = e => { if (!e) return canvas; const c = parse(getComputedStyle(e).backgroundColor); return c.length > 3 && c[3] == 0 ? behind(e.parentElement) : over(c, behind(e.parentElement)); };
	const found = [], seen = {dark: light(canvas) < .2, words: 0};
	for (const e of document.querySelectorAll("h1, h2, p, td, th, caption, figcaption, summary, label, a, button, small")) {
		if (!e.textContent.trim()) continue;
		const back = behind(e), ink = over(parse(getComputedStyle(e).color), back), [a, b] = [light(ink), light(back)].sort((x, y) => y - x);
		if (seen.words++, (a + .05) / (b + .05) < 4.5) found.push(e.tagName + " " + e.textContent.slice(0, 30) + ": " + ink + " on " + back);
	}
	probe.remove();
	return {...seen, found};
})()`

// looks fails where a page is wider than the window, or cannot be read.
func looks(t *testing.T, p *tab, address string) {
	t.Helper()
	for _, scheme := range []string{"light", "dark"} {
		for _, wide := range widths {
			p.do(t, prefer(scheme), chromedp.EmulateViewport(wide, 800), chromedp.Navigate(address))
			if page := ask[int64](t, p, `document.documentElement.scrollWidth`); page > wide {
				t.Errorf("%s, %s: found a page of %d pixels in a window of %d", address, scheme, page, wide)
			}
			ink := ask[struct {
				Dark  bool
				Words int
				Found []string
			}](t, p, unreadable)
			if ink.Dark != (scheme == "dark") || ink.Words < 5 || len(ink.Found) > 0 {
				t.Errorf("%s, %s: found %+v", address, scheme, ink)
			}
		}
	}
}

// TestReport: a report fits narrow and wide windows, has enough contrast in the light and the dark scheme, runs no script
// and sends no request; no word lies outside of its picture or over another.
func TestReport(t *testing.T) {
	p := open(t)
	folder := t.TempDir()
	table(t, folder, 400)
	run(t, folder, "train", "rows.csv", "--target", "answer", "--probabilities", "--trace", "trace.csv", "-q", "-o", "yes.model")
	run(t, folder, "report", "yes.model", "rows.csv", "--slice", "town", "--rows", "--trace", "trace.csv", "-o", "yes.html")
	run(t, folder, "train", "rows.csv", "--target", "price", "--ignore", "answer", "-q", "-o", "price.model")
	run(t, folder, "report", "price.model", "rows.csv", "-o", "price.html")
	run(t, folder, "pca", "rows.csv", "--target", "answer", "-k", "3", "-q", "-o", "three.pca")
	run(t, folder, "report", "three.pca", "rows.csv", "-o", "three.html")
	kept, err := filepath.Glob("../docs/reports/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(kept, filepath.Join(folder, "yes.html"), filepath.Join(folder, "price.html"), filepath.Join(folder, "three.html")) {
		path, err := filepath.Abs(path)
		if err != nil {
			t.Fatal(err)
		}
		address := "file://" + path
		looks(t, p, address)
		for _, words := range ask[[]string](t, p, misplaced) {
			t.Errorf("%s: %s", path, words)
		}
		if scripts, pictures := ask[int](t, p, `document.scripts.length`), ask[int](t, p, `document.querySelectorAll("div > svg").length`); scripts > 0 || pictures < 2 {
			t.Errorf("%s: found %d scripts and %d pictures", path, scripts, pictures)
		}
		p.clean(t, address)
		p.requests = nil
	}
}

// begin starts the program, and returns it with the address that it tells in a line of standard error, and its standard input.
func begin(t *testing.T, folder string, words ...string) (cmd *exec.Cmd, address string, stdin io.WriteCloser) {
	t.Helper()
	cmd = exec.Command(program, words...)
	cmd.Dir = folder
	stdin, err1 := cmd.StdinPipe()
	stderr, err2 := cmd.StderrPipe()
	if err1 != nil || err2 != nil || cmd.Start() != nil {
		t.Fatal(err1, err2)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	lines := bufio.NewReader(stderr)
	line, err := lines.ReadString('\n')
	at := regexp.MustCompile(`http://127\.0\.0\.1:\d+`).FindString(line)
	if at == "" {
		t.Fatalf("%v: found %q (%v)", words, line, err)
	}
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	return cmd, at + "/", stdin
}

// TestServe: who fills in the form and presses the button gets the answer of /predict, without a script.
func TestServe(t *testing.T) {
	p := open(t)
	folder := t.TempDir()
	table(t, folder, 400)
	run(t, folder, "train", "rows.csv", "--target", "answer", "--probabilities", "-q", "-o", "yes.model")
	_, address, _ := begin(t, folder, "serve", "yes.model", "--listen", "127.0.0.1:0")
	looks(t, p, address)
	for _, row := range []struct{ age, long, town, price string }{{"40", "20", "town3", "60"}, {"-40", "-20", "town5", "-60"}} {
		p.do(t, chromedp.Navigate(address))
		names := ask[map[string]string](t, p, `Object.fromEntries([...document.querySelectorAll("label")].map(l => [l.firstChild.textContent.trim(), l.querySelector("[name]").name]))`)
		sent := map[string]string{}
		for name, value := range map[string]string{"age": row.age, "town": row.town, "price": row.price} {
			if names[name] == "" {
				t.Fatalf("found the fields %v, expected %s", names, name)
			}
			sent[name] = value
			p.do(t, chromedp.SendKeys(chromedp.CSS(fmt.Sprintf(`[name=%q]`, names[name])), value))
		}
		for name, key := range names {
			if strings.HasPrefix(name, "a column") {
				sent[name] = row.long
				p.do(t, chromedp.SendKeys(chromedp.CSS(fmt.Sprintf(`[name=%q]`, key)), row.long))
			}
		}
		p.do(t, chromedp.Click(chromedp.CSS("button")), chromedp.WaitVisible(chromedp.CSS("#result")))
		found := ask[string](t, p, `document.querySelector("#result strong").textContent`)
		body, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := http.Post(address+"predict", "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		var said map[string]any
		err = json.NewDecoder(answer.Body).Decode(&said)
		answer.Body.Close()
		if err != nil || said["label"] != found || found == "" {
			t.Errorf("%s: the page says %q, /predict %v (%v)", body, found, said, err)
		}
		if sent["town"] != ask[string](t, p, fmt.Sprintf(`document.querySelector('[name=%q]').value`, names["town"])) {
			t.Error("the form has forgotten what was filled in")
		}
	}
	p.clean(t, address)
}

// TestLive: the page of a run moves, knows the state again when it is loaded again, keeps tables open, and says how the run ended.
func TestLive(t *testing.T) {
	p := open(t)
	folder := t.TempDir()
	cmd, address, stdin := begin(t, folder, "train", "-", "--kernel", "rbf", "--C", "1e6", "--gamma", "5", "--gap", "1e-12", "--solver", "smo", "-o", "m.model", "--live", "127.0.0.1:0")
	main := `document.querySelector("main").innerText`
	wait := func(script string) {
		t.Helper()
		if _, err := chromedp.Run(p, chromedp.Poll[bool](script)); err != nil {
			t.Fatalf("%s: %v; the page says %s", script, err, ask[string](t, p, main))
		}
	}
	p.do(t, chromedp.Navigate(address))
	wait(main + `.includes("reading")`)
	run(t, folder, "convert", "@spirals:n=6000,noise=0.3", "rows.svm")
	rows, err := os.ReadFile(filepath.Join(folder, "rows.svm"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = stdin.Write(rows)
	stdin.Close()
	wait(main + `.includes("training") && document.querySelectorAll("main svg").length > 0`)
	p.do(t, chromedp.Click(chromedp.CSS("summary")))
	before := ask[string](t, p, main)
	wait(fmt.Sprintf(`%s != %q && document.querySelector("details").open`, main, before))
	p.do(t, chromedp.Reload())
	if text := ask[string](t, p, main); !strings.Contains(text, "gap about") || ask[int](t, p, `document.querySelectorAll("main svg").length`) == 0 {
		t.Errorf("loaded again the page says %s", text)
	}
	before = ask[string](t, p, main)
	wait(fmt.Sprintf(`%s != %q`, main, before))
	for _, words := range ask[[]string](t, p, misplaced) {
		t.Error(words)
	}
	for _, wide := range widths {
		p.do(t, chromedp.EmulateViewport(wide, 800))
		if page := ask[int64](t, p, `document.documentElement.scrollWidth`); page > wide {
			t.Errorf("found a page of %d pixels in a window of %d", page, wide)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	wait(main + `.includes("It was interrupted")`)
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("found the exit code %d, expected 130", code)
	}
	if text := ask[string](t, p, main); !strings.Contains(text, "What is proved") || !ask[bool](t, p, `document.querySelector("#lost").hidden`) {
		t.Errorf("at the end the page says %s", text)
	}
	p.clean(t, address)
}

// TestLost: where the program ends without a word the page says so.
func TestLost(t *testing.T) {
	p := open(t)
	cmd, address, _ := begin(t, t.TempDir(), "train", "-", "--live", "127.0.0.1:0")
	p.do(t, chromedp.Navigate(address))
	if _, err := chromedp.Run(p, chromedp.Poll[bool](`document.querySelector("main").innerText.includes("reading")`)); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Process.Kill()
	if _, err := chromedp.Run(p, chromedp.Poll[bool](`!document.querySelector("#lost").hidden`)); err != nil {
		t.Error(err)
	}
}
