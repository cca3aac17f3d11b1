// Command serve measures the processor time of a request to "fenchel serve", to a handler of net/http that does nothing,
// and to MLServer with scikit-learn; then the latency of "fenchel serve" at half of its highest rate.
//
//	go run -C bench ./serve --fenchel PROGRAM [--mlserver VENV]
//
// Costs are processor seconds of the server, in alternation, because the machine may be busy; the percentiles are of the clock.
package main

import (
	"bufio"
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fenchel-ml/fenchel/serve"
)

func main() {
	program, mlserver := flag.String("fenchel", "fenchel", "the program"), flag.String("mlserver", "", "a virtual environment with mlserver and mlserver-sklearn")
	empty, count := flag.String("empty", "", "answer at this address with a handler that does nothing"), flag.Int("n", 20_000, "requests of each measurement")
	plain := flag.Bool("plain", false, "that handler has a server without timeouts")
	flag.Parse()
	if *empty != "" {
		h := serve.New(serve.Options{}).HTTP(*empty) // its timeouts
		if *plain {
			h = &http.Server{Addr: *empty}
		}
		h.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte("{\"label\":\"yes\",\"probability\":{\"no\":0.4567123456789,\"yes\":0.5432876543211}}\n"))
		})
		must(h.ListenAndServe())
	}
	folder, err := os.MkdirTemp("", "serve")
	must(err)
	defer os.RemoveAll(folder)
	prepare(folder, *program)
	self, err := os.Executable()
	must(err)
	ours := start(":8941", *program, "serve", folder, "--listen", "127.0.0.1:8941")
	none := start(":8942", self, "--empty", "127.0.0.1:8942")
	bare := start(":8946", self, "--plain", "--empty", "127.0.0.1:8946")
	defer bare.Process.Kill()
	defer ours.Process.Kill()
	defer none.Process.Kill()

	row := request("/predict/loans", `{"age":35,"colour":"red","member":true,"since":"2024-06-15"}`)
	tensor := request("/v2/models/dense/infer", `{"inputs":[{"name":"input","datatype":"FP32","shape":[1,4],"data":[0.1,0.2,0.3,0.4]}],"outputs":[{"name":"predict"}]}`)
	race("a row of a table", *count, []racer{{"fenchel", ours, ":8941", row}, {"empty handler", none, ":8942", row}, {"empty handler without timeouts", bare, ":8946", row}})
	race("a tensor of a row", *count, []racer{{"fenchel", ours, ":8941", tensor}, {"empty handler", none, ":8942", tensor}, {"empty handler without timeouts", bare, ":8946", tensor}})
	if *mlserver != "" {
		theirs := startML(folder, *mlserver)
		defer theirs.Process.Kill()
		ml := []byte(strings.ReplaceAll(string(tensor), "/dense/", "/peer/"))
		race("a tensor of a row", *count/20, []racer{{"fenchel", ours, ":8941", tensor}, {"MLServer", theirs, ":8943", ml}})
	}
	rate := saturate(":8941", row, 64, 5*time.Second)
	fmt.Printf("64 connections: %.0f rows a second\n", rate)
	for range 2 {
		fmt.Printf("at half of that: %s\n", percentiles(":8941", row, 64, rate/2, 10*time.Second))
		fmt.Printf("the empty handler: %s\n", percentiles(":8942", row, 64, rate/2, 10*time.Second))
	}
	fmt.Printf("load average: %s", read("/proc/loadavg"))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(path string) string {
	text, err := os.ReadFile(path)
	must(err)
	return string(text)
}

func prepare(folder, program string) {
	var rows strings.Builder
	rows.WriteString("age,colour,member,since,paid\n")
	for i := range 300 {
		fmt.Fprintf(&rows, "%d,%s,%t,2024-%02d-11,%s\n", 20+i*7%50, []string{"red", "blue", "green"}[i%3], i%4 == 0, i%12+1, []string{"no", "yes"}[i*i%7%2])
	}
	table := filepath.Join(folder, "loans.csv")
	must(os.WriteFile(table, []byte(rows.String()), 0o600))
	must(exec.Command(program, "train", table, "--loss", "logistic", "-q", "-o", filepath.Join(folder, "loans.model")).Run())
	must(exec.Command(program, "train", "@blobs:n=300,d=4,classes=2", "--loss", "logistic", "-q", "-o", filepath.Join(folder, "dense.model")).Run())
}

// start starts a server, and waits until it listens.
func start(address, name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	must(cmd.Start())
	for range 600 {
		if c, err := net.Dial("tcp", "127.0.0.1"+address); err == nil {
			c.Close()
			return cmd
		}
		time.Sleep(100 * time.Millisecond)
	}
	must(fmt.Errorf("%s does not listen", name))
	return nil
}

