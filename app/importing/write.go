package importing

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"imprimatur/app/scratch"
	"imprimatur/core"
	"imprimatur/core/canonical"
	"imprimatur/core/transfer"
)

// batch is the number of lines that are looked up together.
const batch = 200

// portion is the number of lines in one transaction. They are in memory beside the entries and revisions that they are
// compared with.
const portion = 250

// attempts is how often a line is written while its writes are refused, each time without what was refused.
const attempts = 20

// failure is a line that was not written.
type failure struct {
	line  int // in its box
	fault *core.Error
}

// write writes the lines of all boxes. Entries that are targets of lines before them are created first, without
// relations.
func (r *run) write(ctx context.Context) error {
	for i, b := range r.order {
		wanted := map[uint64]bool{}
		for _, before := range r.order[:i] {
			for id := range before.wants[b.collection.Slug] {
				wanted[id] = true
			}
		}
		if len(wanted) == 0 {
			continue
		}
		if err := r.found(ctx, b, wanted); err != nil {
			return err
		}
	}
	for _, b := range r.order {
		if err := r.writeBox(ctx, b, all(b)); err != nil {
			return err
		}
	}
	return r.publish(ctx)
}

// found creates the entries that have one of the identities, as far as they do not exist.
func (r *run) found(ctx context.Context, b *box, wanted map[uint64]bool) error {
	failed, err := r.send(ctx, b, all(b), func(l *Line, at standing) bool {
		if at.entry != nil || !slices.ContainsFunc(l.identities(b.collection), func(id uint64) bool { return wanted[id] }) {
			return false
		}
		l.bare(b.collection)
		return true
	}, true)
	if err != nil {
		return err
	}
	for range attempts {
		var again []int
		for _, f := range failed {
			changed, err := r.reduce(b, f, true)
			if err != nil {
				return err
			}
			if changed {
				again = append(again, f.line)
			}
		}
		if len(again) == 0 {
			return nil
		}
		if failed, err = r.send(ctx, b, again, func(l *Line, _ standing) bool { l.bare(b.collection); return true }, true); err != nil {
			return err
		}
	}
	return nil
}

// bare leaves in a line only what refers to nothing.
func (l *Line) bare(c *core.Collection) {
	l.unpublish()
	l.Draft.Relations, l.Draft.Media, l.Translations = nil, nil, nil
	if len(l.Draft.Links.Entries) > 0 || len(l.Draft.Links.Media) > 0 {
		for name := range l.Draft.Fields {
			if f := c.Field(name); f == nil || f.RefersInside() {
				delete(l.Draft.Fields, name)
			}
		}
	}
	l.Draft.Links = Links{}
}

func all(b *box) []int {
	lines := make([]int, len(b.at))
	for i := range lines {
		lines[i] = i
	}
	return lines
}

// writeBox writes lines of a box whole, and those that are refused again without what was refused.
func (r *run) writeBox(ctx context.Context, b *box, lines []int) error {
	for range attempts {
		failed, err := r.send(ctx, b, lines, nil, false)
		if err != nil {
			return err
		}
		if lines, err = r.again(b, failed); err != nil || len(lines) == 0 {
			return err
		}
	}
	for _, i := range lines {
		b.status[i], b.reasons[i] = refused, "was refused too often"
	}
	return nil
}

// again returns the lines of failed that are worth another attempt. Those that other lines may make publishable wait.
func (r *run) again(b *box, failed []failure) (lines []int, err error) {
	var rest []failure
	for _, f := range failed {
		if f.fault.Unpublished() {
			b.waits = append(b.waits, f)
			continue
		}
		changed, err := r.reduce(b, f, false)
		if err != nil {
			return nil, err
		}
		if changed {
			lines = append(lines, f.line)
		} else {
			rest = append(rest, f)
		}
	}
	final := len(lines) == 0
	for _, f := range rest {
		changed := true // by the next attempt at its targets
		if final {
			if changed, err = r.reduce(b, f, true); err != nil {
				return nil, err
			}
		}
		if changed {
			lines = append(lines, f.line)
		} else {
			b.status[f.line] = refused
			b.reasons[f.line] = fault(f.fault)
		}
	}
	slices.Sort(lines)
	return lines, nil
}

// reduce is Line.reduce for a line of a box, which keeps the result.
func (r *run) reduce(b *box, f failure, final bool) (changed bool, err error) {
	l, err := b.spool.at(b.at[f.line])
	if err != nil || !l.reduce(b.collection, f.fault, r.report, final) {
		return false, err
	}
	return true, r.replace(b, f.line, l)
}

