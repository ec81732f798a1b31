package graphql

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"

	"github.com/99designs/gqlgen/graphql"

	"imprimatur/adapters/graphql/exec"
	"imprimatur/adapters/graphql/model"
	"imprimatur/core"
	"imprimatur/core/access"
	"imprimatur/core/fileurl"
	"imprimatur/core/query"
	"imprimatur/core/reading"
	"imprimatur/ports"
)

// query resolves the root fields.
type queryRoot struct {
	media ports.MediaReader
	files fileurl.Base
}

// Compile-time checks that the resolvers implement the generated interfaces.
var (
	_ exec.QueryResolver = model.Query(nil)
	_ model.Query        = (*queryRoot)(nil)
)

// Query implements exec.ResolverRoot.
func (q *queryRoot) Query() exec.QueryResolver { return q }

func (q *queryRoot) Collection(ctx context.Context, slug string) (*model.CollectionMeta, error) {
	found, err := callerOf(ctx).reader.Collection(ctx, callerOf(ctx).project, slug)
	if err != nil {
		return nil, unlessNotFound(err)
	}
	return new(collectionMeta(found)), nil
}

func (q *queryRoot) Collections(ctx context.Context) ([]model.CollectionMeta, error) {
	found, err := callerOf(ctx).reader.Collections(ctx, callerOf(ctx).project)
	if err != nil {
		return nil, err
	}
	metas := make([]model.CollectionMeta, len(found))
	for i, collection := range found {
		metas[i] = collectionMeta(collection)
	}
	return metas, nil
}

func (q *queryRoot) Entry(ctx context.Context, collection string, id int32, timestamps *bool) (*model.Entry, error) {
	stamped := timestamps != nil && *timestamps
	depends := callerOf(ctx).depends.field()
	depends.Entry(int64(id), 0) // also while it is not public
	depends.Of(collection)
	found, err := callerOf(ctx).reader.Entry(ctx, callerOf(ctx).project, collection, int64(id), query.Shape{Timestamps: stamped, Depends: depends, Bare: !selectsData(ctx)})
	if err != nil {
		return nil, unlessNotFound(err)
	}
	if found.Shortened {
		graphql.RegisterExtension(ctx, "shortened", "relations")
	}
	return new(entry(found, stamped)), nil
}

func (q *queryRoot) Entries(ctx context.Context, collection string, where []model.WhereClauseInput, sort, locale, state *string, offset, limit *int32, timestamps *bool) (model.EntryConnection, error) {
	if err := refuseEmpty(sort, locale, state, where); err != nil {
		return nil, err
	}
	client := callerOf(ctx)
	list := query.Query{
		Collection: collection,
		Where:      conditions(where),
		Sort:       value(sort),
		Locale:     value(locale),
		State:      value(state),
		Offset:     toInt64(offset),
		Limit:      toInt64(limit),
		Shape:      query.Shape{Timestamps: value(timestamps), Depends: client.depends.field(), Bare: !selectsData(ctx)},
		Total:      selectsBoth(ctx),
	}
	listing, err := client.reader.Prepare(ctx, client.project, client.drafts, list)
	if err != nil {
		return nil, err
	}
	client.depends.list(listing.Selection().State)
	return &connection{listing: listing, stamped: list.Timestamps, both: list.Total}, nil
}

// selectsData reports whether data is selected of the current entry, or of the items of the current connection.
func selectsData(ctx context.Context) bool {
	operation := graphql.GetOperationContext(ctx)
	for _, field := range graphql.CollectFields(operation, graphql.GetFieldContext(ctx).Field.Selections, []string{"Entry", "EntryConnection"}) {
		if field.Name == "data" {
			return true
		}
		if field.Name == "items" && slices.ContainsFunc(graphql.CollectFields(operation, field.Selections, []string{"Entry"}), isData) {
			return true
		}
	}
	return false
}

func isData(field graphql.CollectedField) bool { return field.Name == "data" }

// selectsBoth reports whether both the items and the total of the current connection are
// selected.
func selectsBoth(ctx context.Context) bool {
	items, total := false, false
	for _, field := range graphql.CollectFields(graphql.GetOperationContext(ctx), graphql.GetFieldContext(ctx).Field.Selections, []string{"EntryConnection"}) {
		items = items || field.Name == "items"
		total = total || field.Name == "totalCount"
	}
	return items && total
}

