package releases

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"imprimatur/app/config"
	"imprimatur/app/service"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/approval"
	"imprimatur/core/definition"
	"imprimatur/core/publishing"
	"imprimatur/core/reading"
	"imprimatur/core/release"
	"imprimatur/core/releasing"
	"imprimatur/core/review"
	"imprimatur/core/transfer"
	"imprimatur/core/writing"
	"imprimatur/ports"
	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
)

// desk is a project with published articles of 10 fields, which a workflow with one step governs.
type desk struct {
	stores   ports.Stores
	tx       *timedTx
	writer   *writing.Writer
	reader   *reading.Reader
	releases *releasing.Releases
	reviews  *approval.Reviews

	project         *core.Project
	articles, notes *core.Collection
	ids             []int64 // of articles
	drafts          []int64 // of notes
	editor, admin   core.Actor
	written         int
}

// fields are the fields of an article, which has those of package article.
var fields = []definition.FieldInput{
	{Name: "title", Type: core.TypeText, Required: true, Searchable: true}, {Name: "slug", Type: core.TypeSlug, Unique: true},
	{Name: "body", Type: core.TypeLongText}, {Name: "views", Type: core.TypeNumber}, {Name: "rating", Type: core.TypeNumber},
	{Name: "publishedOn", Type: core.TypeDate}, {Name: "category", Type: core.TypeText}, {Name: "tags", Type: core.TypeText, Multiple: true},
	{Name: "featured", Type: core.TypeBoolean}, {Name: "note", Type: core.TypeText},
}

func temporary() (dir string, remove func(), err error) {
	dir, err = os.MkdirTemp("", "imprimatur-bench-")
	return dir, func() { _ = os.RemoveAll(dir) }, err
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// open fills a database with count articles with text bytes of long text each.
func open(ctx context.Context, database string, count, text int) (d *desk, stop func(), err error) {
	cfg := config.Default()
	cfg.DatabaseURL, cfg.LogLevel = database, "error"
	d = &desk{}
	var organisation *access.Organisation
	var collections *definition.Collections
	var importer *transfer.Importer
	var publisher *publishing.Publisher
	var workflows *approval.Workflows
	var tx ports.Tx
	stop, err = service.Use(ctx, cfg, &organisation, &collections, &importer, &publisher, &workflows, &tx, &d.stores, &d.writer, &d.reader)
	if err != nil {
		return nil, nil, err
	}
	d.tx = &timedTx{Tx: tx, locksAtOnce: strings.HasPrefix(database, "sqlite:")}
	d.releases = releasing.New(d.stores, d.tx, d.writer, approval.NewRequests(publisher), publisher)
	d.reviews = approval.NewReviews(d.stores, d.tx, publisher)
	if err := d.fill(ctx, organisation, collections, importer, count, text); err != nil {
		stop()
		return nil, nil, err
	}
	_, err = workflows.SetProject(ctx, core.SystemActor, d.project, approval.WorkflowInput{
		AllowSelfApproval: new(true), Steps: []approval.StepInput{{StepOrder: 1, RequiredRoleKind: string(core.RoleAdmin)}},
	})
	return d, stop, err
}

// fill creates the project, its users and its content.
func (d *desk) fill(ctx context.Context, organisation *access.Organisation, collections *definition.Collections, importer *transfer.Importer, count, text int) error {
	tenant, err := organisation.CreateTenant(ctx, core.SystemActor, "Bench")
	if err != nil {
		return err
	}
	if d.project, err = organisation.CreateProject(ctx, core.SystemActor, tenant.ID, access.ProjectInput{Name: "Bench", Locales: []string{"en"}}); err != nil {
		return err
	}
	now := time.Now().UTC().Truncate(time.Millisecond)
	for name, actor := range map[string]*core.Actor{"editor": &d.editor, "admin": &d.admin} {
		user := core.User{Email: name + "@example.org", Name: name, TenantID: tenant.ID, Active: true, PasswordHash: "x", SuperAdmin: true, CreatedAt: now, UpdatedAt: now}
		if err := d.stores.Users.Insert(ctx, &user); err != nil {
			return err
		}
		actor.User = &user
	}
	if d.articles, err = collections.Create(ctx, core.SystemActor, d.project, definition.CollectionInput{Slug: "articles", Name: "Articles", Fields: fields}); err != nil {
		return err
	}
	if d.notes, err = collections.Create(ctx, core.SystemActor, d.project, definition.CollectionInput{Slug: "notes", Name: "Notes", Fields: fields[:1]}); err != nil {
		return err
	}
	if d.ids, err = d.importArticles(ctx, importer, d.articles, count, text); err != nil {
		return err
	}
	for n := range 8 {
		title, err := json.Marshal(fmt.Sprint("Note ", n))
		if err != nil {
			return err
		}
		e, err := d.writer.Create(ctx, d.editor, d.project, d.notes.ID, core.EntryWrite{Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"title": title}}})
		if err != nil {
			return err
		}
		d.drafts = append(d.drafts, e.ID)
	}
	return nil
}

// importArticles returns the ids of the imported articles.
func (d *desk) importArticles(ctx context.Context, importer *transfer.Importer, into *core.Collection, count, text int) (ids []int64, err error) {
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	if err := article.Each(count, func(a article.Article) error {
		a.Body = strings.Repeat(a.Body+" ", max(1, text/len(a.Body)))
		return encoder.Encode(map[string]any{"published": true, "fields": a})
	}); err != nil {
		return nil, err
	}
	report, err := importer.Import(ctx, core.SystemActor, d.project, into.ID, &lines, transfer.ImportOptions{})
	if err == nil && len(report.Failed) > 0 {
		err = fmt.Errorf("line %d: %w", report.Failed[0].Line, report.Failed[0].Err)
	}
	if err != nil {
		return nil, err
	}
	all, err := d.stores.Entries.Walk(ctx, d.project.ID, into.ID, 0, count)
	for i := range all {
		ids = append(ids, all[i].ID)
	}
	return ids, err
}

