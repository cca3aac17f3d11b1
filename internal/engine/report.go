package engine

import (
	"strings"

	"github.com/fenchel-ml/fenchel/internal/reportpage"
)

// reportRequest asks for a page about a model.
type reportRequest struct {
	Model   source  `json:"model"`
	Data    arrays  `json:"data"`
	Test    *arrays `json:"test"` // rows that judge; nil: none
	Name    string  `json:"name"`
	Threads int     `json:"threads"`
}

// report makes a page about a model that predicts.
func (r *request) report(q *reportRequest) (any, error) {
	m, set, err := r.modelAndSet(q.Model, q.Data)
	if err != nil {
		return nil, err
	}
	if err := checkWidth(set.Cols(), m.Cols()); err != nil {
		return nil, err
	}
	asked := reportpage.Asked{Model: m, Name: q.Name, Learned: set, Command: "fenchel.report", Threads: q.Threads}
	if q.Test != nil {
		if asked.Test, err = q.Test.of(m).set(r.ctx, r.mapped); err != nil {
			return nil, err
		}
		if err := checkWidth(asked.Test.Cols(), m.Cols()); err != nil {
			return nil, err
		}
	}
	page, err := reportpage.Of(r.ctx, asked)
	return htmlOf(page, err)
}

// reportComponents makes a page about principal components.
func (r *request) reportComponents(q *reportRequest) (any, error) {
	m, err := r.pca(q.Model)
	if err != nil {
		return nil, err
	}
	set, err := q.Data.set(r.ctx, r.mapped)
	if err != nil {
		return nil, err
	}
	page, err := reportpage.OfComponents(r.ctx, m, q.Name, set, nil, "fenchel.report", q.Threads)
	return htmlOf(page, err)
}

// htmlOf is a page as text.
func htmlOf(page *reportpage.Page, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	var html strings.Builder
	err = page.WriteHTML(&html)
	return map[string]string{"html": html.String()}, err
}
