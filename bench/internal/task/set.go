package task

import (
	"fmt"
	"slices"
)

// A Source is a set that can race: a file in --data, or made here.
type Source struct {
	Name  string
	File  string // below --data; "": generated
	class string // the label that is +1 against all others; "": the greater of two
	Many  bool   // the labels are kept, of more than two classes: for the race of kernel machines alone
	test  string // the file of its test rows; "": none, or none that is needed
	// accept marks the sets of the acceptance table.
	Accept bool
	// make returns the generator of so many rows, for sets without a file.
	Make func(rows int) Documents

	Share float64 // of a race's time, against other sets; 0: see effort
}

// Documents are the parameters of generated sets: the generator @text, whose
// rows are like documents weighed by tf-idf.
type Documents struct{ Rows, Cols, Words, Seed int }

// Spec is the generator as package data takes it. With this signal and
// noise a linear support vector machine reaches 94 to 95 % on new rows when it
// is trained on all rows of rcv1-shaped.
func (g Documents) Spec() string {
	return fmt.Sprintf("@text:n=%d,d=%d,nnz=%d,signal=0.2,noise=0.025,seed=%d", g.Rows, g.Cols, g.Words, g.Seed)
}

// Sources are all sets, those of the acceptance table first. The generated one
// has the shape of rcv1, on which linear solvers have been compared for twenty
// years: 800,000 rows of about 75 of 47,000 words.
var Sources = []Source{
	{Name: "a9a", File: "adult/a9a.gz", test: "adult/a9a.t.gz", Accept: true},
	{Name: "w8a", File: "web/w8a.gz", test: "web/w8a.t.gz", Accept: true},
	{Name: "ijcnn1", File: "ijcnn1/ijcnn1.trn.bz2", test: "ijcnn1/ijcnn1.tst.bz2", Accept: true},
	{Name: "covtype2", File: "covtype/covtype_ramp_92962.svm.gz", class: "2", Accept: true},
	{Name: "20news1", File: "20newsgroups/20news_tfidf.train.svm.gz", class: "1", Accept: true},
	{Name: "imdb", File: "imdb/imdb_tfidf.train.svm.gz", Accept: true},
	{Name: "rcv1-shaped", Accept: true, Make: func(rows int) Documents {
		return Documents{Rows: rows, Cols: 47000, Words: 75, Seed: 1}
	}},
	{Name: "a1a", File: "adult/a1a.gz"},
	{Name: "w1a", File: "web/w1a.gz"},
	{Name: "money-fx", File: "reuters-money-fx/reuters.trn.bz2"},
	{Name: "news20", File: "news20/news20.bz2", class: "1"},
	{Name: "sector", File: "sector/sector.scale.bz2", class: "1"},
	{Name: "mnist8", File: "mnist/train-images-idx3-ubyte.gz", class: "8", test: "mnist/t10k-images-idx3-ubyte.gz"},
	{Name: "mnist", File: "mnist/train-images-idx3-ubyte.gz", Many: true, test: "mnist/t10k-images-idx3-ubyte.gz"},
}

func SetNames() []string {
	var names []string
	for _, s := range Sources {
		names = append(names, s.Name)
	}
	return names
}

// SourceOf returns the set of that name.
func SourceOf(name string) Source {
	return Sources[slices.IndexFunc(Sources, func(s Source) bool { return s.Name == name })]
}

// LossNames are the losses that race; every peer's comparison of the two
// classes knows them.
var LossNames = []string{"hinge", "logistic", "squared-hinge"}

// AcceptedLosses are those of the acceptance table.
var AcceptedLosses = []string{"hinge", "logistic"}

// Lambda is the weight of the penalty, 1/(C n).
type Lambda string

// Lambdas of the races: C = 1, the usual choice, and C = 100, a hard problem.
var Lambdas = []Lambda{"1/n", "1/(100n)"}

// C is C = 1/(lambda n).
func (l Lambda) C() float64 {
	switch l {
	case "1/n":
		return 1
	case "1/(100n)":
		return 100
	}
	panic(fmt.Sprintf("lambda %q: expected one of %q", string(l), Lambdas))
}

func (l Lambda) Value(n int) float64 { return 1 / (l.C() * float64(n)) }

// Effort weighs a set when time is shared out.
func (s Source) Effort() float64 {
	switch {
	case s.Share > 0:
		return s.Share
	case s.Make != nil:
		return 24
	case s.Name == "imdb":
		return 4
	case s.Accept:
		return 2
	}
	return 0.6
}

// Splits reports whether a second core must help on a set.
func (s Source) Splits() bool { return s.Make != nil || s.Name == "imdb" }

// Targets are the accuracies raced to, loosest first.
var Targets = []float64{1e-2, 1e-3, 1e-6}

// WholeTarget is the accuracy of whole processes and of growth: Fenchel's
// default gap.
const WholeTarget = 1e-3
