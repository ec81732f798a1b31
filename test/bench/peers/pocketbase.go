package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
)

// preparePocketBase prepares PocketBase as it is.
func preparePocketBase(ctx context.Context, b *bench) ([]*server, error) {
	return pocketBase(ctx, b, "PocketBase")
}

// prepareGuaranteed prepares PocketBase with the guarantees of the program: its commits are synced
// (synchronous=FULL), and each field has an index.
func prepareGuaranteed(ctx context.Context, b *bench) ([]*server, error) {
	return pocketBase(ctx, b, "PocketBase, synced and indexed", "GUARANTEED=yes")
}

// pocketBase builds PocketBase as a Go program and imports the articles through its record API.
func pocketBase(ctx context.Context, b *bench, title string, environment ...string) ([]*server, error) {
	source, dir := filepath.Join(b.source, "pocketbase"), filepath.Join(b.dir, "pocketbase", strconv.Itoa(len(environment)))
	version, err := output(ctx, source, "go", "list", "-m", "-f", "{{.Version}}", "github.com/pocketbase/pocketbase")
	if err != nil {
		return nil, err
	}
	binary, data := filepath.Join(dir, "pocketbase"), filepath.Join(dir, "data")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if _, err := outputOf(build, source); err != nil {
		return nil, err
	}
	size, err := sizeOf(binary)
	if err != nil {
		return nil, err
	}
	if err := os.RemoveAll(data); err != nil {
		return nil, err
	}
	say("pocketbase: importing the articles")
	// Without --dev=false a binary in a temporary directory runs in development mode and
	// prints every statement.
	fill := exec.CommandContext(ctx, binary, "fill", "--dev=false", "--dir", data)
	lines, writer := io.Pipe()
	defer lines.Close()
	go func() { writer.CloseWithError(encodeAll(writer, b.all)) }()
	fill.Stdin, fill.Env = lines, append(os.Environ(), environment...)
	if _, err := outputOf(fill, dir); err != nil {
		return nil, err
	}
	address, err := load.FreeAddress()
	records := "/api/collections/articles/records"
	newest := records + "?perPage=20&sort=-publishedOn"
	return []*server{{
		name: title, environment: environment, version: version[1:], address: address, dir: dir, installed: size,
		command: []string{binary, "serve", "--dev=false", "--dir", data, "--http", address},
		forms: []form{{"REST", get(address, map[string]string{
			"Q1": newest + "&skipTotal=1",
			"Q2": records + `?perPage=20&skipTotal=1&sort=-views&filter=category="cat07"%26%26views>50000`,
			"Q3": records + fmt.Sprintf("/a%014d", b.middle()),
			"Q4": newest,
			"Q5": newest + "&skipTotal=1&page=2501",
			"Q6": newest + `&skipTotal=1&filter=title~"` + needle + `"`,
			"Q7": newest + "&skipTotal=1&expand=author.desk&fields=title,slug,category,publishedOn,views,expand.author.name,expand.author.expand.desk.name",
			"Q8": newest + "&skipTotal=1&page=2501", // no cursors
			"Q9": records + fmt.Sprintf(`?perPage=20&skipTotal=1&filter=title~"%s"%%26%%26(title~"%s%%25"||title~" %[2]s")`, needle, prefix),
		})}},
	}}, err
}

// encodeAll writes each article as a line of JSON, with its author and the author's desk.
func encodeAll(w io.Writer, articles []article.Article) error {
	encoder := json.NewEncoder(w)
	for i, a := range articles {
		author := (i + 1) % article.Authors
		line := struct {
			article.Article
			Author string `json:"author"`
			Desk   string `json:"desk"`
		}{a, article.Author(author), article.Desk(author)}
		if err := encoder.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