// publish writes the lines that wait for their targets, as long as targets become public; then as drafts.
func (r *run) publish(ctx context.Context) error {
	for draft, before := false, -1; ; {
		waiting := 0
		for _, b := range r.order {
			waiting += len(b.waits)
		}
		if waiting == 0 {
			return nil
		}
		draft, before = draft || waiting == before, waiting
		for _, b := range r.order {
			waits := b.waits
			b.waits = nil
			var lines []int
			for _, f := range waits {
				lines = append(lines, f.line)
				if !draft {
					continue
				}
				l, err := b.spool.at(b.at[f.line])
				if err != nil {
					return err
				}
				l.withdraw(f.fault.Message+": "+phrase(f.fault.Fields), r.report)
				if err := r.replace(b, f.line, l); err != nil {
					return err
				}
			}
			if len(lines) == 0 {
				continue
			}
			if err := r.writeBox(ctx, b, lines); err != nil {
				return err
			}
		}
	}
}

// replace keeps another form of a line, and lists what it lost since.
func (r *run) replace(b *box, i int, l *Line) error {
	before, err := b.spool.at(b.at[i])
	if err != nil {
		return err
	}
	for _, row := range l.Lost[len(before.Lost):] {
		if err := r.report.lose(row); err != nil {
			return err
		}
	}
	b.at[i], err = b.spool.add(l)
	return err
}

// send writes lines of a box that keep, unless it is nil, keeps. It returns those that were refused; the others are
// written, unless first is true: they are then written again later.
func (r *run) send(ctx context.Context, b *box, lines []int, keep func(*Line, standing) bool, first bool) ([]failure, error) {
	waiting, err := scratch.New("imprimatur-import-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = waiting.Close() }() // its content is not needed any more
	in, out := io.Pipe()
	var sent []int
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var err error
		sent, err = r.emit(ctx, b, lines, keep, out)
		out.CloseWithError(err)
	}()
	collection := b.collection.Slug
	report, err := r.importer.Import(ctx, r.actor, r.project, b.collection.ID, in, transfer.ImportOptions{
		AllowIncomplete: true, Drafts: true, Quiet: r.opts.Quiet, Between: r.opts.Between, Spool: waiting, Portion: portion,
		Progress: func(done, _ int64) { r.opts.Progress(done, int64(len(lines)), "entries of "+collection) },
		Circles: func(done, total int64) {
			r.opts.Progress(done, total, "steps for entries of "+collection+" that point to each other")
		},
	})
	_ = in.CloseWithError(io.ErrClosedPipe) // ends emit if Import has stopped early
	<-ended
	r.count(b, report, first)
	if err != nil {
		return nil, err
	}
	var failed []failure
	bad := map[int]bool{}
	for _, f := range report.Failed {
		i := sent[f.Line-1]
		bad[i] = true
		failed = append(failed, failure{i, f.Err})
	}
	for _, i := range sent {
		if !bad[i] && !first {
			b.status[i] = written
		}
	}
	return failed, nil
}

// count adds what was written. The lines that were written first are written again: that is no update.
func (r *run) count(b *box, report transfer.ImportReport, first bool) {
	w := r.report.Collections[b.collection.Slug]
	if w == nil {
		w = &Written{}
		r.report.Collections[b.collection.Slug] = w
	}
	w.Created += report.Created
	if first {
		w.Updated -= report.Created
		return
	}
	w.Updated += report.Updated
	w.Unchanged += report.Unchanged
}

// emit writes lines for transfer.Importer, and returns which it has written.
func (r *run) emit(ctx context.Context, b *box, lines []int, keep func(*Line, standing) bool, out io.Writer) (sent []int, err error) {
	for part := range slices.Chunk(lines, batch) {
		read := make([]*Line, len(part))
		for i, n := range part {
			if read[i], err = b.spool.at(b.at[n]); err != nil {
				return sent, err
			}
		}
		at, err := r.standing(ctx, b, read)
		if err != nil {
			return sent, err
		}
		for i, l := range read {
			if at[i].keyed && !l.ByKey { // an entry that has nothing to do with the source
				f, key := l.key(b.collection)
				l.lose(LostValue, f.Name, "is taken by another entry", key)
				delete(l.Draft.Fields, f.Name)
				if l.Public != nil {
					delete(l.Public.Fields, f.Name)
				}
				if err := r.replace(b, part[i], l); err != nil {
					return sent, err
				}
				at[i] = standing{}
			}
			switch {
			case at[i].edited && !r.opts.Overwrite:
				if b.status[part[i]] == pending {
					b.status[part[i]] = left
					r.report.Left++
				}
				continue
			case keep != nil && !keep(l, at[i]):
				continue
			}
			text, err := l.encode(b.collection)
			if err != nil {
				return sent, err
			}
			sent = append(sent, part[i])
			if _, err := out.Write(append(text, '\n')); err != nil {
				return sent, err
			}
		}
	}
	return sent, nil
}