func startML(folder, venv string) *exec.Cmd {
	peer := filepath.Join(folder, "peer")
	must(os.MkdirAll(peer, 0o700))
	code := "import joblib, numpy as np; from sklearn.linear_model import LogisticRegression as L; X = np.random.rand(300, 4); joblib.dump(L().fit(X, X[:, 0] > .5), '" + peer + "/model.joblib')"
	must(exec.Command(venv+"/bin/python", "-c", code).Run())
	must(os.WriteFile(peer+"/model-settings.json", []byte(`{"name":"peer","implementation":"mlserver_sklearn.SKLearnModel","parameters":{"uri":"./model.joblib"}}`), 0o600))
	must(os.WriteFile(peer+"/settings.json", []byte(`{"host":"127.0.0.1","http_port":8943,"grpc_port":8944,"metrics_port":8945,"parallel_workers":0,"debug":false}`), 0o600))
	cmd := start(":8943", venv+"/bin/mlserver", "start", peer)
	time.Sleep(5 * time.Second) // until the model is loaded
	return cmd
}

func request(path, body string) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body)
}

// A racer is a server with a request.
type racer struct {
	name    string
	cmd     *exec.Cmd
	address string
	request []byte
}

// race has servers answer one request at a time, in turns, and prints what it cost of the processor.
func race(what string, count int, racers []racer) {
	cost := make([][]float64, len(racers))
	for turn := range 6 {
		for i, r := range racers {
			before := seconds(r.cmd)
			c := dial(r.address)
			for range count {
				c.ask(r.request)
			}
			c.Close()
			if turn > 0 { // the first one warms up
				cost[i] = append(cost[i], (seconds(r.cmd)-before)/float64(count)*1e6)
			}
		}
	}
	for i, r := range racers {
		slices.Sort(cost[i])
		fmt.Printf("%s, %s: %.1f us of the processor (%.1f to %.1f), %.2f times the first\n", what, r.name, cost[i][2], cost[i][0], cost[i][4], cost[i][2]/cost[0][2])
	}
}

// seconds is how much a process has used.
func seconds(cmd *exec.Cmd) float64 {
	fields := strings.Fields(read(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid)))
	user, _ := strconv.ParseFloat(fields[13], 64)
	system, _ := strconv.ParseFloat(fields[14], 64)
	return (user + system) / 100
}

// A connection asks.
type connection struct {
	net.Conn
	in *bufio.Reader
}

func dial(address string) connection {
	c, err := net.Dial("tcp", "127.0.0.1"+address)
	must(err)
	return connection{c, bufio.NewReader(c)}
}

func (c connection) ask(request []byte) {
	_, err := c.Write(request)
	must(err)
	length := 0
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		must(err)
		if first && !bytes.Contains(line, []byte(" 200 ")) {
			must(fmt.Errorf("found %s", line))
		}
		if len(line) == 2 {
			break
		}
		if name, value, _ := bytes.Cut(line, []byte(": ")); bytes.EqualFold(name, []byte("Content-Length")) {
			length, err = strconv.Atoi(string(bytes.TrimSpace(value)))
			must(err)
		}
	}
	_, err = c.in.Discard(length)
	must(err)
}

// saturate asks as fast as it can, and returns answers a second.
func saturate(address string, request []byte, connections int, long time.Duration) float64 {
	counts, all, end := make([]int, connections), sync.WaitGroup{}, time.Now().Add(long)
	for i := range connections {
		all.Go(func() {
			c := dial(address)
			defer c.Close()
			for time.Now().Before(end) {
				c.ask(request)
				counts[i]++
			}
		})
	}
	all.Wait()
	sum := 0
	for _, n := range counts {
		sum += n
	}
	return float64(sum) / long.Seconds()
}

// percentiles asks at a rate, whatever the answers take, and says how long they took since they were due.
func percentiles(address string, request []byte, connections int, rate float64, long time.Duration) string {
	each, all := make([][]time.Duration, connections), sync.WaitGroup{}
	begin, between := time.Now(), time.Duration(float64(connections)/rate*1e9)
	for i := range connections {
		all.Go(func() {
			c := dial(address)
			defer c.Close()
			for due := begin.Add(between * time.Duration(i) / time.Duration(connections)); due.Before(begin.Add(long)); due = due.Add(between) {
				time.Sleep(time.Until(due))
				c.ask(request)
				each[i] = append(each[i], time.Since(due))
			}
		})
	}
	all.Wait()
	took := slices.Concat(each...)
	slices.Sort(took)
	at := func(share float64) time.Duration {
		return took[int(share*float64(len(took)-1))].Round(time.Microsecond)
	}
	return fmt.Sprintf("p50 %s, p99 %s, p99.9 %s of %d", at(0.5), at(0.99), at(0.999), len(took))
}
