package newsroom_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"

	"github.com/stretchr/testify/require"

	"imprimatur/core"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/core/transfer"
	"imprimatur/ports"
	"imprimatur/test/contenttest"
)

// TestReadsStayRightWhileLocalesAreIndexed changes locales and fallbacks at random, while a back-fill does
// portions, is stopped within them and starts again, and entries are written. All answers are those of
// stores in memory with the fallbacks that count.
func TestReadsStayRightWhileLocalesAreIndexed(t *testing.T) {
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPair(t, open)
			p.translate()
			random := rand.New(rand.NewPCG(7, 11))
			filler := p.aged.filler()
			steps := []func(i int){
				func(int) { p.redefine(random) },
				func(int) { p.portion(filler) },
				func(int) { p.portion(filler) },
				func(int) { p.interruptServing(filler) },
				func(int) { filler = p.aged.filler() }, // of a process that starts
				func(i int) { p.write(fmt.Sprint("while", i)) },
				func(int) { p.endChains() },
			}
			for i := range 40 {
				steps[random.IntN(len(steps))](i)
				p.follow()
				p.sample(random, 3)
				if i%10 == 0 {
					p.aged.Check()
					p.aged.CheckLists(p.aged.stories.ID)
				}
			}
			p.settle(filler)
			p.follow()
			p.aged.Check()
			p.aged.CheckLists(p.aged.stories.ID)
			p.sample(random, 20)
		})
	}
}

// translate adds entries in further locales, so that the index has more rows than one portion.
func (p *pair) translate() {
	p.each(func(w *place) {
		w.Redefine(func(p *core.Project) { p.Locales = []string{"en", "de", "fr"} })
		var lines bytes.Buffer
		for i := range 150 {
			fmt.Fprintf(&lines, `{"locale":"en","published":%t,"fields":{"title":"Harbour %d","rank":%d,"code":"m%d"},"translations":{"fr":{"title":"Café %d","rank":%d,"code":"n%d"}}}`+"\n",
				i%5 > 0, i, i%9, i, i, i%4, i)
		}
		report, err := w.Importer.Import(w.Context(), core.SystemActor, w.Project, w.stories.ID, &lines, transfer.ImportOptions{})
		w.OK(err)
		require.Empty(p.t, report.Failed)
		w.know()
	})
	few, err := p.aged.Stores.Entries.FewRows(p.t.Context(), p.aged.Project.ID, core.PortionRows)
	require.NoError(p.t, err)
	require.False(p.t, few, "one transaction could index all entries")
}

// redefine changes the locales, the default locale or the fallbacks of the engine's Project.
func (p *pair) redefine(random *rand.Rand) {
	w := p.aged
	all := []string{"en", "de", "fr", "fr-CA", "de-AT", "pt"}
	locales := w.Project.Locales
	some := func() string { return locales[random.IntN(len(locales))] }
	var change func(*core.Project)
	switch random.IntN(3) {
	case 0:
		more := all[:min(len(locales)+1, len(all))]
		change = func(p *core.Project) { p.Locales = more }
	case 1:
		locale := some()
		change = func(p *core.Project) { p.DefaultLocale = locale }
	default:
		locale, chain := some(), []string{}
		for range random.IntN(3) {
			if l := some(); l != locale && !slices.Contains(chain, l) {
				chain = append(chain, l)
			}
		}
		change = func(p *core.Project) { p.Fallbacks = map[string][]string{locale: chain} }
	}
	before := map[string][]string{}
	for _, locale := range locales {
		before[locale] = w.Project.FallbackChain(locale)
	}
	statements := p.observed(func(ctx context.Context) {
		_, err := w.Organisation.UpdateProject(ctx, w.Actor("super"), w.Project, false, change)
		require.NoError(p.t, err)
	})
	for _, text := range statements {
		require.NotContains(p.t, text, "entry_index", "the change waits for the index")
	}
	w.Reload()
	for locale, chain := range before {
		require.Equal(p.t, chain, w.Project.FallbackChain(locale), "the chain of %s counts before it is indexed", locale)
	}
}

// portion does at most one portion, and requires that it is small.
func (p *pair) portion(filler interface {
	Backfill(context.Context) (bool, error)
}) (did bool) {
	p.t.Helper()
	const group = 14 // rows of a group of six locales, with drafts
	rows := 0
	_, err := filler.Backfill(sqldb.WithStatementObserver(p.t.Context(), func(text string, args []any) {
		if strings.HasPrefix(text, "UPDATE entry_index") {
			did = true
			rows += (len(args) - 1) / 4 // two columns of the key and two masks
		}
	}))
	require.NoError(p.t, err)
	require.LessOrEqual(p.t, rows, core.PortionRows+group)
	return did
}