// standing is the entry of a line.
type standing struct {
	entry  *core.Entry // nil: none
	edited bool        // by a person, after the import that wrote it
	keyed  bool        // found by the key of the line
}

// standing looks up the entries of lines: by their groups, or else by their keys.
func (r *run) standing(ctx context.Context, b *box, lines []*Line) ([]standing, error) {
	groups := map[string]int64{}
	var references []string
	for _, l := range lines {
		if digits, own := strings.CutPrefix(l.Group, r.project.UUID+"/"); own {
			groups[l.Group], _ = strconv.ParseInt(digits, 10, 64) // 0 is no group
		}
		references = append(references, l.Group)
	}
	slices.Sort(references)
	origins, err := r.stores.Origins.Origins(ctx, r.project.ID, slices.Compact(references))
	if err != nil {
		return nil, err
	}
	var ids []int64
	for _, o := range origins {
		groups[o.Reference] = o.Group
	}
	for _, id := range groups {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	entries, err := r.stores.Entries.Translations(ctx, r.project.ID, slices.Compact(ids)...)
	if err != nil {
		return nil, err
	}
	found := make([]standing, len(lines))
	for i, l := range lines {
		at := slices.IndexFunc(entries, func(e core.Entry) bool { return e.Group == groups[l.Group] && e.Locale == l.Locale && !e.Trashed() })
		if at >= 0 {
			found[i] = standingOf(&entries[at])
		}
	}
	return found, r.keyed(ctx, b, lines, groups, found)
}

// keyed adds to found the entries with the keys of lines whose groups are not known.
func (r *run) keyed(ctx context.Context, b *box, lines []*Line, groups map[string]int64, found []standing) error {
	values := map[string][]core.UniqueValue{} // by locale
	for _, l := range lines {
		if f, key := l.key(b.collection); key != nil && groups[l.Group] == 0 {
			if value, ok := core.DecodeValue(f.Type, key); ok {
				values[l.Locale] = append(values[l.Locale], core.UniqueValue{Field: f.Name, Value: value})
			}
		}
	}
	schema := r.schema
	schema.Collection = b.collection
	for locale, keys := range values {
		holders, err := r.stores.Entries.Holders(ctx, schema, []string{locale}, keys)
		if err != nil {
			return err
		}
		if len(holders) == 0 {
			continue
		}
		var ids []int64
		for _, h := range holders {
			ids = append(ids, h.Entry)
		}
		entries, err := r.stores.Entries.Entries(ctx, r.project.ID, ids)
		if err != nil {
			return err
		}
		for i, l := range lines {
			f, key := l.key(b.collection)
			if l.Locale != locale || key == nil || groups[l.Group] != 0 || found[i].entry != nil {
				continue
			}
			value, _ := core.DecodeValue(f.Type, key)
			at := slices.IndexFunc(holders, func(h core.Holder) bool { return h.UniqueValue.Value == value })
			if at < 0 {
				continue
			}
			if at = slices.IndexFunc(entries, func(e core.Entry) bool { return e.ID == holders[at].Entry }); at >= 0 {
				found[i] = standingOf(&entries[at])
				found[i].keyed = true
			}
		}
	}
	return nil
}

// standingOf returns the standing of a line with the entry e.
func standingOf(e *core.Entry) standing {
	edited := e.UpdatedBy != 0
	if e.Revision != nil {
		if newest, err := core.DecodeRevision(e.Revision); err == nil {
			edited = newest.By.Kind != core.SystemActor.Ref().Kind
		}
	}
	return standing{entry: e, edited: edited}
}

// key returns the canonical key of a line and the field that has it; nil without one. It is what package transfer
// finds the entry by if its group is not known.
func (l *Line) key(c *core.Collection) (*core.Field, json.RawMessage) {
	at := slices.IndexFunc(c.Fields, func(f *core.Field) bool { return f.Unique && !f.Secret() })
	if at < 0 {
		return nil, nil
	}
	f, key := c.Fields[at], l.Key
	if key == nil {
		key = l.Draft.Fields[f.Name]
	}
	if key == nil || f.Missing(key) || string(key) == "null" {
		return f, nil
	}
	return f, key
}

// encode returns the line as package transfer imports it.
func (l *Line) encode(c *core.Collection) ([]byte, error) {
	line := map[string]any{"locale": l.Locale}
	put := func(name string, value any, there bool) {
		if there {
			line[name] = value
		}
	}
	put("group", l.Group, l.Group != "")
	put("key", l.Key, l.Key != nil)
	l.Draft.encode(c, line)
	put("published", true, l.Published)
	put("publishAt", l.PublishAt, l.PublishAt != nil)
	put("unpublishAt", l.UnpublishAt, l.UnpublishAt != nil)
	put("publishedAt", l.PublishedAt, l.PublishedAt != nil)
	put("createdAt", l.CreatedAt, l.CreatedAt != nil)
	put("inherit", l.Inherit, l.Inherit != nil)
	put("translations", l.Translations, len(l.Translations) > 0)
	if l.Public != nil {
		public := map[string]any{}
		l.Public.encode(c, public)
		line["publishedVersion"] = public
	}
	return json.Marshal(line)
}

func (v *Version) encode(c *core.Collection, to map[string]any) {
	to["fields"] = v.Fields
	if v.Fields == nil {
		to["fields"] = struct{}{}
	}
	relations, files, links := map[string]any{}, map[string]any{}, map[string]any{}
	for name, targets := range v.Relations {
		f := c.Field(name)
		list := []any{}
		for _, t := range targets {
			list = append(list, t.encode(f.ToSeveral()))
		}
		relations[name] = oneOf(f, list)
	}
	for name, refs := range v.Media {
		list := []any{}
		for _, ref := range refs {
			list = append(list, FileRef{Hash: ref.Hash, FileName: ref.FileName})
		}
		files[name] = oneOf(c.Field(name), list)
	}
	if len(v.Links.Media) > 0 {
		links["media"] = v.Links.Media
	}
	if len(v.Links.Entries) > 0 {
		links["entries"] = v.Links.Entries
	}
	for name, members := range map[string]map[string]any{"relations": relations, "media": files, "links": links} {
		if len(members) > 0 {
			to[name] = members
		}
	}
}

// oneOf returns a list for a field with several values, otherwise its element, or nil.
func oneOf(f *core.Field, list []any) any {
	switch {
	case f.Multiple:
		return list
	case len(list) == 0:
		return nil
	default:
		return list[0]
	}
}

func (t Target) encode(several bool) any {
	switch {
	case several:
		return t
	case t.Group == "":
		return t.Key
	default:
		return Target{Group: t.Group, Key: t.Key}
	}
}

// dangling lists the targets that are neither in the content nor in the Project, in a dry run.
func (r *run) dangling(ctx context.Context) error {
	known := map[uint64]bool{}
	visit := func(do func(b *box, l *Line) error) error {
		for _, b := range r.order {
			for i := range b.at {
				if err := ctx.Err(); err != nil {
					return err
				}
				l, err := b.spool.at(b.at[i])
				if err == nil {
					err = do(b, l)
				}
				if err != nil {
					return err
				}
			}
		}
		return nil
	}
	err := visit(func(b *box, l *Line) error {
		for _, id := range l.identities(b.collection) {
			known[id] = true
		}
		return nil
	})
	if err != nil {
		return err
	}
	return visit(func(_ *box, l *Line) (err error) {
		l.eachTarget(func(t Target) {
			if err != nil || slices.ContainsFunc(t.identities(), func(id uint64) bool { return known[id] }) {
				return
			}
			origins, failed := r.stores.Origins.Origins(ctx, r.project.ID, []string{t.Group})
			if err = failed; len(origins) > 0 || strings.HasPrefix(t.Group, r.project.UUID+"/") {
				return
			}
			shown := t.Key
			if t.Group != "" {
				shown = canonical.Quote(t.Group)
			}
			err = errors.Join(err, r.report.lose(Lost{Origin: l.From, What: LostPart, Reason: "points to no entry of the content in " + t.Collection, Value: shown}))
		})
		return err
	})
}
