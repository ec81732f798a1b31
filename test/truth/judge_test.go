package truth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// The largest difference between the time of a change and the time at which readers saw it.
const (
	forWrites  = 50 * time.Millisecond
	forImports = 200 * time.Millisecond // and for the versions that a workflow seals
)

// publication is one record of the history of an entry.
type publication struct {
	Number        int
	ContentHash   string
	PublishedAt   time.Time
	UnpublishedAt *time.Time
	By            struct{ Kind string }
	RequestID     *int

	fields, media map[string]any
	sealed        bool
}

func (p *publication) key() string { return p.PublishedAt.UTC().Format("2006-01-02T15:04:05.000Z") }

// verdict counts what was compared.
type verdict struct {
	publications, proofs, polls, sights, past, files atomic.Int64
}

// history is the history of all entries of a project.
type history map[int][]publication // oldest first

// judge compares the histories with the polls.
func (w *world) judge() {
	w.t.Helper()
	var v verdict
	longest := time.Duration(0)
	histories := map[*project]history{}
	for _, p := range []*project{w.site, w.agency} {
		histories[p] = w.readHistory(p, &v)
	}
	slowdown, _ := w.slowdown(time.Time{}, time.Now())
	for _, d := range w.doors {
		longest = max(longest, w.judgeDoor(d, histories[d.project], &v))
		w.judgeSights(d, histories[d.project], &v)
	}
	w.judgeFiles(histories[w.site], &v)
	w.t.Logf("%d differences: %d changes (%d refused), %d publications, %d proofs, %d polls of versions, %d forms of versions, %d reads of the past, %d files; machine at %.1f times its shortest; readers saw changes at most %s after their time",
		w.faults.Load(), w.made.Load(), w.refused.Load(), v.publications.Load(), v.proofs.Load(), v.polls.Load(), v.sights.Load(), v.past.Load(), v.files.Load(), slowdown, longest)
	var releases struct{ Meta struct{ Total int } }
	w.get(w.site.path("/releases?state=published&perPage=1"), &releases)
	w.t.Logf("%d releases were published", releases.Meta.Total)
	if releases.Meta.Total == 0 || v.publications.Load() == 0 || v.polls.Load() == 0 || v.past.Load() == 0 || v.files.Load() == 0 {
		w.t.Error("nothing was compared")
	}
}

// get reads JSON as the super admin, or as the token of header.
func (w *world) get(path string, into any, header ...string) int {
	if header == nil {
		header = w.root
	}
	a, err := w.call(context.Background(), http.MethodGet, w.bases[0]+path, "", header...)
	if err == nil && a.status == http.StatusOK {
		err = json.Unmarshal(a.body, into)
	}
	if err != nil || a.status != http.StatusOK && a.status != http.StatusNotFound {
		w.t.Errorf("%s: %v, %d: %s", path, err, a.status, a.body)
	}
	return a.status
}

// fault reports a difference. It prints only some of very many.
func (w *world) fault(format string, args ...any) {
	if w.faults.Add(1) <= 25 {
		w.t.Errorf(format, args...)
	}
}

// each calls do for each element with a few goroutines.
func each[T any](list []T, do func(T)) {
	var group sync.WaitGroup
	next := make(chan T)
	for range 4 {
		group.Go(func() {
			for one := range next {
				do(one)
			}
		})
	}
	for _, one := range list {
		next <- one
	}
	close(next)
	group.Wait()
}

// readHistory reads the publications and proofs of all entries, and checks that they are consistent.
func (w *world) readHistory(p *project, v *verdict) history {
	var ids []int
	for _, d := range w.doors {
		if d.project == p {
			for id := range d.runs {
				ids = append(ids, id)
			}
		}
	}
	if p == w.site {
		ids = append(ids, w.entries...)
	}
	slices.Sort(ids)
	all, mutex := history{}, sync.Mutex{}
	each(slices.Compact(ids), func(id int) {
		list := w.readPublications(p, id)
		for i := range list {
			v.publications.Add(1)
			w.readPublication(p, id, &list[i], v)
			if i == 0 {
				continue
			}
			before := &list[i-1]
			if before.UnpublishedAt == nil || before.UnpublishedAt.After(list[i].PublishedAt) || !before.PublishedAt.Before(*before.UnpublishedAt) || before.Number+1 != list[i].Number {
				w.fault("entry %d: publication %d is from %v to %v, the next from %v", id, before.Number, before.PublishedAt, before.UnpublishedAt, list[i].PublishedAt)
			}
		}
		mutex.Lock()
		defer mutex.Unlock()
		all[id] = list
	})
	return all
}

