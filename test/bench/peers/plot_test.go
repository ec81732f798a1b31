package peers

import (
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"imprimatur/test/bench/article"
)

func TestPlot(t *testing.T) {
	t.Parallel()
	b := &bench{servers: []*server{
		{name: "reference", forms: []form{{name: ""}}},
		{name: ourName, forms: []form{{name: "REST"}, {name: "GraphQL"}}},
		{name: "Peer & son", forms: []form{{name: "REST"}}},
	}}
	results := map[key][]sample{}
	for _, q := range article.Queries {
		results[key{ourName + ", REST", q.Name}] = []sample{{ratio: 0.9}, {ratio: 0.7}}
		results[key{ourName + ", GraphQL", q.Name}] = []sample{{ratio: 14}}
		results[key{"Peer & son, REST", q.Name}] = []sample{{ratio: 0.0042}}
	}
	path := filepath.Join(t.TempDir(), "plot.svg")
	if err := writePlot(path, b, article.Queries, results); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(strings.NewReader(string(text)))
	for {
		if _, err := decoder.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []string{"Peer &amp; son, REST", ">0.80<", ">14<", ">0.004<", ">.001<"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the plot lacks %s", want)
		}
	}
}
