package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestCanaries writes a distinctive text into every state that is not public, and searches
// for it in everything that is readable without a session.
func TestCanaries(t *testing.T) {
	t.Parallel()
	for _, engine := range engines {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			mails := startMailServer(t)
			n := newNewsroom(t, engine, mails.settings()...)
			before := n.publishVisible(t)
			tags := n.tags(t)
			told := n.tell(t, mails)
			canaries := n.hideCanaries(t)
			for path, tag := range tags {
				if a := n.send(t, "token read", "GET", path, "", "If-None-Match: "+tag); a.status != 304 {
					t.Errorf("%s has another ETag, though nothing public has changed: %s", path, a.body)
				}
			}
			n.crawl(t, canaries)
			n.guess(t, before)
			n.checkTold(t, told)
			n.checkLog(t)
		})
	}
}

// publishVisible publishes the entries that readers may see and returns their number.
func (n *newsroom) publishVisible(t *testing.T) int {
	t.Helper()
	for _, entry := range []string{"target", "holder", "edited", "gone"} {
		n.submit(t, entry, "Public "+entry)
		n.approve(t, entry, 3)
	}
	// A public entry that refers to an unpublished one.
	n.createEntry(t, "hidden", `{"fields":{"title":"Not yet"}}`)
	n.mustSend(t, "editor", "PATCH", "{content}/{holder}", `{"published":true,"fields":{"next":{hidden},"many":[{hidden},{target}],"note":"canary-withheld","pass":"canary-password"}}`, 200)
	n.approve(t, "holder", 3)
	n.mustSend(t, "editor", "DELETE", "{content}/{gone}", "", 204)
	return 3
}

// tags returns the ETags of public reads by path.
func (n *newsroom) tags(t *testing.T) map[string]string {
	t.Helper()
	tags := map[string]string{}
	for _, path := range []string{"{public}?count=true", "{public}?locale=*&timestamps=true", "{public}/{edited}?timestamps=true", "{public}/{holder}", "{public}?where[title][like]=canary&count=true", "/public/v2/projects/" + n.uuid + "/collections"} {
		a := n.mustSend(t, "token read", "GET", path, "", 200)
		tags[path] = a.header.Get("ETag")
	}
	return tags
}

// hideCanaries puts a canary into each state that is not public.
func (n *newsroom) hideCanaries(t *testing.T) []string {
	t.Helper()
	n.createEntry(t, "draft", `{"fields":{"title":"canary-draft","code":"canary-code","note":"canary-note"}}`)
	n.createEntry(t, "german", `{"locale":"de","translationOf":{target},"published":true,"fields":{"title":"canary-translation"}}`)
	n.mustSend(t, "editor", "PATCH", "{content}/{hidden}", `{"fields":{"title":"canary-target"}}`, 200)
	n.mustSend(t, "editor", "PATCH", "{content}/{edited}", `{"published":true,"fields":{"title":"canary-edit-submitted","note":"canary-edit-note"}}`, 200)
	n.mustSend(t, "editor", "PATCH", "{content}/{edited}", `{"fields":{"title":"canary-edit-later"}}`, 200)
	n.mustSend(t, "editor", "PATCH", "{content}/{gone}", `{"fields":{"title":"x"}}`, 404)
	for state, end := range map[string]func(entry string){
		"pending": func(entry string) {
			n.mustSend(t, "chief", "POST", "{content}/{"+entry+"}/approval/comments",
				`{"text":"canary-remark","field":"title","quote":{"text":"canary-pend","occurrence":1},"replace":"canary-replacement"}`, 201)
		},
		"desk":     func(entry string) { n.approve(t, entry, 1) },
		"legal":    func(entry string) { n.approve(t, entry, 2) },
		"rejected": func(entry string) { n.decide(t, "chief", entry, "reject", `{"comment":"canary-rejection"}`, 200) },
		"revision": func(entry string) {
			n.decide(t, "chief", entry, "request-revision", `{"comment":"canary-revision"}`, 200)
		},
		"withdrawn": func(entry string) { n.mustSend(t, "editor", "POST", "{content}/{"+entry+"}/unpublish", "", 200) },
		"scheduled": func(entry string) {
			n.mustSend(t, "editor", "PUT", "{content}/{"+entry+"}/approval/schedule", later, 200)
			n.approve(t, entry, 3)
		},
		"trashed": func(entry string) { n.mustSend(t, "editor", "DELETE", "{content}/{"+entry+"}", "", 204) },
		"destroyed": func(entry string) {
			n.mustSend(t, "editor", "DELETE", "{content}/{"+entry+"}", "", 204)
			n.mustSend(t, "chief", "DELETE", "{content}/{"+entry+"}/permanent", "", 204)
		},
	} {
		entry := "c" + state
		n.submit(t, entry, "canary-"+state)
		end(entry)
	}
	return []string{"canary-", "CR-20", "withheld", `"note":`, `"pass":`} // release numbers are internal
}

