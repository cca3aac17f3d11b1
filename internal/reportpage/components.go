package reportpage

import (
	"context"
	"fmt"
	"math"

	"github.com/fenchel-ml/fenchel/data"
	"github.com/fenchel-ml/fenchel/internal/figure"
	"github.com/fenchel-ml/fenchel/internal/pose"
	"github.com/fenchel-ml/fenchel/internal/registry"
	"github.com/fenchel-ml/fenchel/model"
	"github.com/fenchel-ml/fenchel/pca"
)

// OfComponents makes the report of principal components; learned are rows, as a rule those that they were found in.
func OfComponents(ctx context.Context, m *model.PCA, name string, learned, test *data.Set, command string, threads int) (*Page, error) {
	p := &Page{Title: "Report of " + name}
	set, whose := learned, "the rows"
	if test != nil {
		set, whose = test, "the test rows"
	}
	e, err := pca.Evaluate(ctx, m, set, threads)
	if err != nil {
		return nil, err
	}
	s := p.Section("The result")
	s.Say(fmt.Sprintf("%s capture %s of the variance of %s.", registry.Count(m.Statement.K, "component"), percent(e.Captured/e.Total), whose))
	proofOfComponents(p.Section("What is proved"), m)
	sum := 0.0
	each, all := figure.Curve{Name: "each", X: nil, Marked: nil}, figure.Curve{Name: "all up to it", Dashed: true}
	var rows [][]string
	for k, v := range m.Eigenvalue {
		sum += v
		each.X, each.Y, each.Marked = append(each.X, float64(k+1)), append(each.Y, v/float64(m.Proof.Total)), append(each.Marked, true)
		all.X, all.Y = append(all.X, float64(k+1)), append(all.Y, sum/float64(m.Proof.Total))
		rows = append(rows, []string{digits(float64(k + 1)), digits(v), percent(v / float64(m.Proof.Total)), percent(sum / float64(m.Proof.Total))})
	}
	p.Section("Spectrum").Show("Share of the variance by component", &figure.Figure{Title: "share of the variance", X: figure.Axis{Name: "component"}, Y: figure.Axis{Name: "share"}, Curves: []figure.Curve{each, all}},
		[]string{"component", "variance", "share", "share up to it"}, rows)
	if m.Space == nil {
		loadings(p.Section("What the components are made of"), m)
	}
	if err := plane(p, m, set); err != nil {
		return nil, err
	}
	again := p.Section("Again")
	again.Say("This report: " + command)
	again.Say(fmt.Sprintf("The proof: fenchel verify %s DATA, with the same rows. Program version %s found the components.", name, m.Version))
	return p, ctx.Err()
}

// proofOfComponents says what is proved of components.
func proofOfComponents(s *Section, m *model.PCA) {
	gap := m.Proof.Relative()
	if math.IsNaN(gap) || math.IsInf(gap, 0) {
		s.Say("Nothing: of components that were learned from a stream only what rows held out say is known.")
		return
	}
	s.Say(fmt.Sprintf("Of the %s of variance that the rows have these directions capture at least %s, and it is proved that no %d directions whatsoever capture more than %s: at most %s is missing.",
		digits(float64(m.Proof.Total)), digits(float64(m.Proof.Captured)), m.Statement.K, digits(float64(m.Proof.Upper)), percent(gap)))
	s.Say("Without such a proof components of a method that stopped too early look like those of data without structure.")
}

// loadings lists the features that weigh most in the first components.
func loadings(s *Section, m *model.PCA) {
	for k := range min(5, m.Statement.K) {
		w := m.Component(k)
		b := &figure.Bars{Title: fmt.Sprintf("component %d", k+1)}
		var rows [][]string
		order := orderOf(len(w), func(j int) float64 { return -math.Abs(w[j]) })
		for _, j := range order[:min(len(order), 15)] {
			name := fmt.Sprintf("feature %d", j+1)
			if m.Features != nil {
				name = m.Features[j]
			}
			b.Add(name, w[j], 0)
			rows = append(rows, []string{name, digits(w[j])})
		}
		s.Show(fmt.Sprintf("Component %d: the largest loadings", k+1), b, []string{"feature", "loading"}, rows)
	}
}

// plane draws a sample of the rows by their first two coordinates.
func plane(p *Page, m *model.PCA, set *data.Set) error {
	if m.Statement.K < 2 {
		return nil
	}
	score, err := m.Scorer(set)
	if err != nil {
		return pose.DataError{Reason: err.Error()}
	}
	n := set.Rows()
	var curves []figure.Curve
	classes := set.Target.Code != nil && len(set.Target.Label) <= figure.Styles
	if classes {
		for _, label := range set.Target.Label {
			curves = append(curves, figure.Curve{Name: label, Points: true})
		}
	} else {
		curves = []figure.Curve{{Name: "rows", Points: true}}
	}
	at := make([]float64, m.Statement.K)
	var rows [][]string
	for k := range min(n, MostDots) {
		i := k * n / min(n, MostDots)
		score(at, i)
		c := &curves[0]
		if classes {
			c = &curves[set.Target.Code[i]]
		}
		c.X, c.Y = append(c.X, at[0]), append(c.Y, at[1])
		rows = append(rows, []string{fmt.Sprint(i + 1), digits(at[0]), digits(at[1])})
	}
	p.Section("The first two components").Show("A sample of the rows", &figure.Figure{Title: "rows by their first two coordinates", X: figure.Axis{Name: "component 1"}, Y: figure.Axis{Name: "component 2"}, Curves: curves}, []string{"row", "component 1", "component 2"}, rows)
	return nil
}
