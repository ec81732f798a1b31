package flat

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"regexp"
	"slices"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/definition"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/transfer"
	"imprimatur/ports"
)

// site is a project with one block of articles, and the data needed to copy and read it.
type site struct {
	project  *core.Project
	token    string // with read and write abilities, without a rate limit
	desks    *core.Collection
	authors  *core.Collection
	articles *core.Collection
	last     int64   // highest entry id of the block
	rare     []int64 // ids of the rare articles and their translations
}

// slotIndex is the name of the index of a slot.
var slotIndex = regexp.MustCompile(`^entry_index_([tnd]\d)$`)

// fills reports whether an index has entries: slots without a field are empty.
func (s *site) fills(index string) bool {
	of := slotIndex.FindStringSubmatch(index)
	return of == nil || slices.ContainsFunc(slices.Concat(s.articles.Fields, s.articles.Leaves, s.authors.Fields, s.desks.Fields), func(f *core.Field) bool { return f.Slot == of[1] })
}

// program holds the use cases that the benchmark calls.
type program struct {
	organisation *access.Organisation
	tokens       *access.Tokens
	collections  *definition.Collections
	importer     *transfer.Importer
	reader       *reading.Reader
	stores       ports.Stores
	every        int // one of how many articles is translated
}

// use starts the program's services on a database, with migrations and without a read cache.
func use(ctx context.Context, databaseURL string) (p *program, stop func(), err error) {
	cfg := config.Default()
	cfg.DatabaseURL, cfg.LogLevel, cfg.ReadCacheMB = databaseURL, "error", 0
	p = &program{every: 2}
	stop, err = service.Use(ctx, cfg, &p.organisation, &p.tokens, &p.collections, &p.importer, &p.reader, &p.stores)
	return p, stop, err
}

var system = core.Actor{System: true}

// createSite creates a site and imports its first block of count articles.
func (p *program) createSite(ctx context.Context, count int) (*site, error) {
	s, err := p.open(ctx, "Wire")
	if err != nil {
		return nil, err
	}
	if err := p.load(ctx, s, s.desks, writeDesks); err != nil {
		return nil, err
	}
	if err := p.load(ctx, s, s.authors, writeAuthors); err != nil {
		return nil, err
	}
	if err := p.loadBlock(ctx, s, count, 0); err != nil {
		return nil, err
	}
	return s, p.survey(ctx, s)
}

// open creates a project with the three collections and a token.
func (p *program) open(ctx context.Context, name string) (*site, error) {
	tenant, err := p.organisation.CreateTenant(ctx, core.Actor{System: true}, name)
	if err != nil {
		return nil, err
	}
	s := &site{}
	if s.project, err = p.organisation.CreateProject(ctx, core.Actor{System: true}, tenant.ID, access.ProjectInput{Name: name, Locales: []string{"en", "de"}}); err != nil {
		return nil, err
	}
	abilities := []core.Ability{core.AbilityRead, core.AbilityCreate, core.AbilityUpdate}
	if _, s.token, err = p.tokens.Create(ctx, system, s.project, access.TokenInput{Name: "bench", Abilities: abilities, RateLimit: new(0)}); err != nil {
		return nil, err
	}
	if s.desks, err = p.collections.Create(ctx, core.Actor{System: true}, s.project, definition.CollectionInput{Slug: "desks", Name: "Desks", Fields: deskFields}); err != nil {
		return nil, err
	}
	if s.authors, err = p.collections.Create(ctx, core.Actor{System: true}, s.project, definition.CollectionInput{Slug: "authors", Name: "Authors", Fields: authorFields}); err != nil {
		return nil, err
	}
	for _, component := range components {
		if _, err := p.collections.Components().Create(ctx, system, s.project, component); err != nil {
			return nil, err
		}
	}
	s.articles, err = p.articles(ctx, s.project, "articles")
	return s, err
}

// articles creates a collection of articles.
func (p *program) articles(ctx context.Context, project *core.Project, slug string) (*core.Collection, error) {
	return p.collections.Create(ctx, core.Actor{System: true}, project, definition.CollectionInput{Slug: slug, Name: slug, Fields: articleFields})
}

func (p *program) loadBlock(ctx context.Context, s *site, count, block int) error {
	return p.load(ctx, s, s.articles, func(w io.Writer) error { return writeArticles(w, count, block, p.every) })
}

// load imports the output of write.
func (p *program) load(ctx context.Context, s *site, c *core.Collection, write func(io.Writer) error) error {
	lines, writer := io.Pipe()
	go func() { writer.CloseWithError(write(writer)) }()
	report, err := p.importer.Import(ctx, system, s.project, c.ID, lines, transfer.ImportOptions{})
	if err == nil && len(report.Failed) > 0 {
		err = fmt.Errorf("line %d: %w", report.Failed[0].Line, report.Failed[0].Err)
	}
	return err
}

// survey reads the ids of the last and the rare entries of the block.
func (p *program) survey(ctx context.Context, s *site) error {
	last, err := p.page(ctx, s, query.Query{Locale: query.AllLocales, Limit: new(int64(1))})
	if err != nil {
		return err
	}
	rares, err := p.page(ctx, s, query.Query{Where: where("stock", "", 0), Locale: query.AllLocales, Limit: new(int64(query.MaxLimit))})
	if err != nil {
		return err
	}
	if len(last.Entries) != 1 || len(rares.Entries) != rare+rare/p.every {
		return fmt.Errorf("the block has %d last entries and %d rare entries", len(last.Entries), len(rares.Entries))
	}
	s.last = last.Entries[0].ID
	for _, e := range rares.Entries {
		s.rare = append(s.rare, e.ID)
	}
	return nil
}

func (p *program) page(ctx context.Context, s *site, q query.Query) (*reading.Page, error) {
	listing, err := p.listing(ctx, s, q)
	if err != nil {
		return nil, err
	}
	return listing.Page(ctx)
}

func (p *program) listing(ctx context.Context, s *site, q query.Query) (*reading.Listing, error) {
	q.Collection = cmp.Or(q.Collection, s.articles.Slug)
	return p.reader.Prepare(ctx, s.project, false, q)
}