// readPublications returns the publications of an entry, oldest first.
func (w *world) readPublications(p *project, id int) (list []publication) {
	for page, more := 1, true; more; page++ {
		var found struct {
			Data []publication
			Meta struct{ HasMore bool }
		}
		if w.get(p.content(id, fmt.Sprintf("/publications?perPage=100&page=%d", page)), &found) != http.StatusOK {
			break
		}
		list, more = append(list, found.Data...), found.Meta.HasMore
	}
	slices.Reverse(list)
	return list
}

// readPublication reads the content and the proof of a publication.
func (w *world) readPublication(p *project, id int, of *publication, v *verdict) {
	path := p.content(id, fmt.Sprintf("/publications/%d", of.Number))
	var content struct{ Fields, Media map[string]any }
	w.get(path, &content)
	of.fields, of.media = content.Fields, content.Media
	for _, item := range content.Media {
		_, of.sealed = item.(map[string]any)["hash"]
	}
	var proof struct {
		Content, ContentHash string
		Publication          struct{ PublishedAt time.Time }
		Request              *struct {
			Actions []struct {
				Type      string
				CreatedAt time.Time
			}
		}
	}
	if w.get(path+"/proof", &proof) != http.StatusOK {
		w.fault("%s has no proof", path)
		return
	}
	v.proofs.Add(1)
	var proved struct{ Fields, Media map[string]any }
	sum := sha256.Sum256([]byte(proof.Content))
	if err := json.Unmarshal([]byte(proof.Content), &proved); err != nil || hex.EncodeToString(sum[:]) != of.ContentHash || proof.ContentHash != of.ContentHash ||
		!reflect.DeepEqual(proved.Fields, content.Fields) || of.sealed && !reflect.DeepEqual(proved.Media, content.Media) || !of.sealed && proved.Media != nil {
		w.fault("%s/proof: %v: %s\nbut the publication has %v, %v", path, err, proof.Content, content.Fields, content.Media)
	}
	if !proof.Publication.PublishedAt.Equal(of.PublishedAt) || (proof.Request == nil) != (of.RequestID == nil) {
		w.fault("%s/proof is of another publication: %+v", path, proof)
	}
	if proof.Request != nil {
		if last := proof.Request.Actions[len(proof.Request.Actions)-1]; last.Type != "publish" || !last.CreatedAt.Equal(of.PublishedAt) {
			w.fault("%s: published at %v, but by its record at %v (%s)", path, of.PublishedAt, last.CreatedAt, last.Type)
		}
	}
}

// slowdown returns how much longer than usual the machine took between two times, at least 1, and
// its longest stall.
func (w *world) slowdown(from, to time.Time) (factor float64, stall time.Duration) {
	var sum time.Duration
	n := 0
	first := sort.Search(len(w.load), func(i int) bool { return w.load[i].at.Add(w.load[i].took).After(from) })
	for ; first < len(w.load) && w.load[first].at.Before(to); first++ {
		sum, n = sum+w.load[first].took, n+1
		stall = max(stall, w.load[first].took-w.shortest())
	}
	if n == 0 {
		return 1, 0
	}
	return max(1, float64(sum)/float64(n)/float64(w.shortest())), stall
}

// shortest returns the duration of a quick sample.
func (w *world) shortest() time.Duration {
	if w.quick == 0 {
		var took []time.Duration
		for _, s := range w.load {
			took = append(took, s.took)
		}
		slices.Sort(took)
		w.quick = took[len(took)/20]
	}
	return w.quick
}

// tolerance returns how long after the time of a change of an entry readers of d may see the state
// before it. On a loaded machine it is longer: by the measured load, and for a write that was slow, until
// its response.
func (w *world) tolerance(d *door, entry int, at time.Time, by string) time.Duration {
	limit := forWrites
	if by == "system" {
		limit = forImports
	}
	factor, stall := w.slowdown(at.Add(-limit), at.Add(2*limit))
	// The samples of the load see one of the processors: half as much more is allowed for what waits for the other.
	allowed := time.Duration(float64(limit)*factor*1.5) + stall
	if d.project == w.site {
		for _, write := range slices.Concat(w.writes[entry], w.writes[0]) {
			if !write.began.After(at.Add(time.Millisecond)) && write.ended.After(at) {
				allowed = max(allowed, write.ended.Sub(at))
			}
		}
	}
	return d.stale + allowed
}