// result is what one release took.
type result struct {
	submit, approve, locked     time.Duration
	submitMemory, approveMemory int64
	sealed                      int64
}

// compose writes a new note into the drafts of size articles and puts them into a release.
func (d *desk) compose(ctx context.Context, size int) (releasing.Ref, error) {
	d.written++
	note, err := json.Marshal(fmt.Sprint("release ", d.written))
	if err != nil {
		return releasing.Ref{}, err
	}
	members := make([]releasing.MemberInput, size)
	for i, id := range d.ids[:size] {
		members[i] = releasing.MemberInput{EntryID: id}
		ref := review.EntryRef{Project: d.project, CollectionID: d.articles.ID, ID: id}
		if _, err := d.writer.Update(ctx, d.editor, ref, nil, core.EntryWrite{KeepPublished: true, Fields: core.WrittenFields{Raw: map[string]json.RawMessage{"note": note}}}); err != nil {
			return releasing.Ref{}, err
		}
	}
	r, err := d.releases.Create(ctx, d.editor, d.project, releasing.Change{Name: new(fmt.Sprint("Release ", d.written))})
	if err != nil {
		return releasing.Ref{}, err
	}
	ref := releasing.Ref{Project: d.project, ID: r.ID}
	for some := range slices.Chunk(members, release.MaxCall) {
		if _, err := d.releases.PutMembers(ctx, d.editor, ref, some); err != nil {
			return ref, err
		}
	}
	return ref, nil
}

// round publishes a release. With memory it also measures the memory of this process, and collects garbage before. The
// time from its submission to its publication is added to w.
func (d *desk) round(ctx context.Context, size int, memory bool, w *windows) (r result, err error) {
	ref, err := d.compose(ctx, size)
	if err != nil {
		return r, err
	}
	began := time.Now()
	if r.submit, r.submitMemory, err = timed(memory, func() error {
		_, err := d.releases.Publish(ctx, d.editor, ref, releasing.Publication{})
		return err
	}); err != nil {
		return r, err
	}
	d.tx.forget()
	if r.approve, r.approveMemory, err = timed(memory, func() error {
		_, err := d.reviews.Approve(ctx, d.admin, review.ReleaseRef{Project: d.project, ID: ref.ID}, approval.Decision{})
		return err
	}); err != nil {
		return r, err
	}
	w.add(began, time.Now())
	r.locked = d.tx.longest()
	published, err := d.stores.Releases.Release(ctx, d.project.ID, ref.ID)
	if err == nil && published.State != release.Published {
		err = fmt.Errorf("the release is %s", published.State)
	}
	if err != nil {
		return r, err
	}
	items, err := d.stores.Requests.Items(ctx, d.project.ID, published.RequestID)
	for i := range items {
		r.sealed += int64(len(items[i].Snapshot))
	}
	return r, err
}

// timed returns how long do took and, with memory, how much the resident memory of this process grew.
func timed(memory bool, do func() error) (took time.Duration, grew int64, err error) {
	var before int64
	if memory {
		debug.FreeOSMemory()
		if err := load.ForgetOwnPeak(); err != nil {
			return 0, 0, err
		}
		if before, _, err = load.OwnMemory(); err != nil {
			return 0, 0, err
		}
	}
	began := time.Now()
	if err := do(); err != nil {
		return 0, 0, err
	}
	took = time.Since(began)
	_, peak, err := load.OwnMemory()
	return took, max(peak-before, 0), err
}

// timedTx measures transactions from their first lock of entries to their commit.
type timedTx struct {
	ports.Tx

	locksAtOnce bool // a transaction has the lock of the database from its beginning

	mu   sync.Mutex
	most time.Duration
}

func (t *timedTx) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.most = 0
}

func (t *timedTx) longest() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.most
}

type transaction = func(ctx context.Context, stores ports.Stores) error

// Do implements ports.Tx.
func (t *timedTx) Do(ctx context.Context, actor core.Actor, do transaction) error {
	return t.timed(ctx, actor, do, t.Tx.Do)
}

// DoAlone implements ports.Tx.
func (t *timedTx) DoAlone(ctx context.Context, actor core.Actor, do transaction) error {
	return t.timed(ctx, actor, do, t.Tx.DoAlone)
}

func (t *timedTx) timed(ctx context.Context, actor core.Actor, do transaction, in func(context.Context, core.Actor, transaction) error) error {
	var first time.Time
	err := in(ctx, actor, func(ctx context.Context, stores ports.Stores) error {
		first = time.Time{} // also when the transaction is tried again
		if t.locksAtOnce {
			first = time.Now()
		}
		stores.Entries = lockTimer{stores.Entries, &first}
		return do(ctx, stores)
	})
	if err == nil && !first.IsZero() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.most = max(t.most, time.Since(first))
	}
	return err
}

// lockTimer records the time of the first lock.
type lockTimer struct {
	ports.EntryStore

	first *time.Time
}

func (l lockTimer) mark() {
	if l.first.IsZero() {
		*l.first = time.Now()
	}
}

// Lock implements ports.EntryLocker.
func (l lockTimer) Lock(ctx context.Context, projectID, id int64) (core.Entry, error) {
	l.mark()
	return l.EntryStore.Lock(ctx, projectID, id)
}

// LockAll implements ports.EntryLocker.
func (l lockTimer) LockAll(ctx context.Context, projectID int64, ids []int64) ([]core.Entry, error) {
	l.mark()
	return l.EntryStore.LockAll(ctx, projectID, ids)
}

var errNothingRead = errors.New("a list of articles is empty")