// crawl requests everything that is readable without a session and searches it for canaries.
func (n *newsroom) crawl(t *testing.T, canaries []string) {
	t.Helper()
	check := func(what string, a response) {
		t.Helper()
		text := string(a.body) + fmt.Sprint(a.header)
		for _, canary := range canaries {
			if strings.Contains(text, canary) {
				t.Errorf("%s shows %q: %.600s", what, canary, text)
			}
		}
	}
	var paths []string
	for _, query := range []string{
		"", "&locale=*", "&locale=de", "&locale=en", "&timestamps=true", "&sort=title", "&sort=title:desc", "&sort=code", "&sort=updatedAt:desc", "&sort=publishedAt", "&sort=next.title",
		"&state=published", "&state=only_draft", "&state=with_draft", "&offset=1", "&where[next][not_null]", "&where[many][not_null]", "&where[next.title][not_null]",
		"&where[title][not]=x", "&where[code][null]", "&where[code][not_null]", "&where[note]=x", "&where[nothing]=x", "&sort=note", "&sort=pass", "&or[0][title][not_null]&or[1][code][not_null]",
		"&alternates=true", "&alternates=true&locale=*&fields=title", "&where[next.next.title][not_null]", "&where[next.next.title][null]", "&where[next.next.note]=x",
	} {
		paths = append(paths, "{public}?limit=500&count=true"+query)
	}
	for _, by := range []string{"title", "code", "note", "pass", "next", "many", "publishedAt:month", "title&locale=*", "next&locale=*", "many&where[title][not]=x"} {
		paths = append(paths, "{public}/counts?by="+by)
	}
	for _, id := range n.ids {
		paths = append(paths, fmt.Sprintf("{public}/%d", id), fmt.Sprintf("{public}/%d?timestamps=true", id),
			fmt.Sprintf("{public}/%d?alternates=true&locale=de", id), fmt.Sprintf("{public}/%d/referrers", id), fmt.Sprintf("{public}/%d?referrers=articles.next:20,articles.many", id), fmt.Sprintf("{public}?where[_group]=%d&locale=*&alternates=true&count=true", id))
	}
	for _, path := range append(paths,
		"/public/v2/projects/"+n.uuid, "/public/v2/projects/"+n.uuid+"/collections/articles/former", "/public/v2/projects/"+n.uuid+"/collections/articles/former?slug=canary-draft",
		"/public/v2/projects/"+n.uuid+"/collections", "/public/v2/projects/"+n.uuid+"/collections/articles", "/public/v2/projects/"+n.uuid+"/media?search=canary",
	) {
		for _, user := range []string{"token read", ""} {
			for _, method := range []string{"GET", "HEAD"} {
				check(user+" "+method+" "+path, n.send(t, user, method, path, ""))
			}
		}
	}
	for _, path := range []string{"/openapi.json", "/docs", "/files/x", "/files/" + n.uuid, "/api/approvals/pending", "/api/approvals/failed", "/api/session"} {
		a := call(t, "GET", n.base+path, "")
		if path != "/openapi.json" { // its example contains a release number
			check(path, a)
		}
	}
	for _, path := range []string{"/metrics", "/readyz", "/livez"} {
		check(path, call(t, "GET", n.ops+path, ""))
	}
	const whole = `{ collections { slug name description fields { name label type } }
		entries(collection: "articles", locale: "%s", limit: 500, timestamps: true, sort: "%s") { totalCount items { id locale createdAt updatedAt publishedAt data } } }`
	for _, locale := range []string{"*", "en", "de"} {
		for _, sort := range []string{"title", "title:desc", "code", "id:desc", "updatedAt:desc"} {
			check("GraphQL in "+locale+" by "+sort, n.query(t, fmt.Sprintf(whole, locale, sort)))
		}
	}
	for name, id := range n.ids {
		check("GraphQL entry "+name, n.query(t, fmt.Sprintf(`{ entry(collection: "articles", id: %d) { id data } media(id: %d) { id fileName } }`, id, id)))
	}
	for _, state := range []string{"only_draft", "with_draft"} {
		a := n.query(t, `{ entries(collection: "articles", state: "`+state+`") { totalCount items { id data } } }`)
		if r := readReply(t, a); r.code() != "FORBIDDEN" {
			t.Errorf("GraphQL with state %s answered %s", state, a.body)
		}
		check("GraphQL with state "+state, a)
	}
	check("the schema", n.query(t, `{ __schema { types { name description fields { name description } } } }`))
	check("the log of the public requests", response{body: []byte(n.process.Output())})
}