// judgeDoor checks each poll of each entry against the history. It returns the longest time after a
// change at which readers without a cache saw the state before it.
func (w *world) judgeDoor(d *door, all history, v *verdict) (longest time.Duration) {
	for id, list := range all {
		byKey := map[string]int{}
		for i := range list {
			byKey[list[i].key()] = i
		}
		for _, r := range d.runs[id] {
			i, found := byKey[r.updatedAt]
			if !found {
				w.fault("%s showed entry %d as of %s, which is no publication", d.name, id, r.updatedAt)
				continue
			}
			v.polls.Add(int64(r.last - r.first + 1))
			p := &list[i]
			if early := p.PublishedAt.Sub(d.polls[r.first].ended); early > time.Millisecond {
				w.fault("%s showed publication %d of entry %d %s before its time", d.name, p.Number, id, early)
			}
			if p.UnpublishedAt == nil {
				continue
			}
			end, by := *p.UnpublishedAt, ""
			if i+1 < len(list) && list[i+1].PublishedAt.Equal(end) {
				by = list[i+1].By.Kind
			}
			late := d.polls[r.last].began.Sub(end)
			if d.stale == 0 {
				longest = max(longest, late)
			}
			if limit := w.tolerance(d, id, end, by); late > limit {
				w.fault("%s showed publication %d of entry %d until %s after its end at %v by %q (limit %s)", d.name, p.Number, id, late, end, by, limit)
			}
		}
		for i := range list {
			w.judgeGaps(d, id, &list[i])
		}
	}
	return longest
}

// judgeGaps checks that all polls during a publication saw it.
func (w *world) judgeGaps(d *door, id int, p *publication) {
	from := p.PublishedAt.Add(w.tolerance(d, id, p.PublishedAt, p.By.Kind))
	first := sort.Search(len(d.polls), func(n int) bool { return d.polls[n].began.After(from) })
	for n := first; n < len(d.polls); n++ {
		if p.UnpublishedAt != nil && !d.polls[n].ended.Before(*p.UnpublishedAt) {
			return
		}
		covers := slices.IndexFunc(d.runs[id], func(r run) bool { return r.updatedAt == p.key() && r.first <= n && n <= r.last })
		if covers < 0 {
			w.fault("%s did not show publication %d of entry %d at %v, %s after its begin by %q", d.name, p.Number, id, d.polls[n].began, d.polls[n].began.Sub(p.PublishedAt), p.By.Kind)
			return
		}
		n = d.runs[id][covers].last
	}
}

// judgeSights compares the content of each version that was polled with its publication, and with
// what readers get as of the time of the poll.
func (w *world) judgeSights(d *door, all history, v *verdict) {
	type form struct {
		version
		sight
	}
	var forms []form
	for shown, sights := range d.shown {
		for _, s := range sights {
			forms = append(forms, form{shown, s})
		}
	}
	each(forms, func(f form) {
		list := all[f.entry]
		i := slices.IndexFunc(list, func(p publication) bool { return p.key() == f.updatedAt })
		if i < 0 {
			return // reported by judgeDoor
		}
		v.sights.Add(1)
		p := &list[i]
		var polled, past map[string]any
		if err := json.Unmarshal([]byte(f.json), &polled); err != nil {
			w.t.Error(err)
			return
		}
		w.judgeContent(d, f.entry, p, polled)
		at := f.at.began.Add(f.at.ended.Sub(f.at.began) / 2)
		if at.Before(p.PublishedAt) {
			at = p.PublishedAt
		}
		if p.UnpublishedAt != nil && !at.Before(*p.UnpublishedAt) {
			at = p.UnpublishedAt.Add(-time.Millisecond)
		}
		status := w.get(fmt.Sprintf("%s/%d?timestamps=true&asOf=%s", d.project.public(), f.entry, url.QueryEscape(at.UTC().Format("2006-01-02T15:04:05.000Z"))), &past, d.project.history...)
		v.past.Add(1)
		related := past["related"]
		if w.reduce(polled, p.sealed || p.RequestID != nil); status != http.StatusOK || !sameEntry(polled, past) {
			text, _ := json.Marshal(past)
			w.fault("%s showed publication %d of entry %d as %s\nasOf=%v answers %d: %s", d.name, p.Number, f.entry, f.json, at, status, text)
		}
		w.judgeRelated(f.entry, related, all, at)
	})
}

// judgeContent compares a polled entry with the record of its publication.
func (w *world) judgeContent(d *door, id int, p *publication, polled map[string]any) {
	fault := polled["title"] != p.fields["title"] || !reflect.DeepEqual(polled["code"], p.fields["code"])
	for _, item := range mediaOf(polled) {
		sealed, _ := p.media[number(item["id"])].(map[string]any)
		fault = fault || sealed == nil || p.sealed && (caption(item) != caption(sealed) || item["fileName"] != sealed["fileName"]) ||
			!p.sealed && !reflect.DeepEqual(sealed, map[string]any{"id": item["id"]})
	}
	if fault {
		w.fault("%s showed publication %d of entry %d as %v\nits record has %v, %v", d.name, p.Number, id, polled, p.fields, p.media)
	}
}

