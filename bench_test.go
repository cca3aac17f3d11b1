package fenchel_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/fenchel-ml/fenchel"
	"github.com/fenchel-ml/fenchel/data"
)

// BenchmarkFit trains to the default gap; train-s/op and certify-s/op say where
// the time went. Compare bias=free with bias=none: the free bias should cost at
// most half as much again.
func BenchmarkFit(b *testing.B) {
	folder := os.Getenv("FENCHEL_DATA")
	if folder == "" {
		folder = filepath.Join("..", "shared", "data")
	}
	sources := map[string]string{"text": "@text"}
	for name, file := range map[string]string{"a9a": "adult/a9a.gz", "w8a": "web/w8a.gz", "ijcnn1": "ijcnn1/ijcnn1.trn.bz2", "imdb": "imdb/imdb_tfidf.train.svm.gz"} {
		if path := filepath.Join(folder, file); exists(path) {
			sources[name] = path
		}
	}
	for _, name := range []string{"text", "a9a", "w8a", "ijcnn1", "imdb"} {
		source, ok := sources[name]
		if !ok {
			continue
		}
		set, err := data.Read(context.Background(), []string{source}, data.Options{})
		if err != nil {
			b.Fatal(err)
		}
		for _, loss := range []string{"hinge", "squared-hinge", "logistic"} {
			for _, bias := range []string{"none", "free"} {
				b.Run(fmt.Sprintf("set=%s/loss=%s/bias=%s", name, loss, bias), func(b *testing.B) { benchmarkFit(b, set, fenchel.Spec{Loss: loss, Bias: bias}) })
			}
		}
	}
}

func benchmarkFit(b *testing.B, set *data.Set, spec fenchel.Spec) {
	var seconds, certify, epochs float64
	for b.Loop() {
		r, err := fenchel.Train(context.Background(), set, spec)
		if err != nil {
			b.Fatal(err)
		}
		seconds += r.Train.Seconds()
		certify += r.Certify.Seconds()
		epochs += float64(r.Epochs)
	}
	b.ReportMetric(seconds/float64(b.N), "train-s/op")
	b.ReportMetric(certify/float64(b.N), "certify-s/op")
	b.ReportMetric(epochs/float64(b.N), "epochs/op")
}

func exists(path string) bool { _, err := os.Stat(path); return err == nil }