func (q *queryRoot) Media(ctx context.Context, id int32) (*model.MediaView, error) {
	client := callerOf(ctx)
	if client.preview {
		return nil, access.PreviewOnly()
	}
	client.depends.field().Medium(int64(id))
	found, exists, err := client.media.item(ctx, q.media, client.project.ID, int64(id))
	if err != nil || !exists {
		return nil, err
	}
	return new(mediaView(q.files, found)), nil
}

// connection reads only its selected members.
type connection struct {
	listing *reading.Listing
	stamped bool
	both    bool // items and their total are selected

	once sync.Once
	read *reading.Page
	err  error
}

func (c *connection) page(ctx context.Context) (*reading.Page, error) {
	c.once.Do(func() { c.read, c.err = c.listing.Page(ctx) })
	return c.read, c.err
}

// total returns the total number of matching entries. It takes the total from the page if the items
// are also selected.
func (c *connection) total(ctx context.Context) (int64, error) {
	if c.both {
		page, err := c.page(ctx)
		if err != nil {
			return 0, err
		}
		return c.listing.TotalOf(ctx, page)
	}
	return c.listing.Total(ctx)
}

func (c *connection) Items(ctx context.Context) ([]model.Entry, error) {
	page, err := c.page(ctx)
	if err != nil {
		return nil, err
	}
	items := make([]model.Entry, len(page.Entries))
	for i := range page.Entries {
		items[i] = entry(&page.Entries[i], c.stamped)
	}
	return items, nil
}

func (c *connection) TotalCount(ctx context.Context) (*int32, error) {
	total, err := c.total(ctx)
	if err != nil {
		return nil, err
	}
	if total > math.MaxInt32 {
		return nil, fmt.Errorf("graphql: %d entries exceed the range of Int", total)
	}
	return new(int32(total)), nil
}

// conditions converts clauses to conditions. It does not check them.
func conditions(where []model.WhereClauseInput) []query.Filter {
	list := make([]query.Filter, len(where))
	for i, clause := range where {
		list[i] = query.Filter{
			Field:    clause.Field,
			Op:       value(clause.Op),
			Operand:  operand(clause.Value),
			Location: "where[" + strconv.Itoa(i) + "]",
		}
	}
	return list
}

// refuseEmpty rejects empty names, like the REST API does.
func refuseEmpty(sort, locale, state *string, where []model.WhereClauseInput) error {
	var faults []core.FieldError
	refuse := func(location string, given *string) {
		if given != nil && *given == "" {
			faults = append(faults, core.FieldError{Location: location, Message: "must not be empty"})
		}
	}
	refuse("sort", sort)
	refuse("locale", locale)
	refuse("state", state)
	for i, clause := range where {
		refuse("where["+strconv.Itoa(i)+"].op", clause.Op)
	}
	if len(faults) == 0 {
		return nil
	}
	refused := core.BadRequest("bad_parameter", "arguments must not be empty")
	refused.Fields = faults
	return refused
}

// operand returns the operand of a clause. A missing value means null.
func operand(given *model.JSONObject) query.Operand {
	if given == nil {
		return query.Operand{Items: []any{nil}}
	}
	list, ok := given.Value.([]any)
	if !ok {
		return query.Operand{Items: []any{item(given.Value)}}
	}
	items := make([]any, len(list))
	for i, element := range list {
		items[i] = item(element)
	}
	return query.Operand{Items: items, Listed: true}
}

// item converts numbers of literals to the type of numbers in variables.
func item(given any) any {
	switch n := given.(type) {
	case int64:
		return json.Number(strconv.FormatInt(n, 10))
	case float64:
		return json.Number(strconv.FormatFloat(n, 'g', -1, 64))
	}
	return given
}

// unlessNotFound returns nil for core.ErrNotFound, so that the field is null.
func unlessNotFound(err error) error {
	if errors.Is(err, core.ErrNotFound) {
		return nil
	}
	return err
}

// value returns what p points to, or the zero value.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

func toInt64(n *int32) *int64 {
	if n == nil {
		return nil
	}
	return new(int64(*n))
}
