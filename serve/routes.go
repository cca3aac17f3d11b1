package serve

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fenchel-ml/fenchel/internal/pose"
)

// route finds what a request asks for.
func (s *Server) route(work *work, r *http.Request) (reply, error) {
	path := strings.Trim(r.URL.Path, "/")
	first, rest, _ := strings.Cut(path, "/")
	switch {
	case path == "":
		return s.pageRoute(work, r)
	case path == "v2":
		return s.about(r)
	case path == "metrics":
		return reply{code: 200, kind: kindText, body: s.counters.text(s.running.Load(), *s.models.Load())}, only(r, http.MethodGet)
	case path == "openapi.json":
		return reply{code: 200, kind: kindJSON, body: OpenAPI()}, only(r, http.MethodGet)
	case path == "v2/repository/index":
		return s.index(r)
	case strings.HasPrefix(path, "v2/repository/models/"):
		return reply{}, refuse(http.StatusBadRequest, "found a model that is to be loaded or unloaded, expected none: files are read when they change, and what is gone is served no more")
	case first == "predict" && !strings.Contains(rest, "/"):
		return s.predictRoute(work, r, rest)
	case strings.HasPrefix(path, "v2/models/"):
		return s.modelRoute(work, r, strings.Split(strings.TrimPrefix(path, "v2/models/"), "/"))
	}
	return reply{}, refuse(http.StatusNotFound, "found the path %q, expected /v2, /v2/health/live, /v2/health/ready, /v2/models/MODEL[/versions/VERSION][/ready|/infer], /predict[/MODEL], /metrics, /openapi.json or /", r.URL.Path)
}

// modelRoute finds what is asked of a model: NAME[/versions/VERSION][/ready|/infer].
func (s *Server) modelRoute(work *work, r *http.Request, parts []string) (reply, error) {
	name, version, verb := parts[0], "", ""
	parts = parts[1:]
	if len(parts) >= 2 && parts[0] == "versions" && parts[1] != "" {
		version, parts = parts[1], parts[2:]
	}
	if len(parts) > 0 {
		verb, parts = parts[0], parts[1:]
	}
	if len(parts) > 0 || verb != "" && verb != "ready" && verb != "infer" {
		return reply{}, refuse(http.StatusNotFound, "found the path %q, expected /v2/models/MODEL[/versions/VERSION][/ready|/infer]", r.URL.Path)
	}
	models := s.models.Load()
	m, err := models.find(name, version)
	if err != nil {
		return reply{}, err
	}
	out := reply{code: 200, kind: kindJSON, model: m}
	switch verb {
	case "":
		out.body, err = m.metadata(versionsOf((*models)[name])), only(r, http.MethodGet)
	case "ready":
		out.body, err = append(appendQuoted([]byte(`{"name":`), m.name), `,"ready":true}`...), only(r, http.MethodGet)
	default:
		if err := only(r, http.MethodPost); err != nil {
			return out, err
		}
		text, err := s.read(work, r)
		if err != nil {
			return out, err
		}
		return m.infer(work, text, r.Header.Get(headerLength), s.opt.MaxRows)
	}
	return out, err
}

// predictRoute answers rows that are JSON.
func (s *Server) predictRoute(work *work, r *http.Request, name string) (out reply, err error) {
	if err := only(r, http.MethodPost); err != nil {
		return out, err
	}
	models := s.models.Load()
	if name == "" {
		if len(*models) != 1 {
			return out, refuse(http.StatusNotFound, "found %d models, expected the name of one: /predict/MODEL", len(*models))
		}
		for only := range *models {
			name = only
		}
	}
	query := r.URL.Query()
	m, err := models.find(name, query.Get("version"))
	if err != nil {
		return out, err
	}
	text, err := s.read(work, r)
	if err != nil {
		return reply{model: m}, err
	}
	return m.predict(work, text, query.Get("with"), s.opt.MaxRows)
}

// pageRoute shows the page.
func (s *Server) pageRoute(work *work, r *http.Request) (reply, error) {
	sent := url.Values(nil)
	if r.Method == http.MethodPost {
		text, err := s.read(work, r)
		if err == nil {
			sent, err = url.ParseQuery(string(text))
		}
		if err != nil {
			return reply{}, err
		}
	} else if err := only(r, http.MethodGet); err != nil {
		return reply{}, err
	}
	return pageOf(s.models.Load(), r.URL.Query().Get("model"), work, sent)
}

// healthy reports whether a path is one of those about health.
func healthy(path string) bool {
	return strings.HasPrefix(path, "/v2/health/")
}

// health says whether the server lives, and whether it is ready for requests.
func (s *Server) health(r *http.Request) reply {
	if err := only(r, http.MethodGet); err != nil {
		return failed(err)
	}
	ready := !s.draining.Load() && len(*s.models.Load()) > 0
	code := 200
	switch strings.TrimRight(r.URL.Path, "/") {
	case "/v2/health/live":
	case "/v2/health/ready":
		if !ready {
			code = http.StatusServiceUnavailable
		}
	default:
		return failed(refuse(http.StatusNotFound, "found the path %q, expected /v2/health/live or /v2/health/ready", r.URL.Path))
	}
	return reply{code: code, kind: kindJSON, body: fmt.Appendf(nil, `{"live":true,"ready":%t}`, ready)}
}

// about describes the server.
func (s *Server) about(r *http.Request) (reply, error) {
	body, err := json.Marshal(map[string]any{"name": "fenchel", "version": pose.Version(), "extensions": []string{"binary_tensor_data", "model_repository"}})
	if err != nil {
		return reply{}, err
	}
	return reply{code: 200, kind: kindJSON, body: body}, only(r, http.MethodGet)
}

// index lists the models, by the extension of model repositories.
func (s *Server) index(r *http.Request) (reply, error) {
	if err := only(r, http.MethodPost); err != nil {
		return reply{}, err
	}
	all := []map[string]string{}
	for name, versions := range *s.models.Load() {
		for _, v := range versions {
			all = append(all, map[string]string{"name": name, "version": v.version, "state": "READY", "reason": ""})
		}
	}
	slices.SortFunc(all, func(a, b map[string]string) int {
		return strings.Compare(a["name"]+"/"+a["version"], b["name"]+"/"+b["version"])
	})
	body, err := json.Marshal(all)
	return reply{code: 200, kind: kindJSON, body: body}, err
}