// caption returns the caption of an item: readers see null for none.
func caption(item map[string]any) string {
	text, _ := item["caption"].(string)
	return text
}

// judgeRelated checks that an entry of the past shows the related entries that were public then.
func (w *world) judgeRelated(id int, related any, all history, at time.Time) {
	list, _ := related.([]any)
	for _, one := range list {
		target, _ := one.(map[string]any)
		n, _ := strconv.Atoi(number(target["id"]))
		i := slices.IndexFunc(all[n], func(p publication) bool { return p.key() == target["updatedAt"] })
		if i < 0 || at.Before(all[n][i].PublishedAt) || all[n][i].UnpublishedAt != nil && !at.Before(*all[n][i].UnpublishedAt) {
			w.fault("entry %d as of %v shows entry %d of %v, which was not public", id, at, n, target["updatedAt"])
		}
	}
}

// mediaOf returns the media of an entry.
func mediaOf(entry map[string]any) (items []map[string]any) {
	shots, _ := entry["shots"].([]any)
	all := append(slices.Clone(shots), entry["cover"])
	for _, part := range partsOf(entry) {
		all = append(all, part["cover"])
	}
	for _, item := range all {
		if item, ok := item.(map[string]any); ok {
			items = append(items, item)
		}
	}
	return items
}

// partsOf returns the items of the field parts of an entry.
func partsOf(entry map[string]any) (parts []map[string]any) {
	list, _ := entry["parts"].([]any)
	for _, part := range list {
		parts = append(parts, part.(map[string]any))
	}
	return parts
}

// reduce leaves only the ids of media that are not sealed.
func (w *world) reduce(entry map[string]any, sealed bool) {
	if sealed {
		return
	}
	for _, item := range mediaOf(entry) {
		for name := range item {
			if name != "id" {
				delete(item, name)
			}
		}
	}
}

// sameEntry reports whether two reads of a version are equal. Related entries have versions of their
// own. Media that are not sealed may have left the library since.
func sameEntry(polled, past map[string]any) bool {
	for name := range polled {
		switch {
		case name == "related":
		case name == "parts":
			if !slices.EqualFunc(partsOf(polled), partsOf(past), sameEntry) {
				return false
			}
		case name == "cover" && polled[name] == nil && past[name] != nil:
			item, _ := past[name].(map[string]any)
			if len(item) != 1 {
				return false
			}
		case name == "shots":
			if !containsAll(past[name], polled[name]) {
				return false
			}
		case !reflect.DeepEqual(polled[name], past[name]):
			return false
		}
	}
	return len(polled) == len(past)
}

// containsAll reports whether a list has all elements of another, and else only the ids of media.
func containsAll(list, other any) bool {
	all, _ := list.([]any)
	some, _ := other.([]any)
	for _, item := range all {
		if m, _ := item.(map[string]any); len(m) == 1 {
			continue
		}
		if !slices.ContainsFunc(some, func(o any) bool { return reflect.DeepEqual(o, item) }) {
			return false
		}
	}
	return !slices.ContainsFunc(some, func(o any) bool {
		return !slices.ContainsFunc(all, func(item any) bool { return reflect.DeepEqual(o, item) })
	})
}

func number(n any) string {
	f, _ := n.(float64)
	return strconv.Itoa(int(f))
}

// judgeFiles checks that the files of sealed media were there, and had the bytes that were uploaded.
func (w *world) judgeFiles(all history, v *verdict) {
	for _, f := range w.fetches {
		list := all[f.version.entry]
		i := slices.IndexFunc(list, func(p publication) bool { return p.key() == f.version.updatedAt })
		if i < 0 {
			w.fault("entry %d was read as of %s, which is no publication", f.version.entry, f.version.updatedAt)
			continue
		}
		v.files.Add(1)
		switch {
		case f.status == http.StatusOK && f.bytes != w.bytes[f.medium]:
			w.fault("medium %d of entry %d has the bytes %q, want %q", f.medium, f.version.entry, f.bytes, w.bytes[f.medium])
		case f.status != http.StatusOK && list[i].sealed:
			w.fault("medium %d of publication %d of entry %d, which is sealed, answered %d", f.medium, list[i].Number, f.version.entry, f.status)
		}
	}
}