// guess sends filters whose result would reveal content that is not public.
func (n *newsroom) guess(t *testing.T, public int) {
	t.Helper()
	total := func(query string) int {
		t.Helper()
		found := decode[list](t, n.mustSend(t, "token read", "GET", "{public}?count=true&"+query, "", 200))
		if len(found.Data) > found.Meta.Total {
			t.Errorf("%s: %d entries of %d", query, len(found.Data), found.Meta.Total)
		}
		return found.Meta.Total
	}
	if all := total("locale=*"); all != public {
		t.Errorf("%d entries are counted, want %d", all, public)
	}
	for _, question := range []string{
		param("where[title][like]", "canary"), param("where[title]", "canary-draft"), param("where[title][gte]", "canary") + "&" + param("where[title][lt]", "canarz"),
		param("where[title][in]", "canary-pending,canary-trashed"), param("where[code]", "canary-code"), param("where[next.title][like]", "canary"), param("where[many.title][like]", "canary"),
		param("or[0][title][like]", "canary") + "&" + param("or[1][next.title][like]", "canary"), param("where[title]", "canary-translation") + "&locale=de",
	} {
		if found := total(question); found != 0 {
			t.Errorf("%s finds %d", question, found)
		}
	}
	for _, question := range []string{param("where[title][not]", "canary-draft"), param("where[code][not]", "canary-code"), param("where[title][not_in]", "canary-pending,canary-trashed"), param("where[title][gt]", "canary")} {
		if found := total(question + "&locale=*"); found != public {
			t.Errorf("%s finds %d, want %d", question, found, public)
		}
	}
	for _, where := range []string{`{field:"title",op:"like",value:"canary"}`, `{field:"title",value:"canary-legal"}`, `{field:"next.title",op:"like",value:"canary"}`, `{field:"code",value:"canary-code"}`} {
		a := n.query(t, `{ entries(collection: "articles", locale: "*", where: [`+where+`]) { totalCount items { id } } }`)
		if string(a.body) != `{"data":{"entries":{"totalCount":0,"items":[]}}}` {
			t.Errorf("GraphQL where %s: %s", where, a.body)
		}
	}
}

// query sends a GraphQL query with the token that may only read.
func (n *newsroom) query(t *testing.T, query string) response {
	t.Helper()
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	a := call(t, "POST", n.base+"/public/v2/graphql", string(body), n.headers(t, "token read")...)
	if a.status >= 500 {
		t.Errorf("%.200s answered %d: %s", query, a.status, a.body)
	}
	return a
}