// interruptServing stops a back-fill when it writes masks.
func (p *pair) interruptServing(filler interface {
	Backfill(context.Context) (bool, error)
}) {
	p.t.Helper()
	ctx, stop := context.WithCancel(p.t.Context())
	defer stop()
	_, err := filler.Backfill(sqldb.WithStatementObserver(ctx, func(text string, _ []any) {
		if strings.HasPrefix(text, "UPDATE entry_index") {
			stop()
		}
	}))
	if ctx.Err() != nil {
		require.ErrorIs(p.t, err, context.Canceled)
	}
}

// endChains lets the time pass in which reads may use a chain from before.
func (p *pair) endChains() {
	p.t.Helper()
	w := p.aged
	w.OK(w.Tx.Do(w.Context(), core.SystemActor, func(ctx context.Context, stores ports.Stores) error {
		if err := stores.Projects.Lock(ctx, w.Project.ID); err != nil {
			return err
		}
		project, err := stores.Projects.Project(ctx, w.Project.ID)
		if err != nil || !project.EndChains(time.Now().AddDate(1, 0, 0)) {
			return err
		}
		return stores.LocaleFills.Save(ctx, project)
	}))
}

// follow gives the stores in memory the settings and the counting fallbacks of the engine.
func (p *pair) follow() {
	p.t.Helper()
	p.aged.Reload()
	p.right.Reload()
	twin := *p.right.Project
	twin.Locales, twin.DefaultLocale, twin.Fallbacks, twin.Index = p.aged.Project.Locales, p.aged.Project.DefaultLocale, p.aged.Project.Fallbacks, p.aged.Project.Index
	p.right.OK(p.right.Stores.Projects.Update(p.t.Context(), &twin))
	p.right.Reload()
}

// sample compares random lists, page by page, with their totals.
func (p *pair) sample(random *rand.Rand, n int) {
	p.t.Helper()
	filters := [][]query.Filter{nil, nil, {where("rank", "lt", "3")}, {where("title", "like", "café")}, {where("title", "gte", "h"), where("rank", "not", "1")}}
	locales := append([]string{"*"}, p.aged.Project.Locales...)
	for range n {
		q := query.Query{
			Locale: locales[random.IntN(len(locales))], State: []string{"", "", "with_draft", "only_draft"}[random.IntN(4)],
			Sort: []string{"rank:desc,code:asc", "code:asc", "title:asc,code:asc"}[random.IntN(3)], Where: filters[random.IntN(len(filters))],
		}
		if random.IntN(4) == 0 {
			q.Search, q.Sort = "harbour", ""
		}
		require.Equal(p.t, p.right.pages(q), p.aged.pages(q), "%+v", q)
		q.Limit = nil
		if q.Search == "" {
			require.Equal(p.t, p.right.total(q), p.aged.total(q), "%+v", q)
		}
	}
}

// pages returns the codes of the entries of all pages, which cursors connect. Those of a search are sorted.
func (w *place) pages(q query.Query) (codes []string) {
	w.Helper()
	if q.Search != "" {
		return w.answer(q)
	}
	for {
		page, err := w.prepare(q).Page(w.Context())
		w.OK(err)
		var ids []int64
		for _, e := range page.Entries {
			ids = append(ids, e.ID)
		}
		codes = append(codes, w.codes(ids)...)
		if page.Next == "" {
			return codes
		}
		q.After = page.Next
	}
}

func (w *place) total(q query.Query) int64 {
	w.Helper()
	total, err := w.prepare(q).Total(w.Context())
	w.OK(err)
	return total
}

func (w *place) prepare(q query.Query) *reading.Listing {
	w.Helper()
	reader := reading.NewReader(w.Stores.Entries, contenttest.Schemas{Stores: w.Stores}, w.Stores.Media, "")
	q.Collection, q.Limit, q.Cursor = "stories", new(int64(93)), true
	listing, err := reader.Prepare(w.Context(), w.Project, true, q)
	w.OK(err)
	return listing
}

// settle does all portions. A pass that begins again after each restart of a process would not end.
func (p *pair) settle(filler interface {
	Backfill(context.Context) (bool, error)
}) {
	p.t.Helper()
	for range 100 {
		for p.portion(filler) {
			filler = p.aged.filler()
		}
		did, err := filler.Backfill(p.t.Context())
		require.NoError(p.t, err)
		p.endChains()
		p.aged.Reload()
		if !did && p.aged.Project.Settled() {
			require.Empty(p.t, p.aged.Project.PendingChains())
			return
		}
	}
	p.t.Fatalf("the back-fill does not end: %+v", p.aged.Project.Index)
}
