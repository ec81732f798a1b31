package peers

import (
	"context"
	"os"
	"path/filepath"

	"imprimatur/test/bench/load"
	"imprimatur/test/bench/reference"
	"imprimatur/test/bench/site"
	"imprimatur/test/postgrestest"
)

// ourName is the name of this program in the tables.
const ourName = "Imprimatur"

// prepareReference fills the bare handler's table. Its second form sends the same bytes
// from memory, which is the upper bound of net/http.
func prepareReference(ctx context.Context, b *bench) ([]*server, error) {
	d, err := b.database(ctx, "reference")
	if err != nil {
		return nil, err
	}
	if err := reference.Fill(ctx, d.url(), len(b.all)); err != nil {
		return nil, err
	}
	address, err := load.FreeAddress()
	if err != nil {
		return nil, err
	}
	postmaster, err := load.Postmaster(ctx, d.url())
	if err != nil {
		return nil, err
	}
	bare, memory := map[string]string{}, map[string]string{}
	for _, q := range allQueries {
		bare[q.Name], memory[q.Name] = "/"+q.Name, "/memory/"+q.Name
	}
	return []*server{{
		name: "reference", address: address, postmaster: postmaster, dir: b.dir,
		command: []string{os.Args[0], reference.Command, address, d.url()},
		forms:   []form{{"", get(address, bare)}, {"from memory", get(address, memory)}},
	}}, nil
}

// prepareOurs builds the program and imports the articles.
func prepareOurs(ctx context.Context, b *bench) ([]*server, error) {
	binary := filepath.Join(b.dir, "imprimatur")
	if _, err := output(ctx, b.source, "go", "build", "-ldflags", "-s -w", "-o", binary, "imprimatur/app"); err != nil {
		return nil, err
	}
	size, err := sizeOf(binary)
	if err != nil {
		return nil, err
	}
	d, err := b.database(ctx, "imprimatur")
	if err != nil {
		return nil, err
	}
	say("imprimatur: importing the articles")
	articles, err := site.Fill(ctx, d.url(), len(b.all))
	if err != nil {
		return nil, err
	}
	if err := articles.Relate(ctx, d.url(), len(b.all)); err != nil {
		return nil, err
	}
	if err := execute(ctx, d.url(), "vacuum analyze"); err != nil {
		return nil, err
	}
	postmaster, err := load.Postmaster(ctx, d.url())
	if err != nil {
		return nil, err
	}
	serve := func(name string, flags ...string) (*server, error) {
		address, err := load.FreeAddress()
		return &server{
			name: name, address: address, postmaster: postmaster, installed: size, dir: b.dir,
			command: append([]string{binary, "serve", "--secret-key", postgrestest.SecretKey, "--database-url", d.url(), "--blob-url", "mem://",
				"--listen", address, "--ops-listen", "127.0.0.1:0", "--log-level", "error"}, flags...),
			forms: []form{{"REST", articles.REST(address)}, {"GraphQL", articles.GraphQL(address)}},
		}, err
	}
	uncached, err := serve(ourName+", cache off", "--read-cache-mb=0")
	if err != nil {
		return nil, err
	}
	cached, err := serve(ourName)
	return []*server{uncached, cached}, err
}
