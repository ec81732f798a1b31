package e2e

import (
	"bytes"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"imprimatur/test/program"
)

// TestKeptMedia deletes a picture that only an earlier publication shows, and reads it until the
// publication expires.
func TestKeptMedia(t *testing.T) {
	t.Parallel()
	forEachEngine(t, func(t *testing.T, n *newsroom) {
		a := n.mustSend(t, "root", "POST", "/api/projects/{site}/tokens", `{"name":"archive","abilities":["read"],"allowHistory":true}`, 201)
		n.users.headers["token history"] = []string{"Authorization: Bearer " + decode[struct{ Secret string }](t, a).Secret}
		n.mustSend(t, "root", "POST", "/api/projects/{site}/collections/{siteArticles}/fields", `{"name":"cover","type":"media"}`, 201)
		library := "/public/v2/projects/" + n.uuid + "/media"
		picture := pngOf(400, 300)
		item := upload(t, n.base+library+"/upload", newForm().file("c.png", picture).text("caption", "The old bridge").end(), n.headers(t, "token full")...)
		n.ids["cover"] = item.ID

		n.createEntry(t, "story", `{"published":true,"fields":{"title":"With a picture","cover":{cover}}}`)
		n.approve(t, "story", 3)
		wantProblem(t, n.send(t, "token full", "DELETE", library+"/{cover}", ""), http.StatusConflict)
		n.mustSend(t, "editor", "PATCH", "{content}/{story}", `{"published":true,"fields":{"title":"Without","cover":null}}`, 200)
		n.approve(t, "story", 3)
		first := n.publications(t, "story").Data[1].PublishedAt
		n.mustSend(t, "editor", "PATCH", "{content}/{story}", `{"fields":{"cover":{cover}}}`, 200)
		n.mustSend(t, "token full", "DELETE", library+"/{cover}", "", 200)

		n.wantNoMedia(t, library)
		n.wantPast(t, "story", first, "With a picture", "The old bridge", item.FullURL, item.ThumbURL)
		for _, url := range []string{item.FullURL, item.ThumbURL, item.ThumbWebPURL, item.FullWebPURL} {
			if a := call(t, "GET", url, ""); a.status != 200 || url == item.FullURL && !bytes.Equal(a.body, picture) {
				t.Errorf("%s answers %d with %d bytes", url, a.status, len(a.body))
			}
		}
		if again := upload(t, n.base+library+"/upload", newForm().file("again.png", pngOf(401, 300)).end(), n.headers(t, "token full")...); again.ID == item.ID {
			t.Error("the id is used again")
		}

		for body, want := range map[string]int{
			`{"publicationDays":-1}`: 422, `{"publicationDays":36501}`: 422, `{"publicationDays":"1"}`: 422, `{"publicationDays":1}`: 200,
		} {
			if a := n.mustSend(t, "root", "PATCH", "/api/projects/{site}", body, want); !strings.Contains(string(a.body), "publicationDays") {
				t.Errorf("%s: %s", body, a.body)
			}
		}
		n.sweep(t)
		n.wantPast(t, "story", first, "The old bridge", item.FullURL)
		n.age(t, 400)
		first = first.AddDate(0, 0, -400)
		n.mustSend(t, "root", "PATCH", "/api/projects/{site}", `{"publicationDays":null}`, 200)
		n.sweep(t)
		n.wantPast(t, "story", first, "The old bridge", item.FullURL)
		n.mustSend(t, "root", "PATCH", "/api/projects/{site}", `{"publicationDays":366}`, 200)
		n.sweep(t)
		n.mustSend(t, "token history", "GET", "{public}/{story}?asOf="+asOf(first), "", 404)
		n.mustSend(t, "viewer", "GET", "{content}/{story}/publications/1", "", 404)
		for _, url := range []string{item.FullURL, item.ThumbURL, item.ThumbWebPURL, item.FullWebPURL} {
			if a := call(t, "GET", url, ""); a.status != 404 {
				t.Errorf("%s answers %d after the publication expired", url, a.status)
			}
		}
		if list := n.publications(t, "story"); len(list.Data) != 1 || list.Data[0].Number != 2 || list.Meta.Total != 1 {
			t.Errorf("publications after the sweep: %+v", list)
		}
		db := openDatabase(t, n.database)
		for _, table := range []string{"publication_media", "media WHERE removed_at IS NOT NULL"} {
			var rows int
			if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM "+table).Scan(&rows); err != nil || rows != 0 {
				t.Errorf("%d rows of %s are left, %v", rows, table, err)
			}
		}
		if out, diagnostics, err := program.Run(t, "", n.commands("check")...); err != nil {
			t.Errorf("check: %v: %s%s", err, out, diagnostics)
		}
	})
}

// wantNoMedia requires that the library has no items, and that the draft of the story shows none.
func (n *newsroom) wantNoMedia(t *testing.T, library string) {
	t.Helper()
	for user, path := range map[string]string{"token full": library, "editor": "/api/projects/{site}/media"} {
		n.mustSend(t, user, "GET", path+"/{cover}", "", 404)
		n.mustSend(t, user, "PATCH", path+"/{cover}", `{"caption":"x"}`, 404)
		n.mustSend(t, user, "DELETE", path+"/{cover}", "", 404)
		for _, query := range []string{"", "?search=bridge", "?type=image"} {
			if a := n.mustSend(t, user, "GET", path+query, "", 200); !strings.Contains(string(a.body), `"data":[]`) || !strings.Contains(string(a.body), `"total":0`) {
				t.Errorf("%s%s: %s", path, query, a.body)
			}
		}
	}
	n.mustSend(t, "editor", "GET", "/api/projects/{site}/media/{cover}/usage", "", 404)
	if a := n.mustSend(t, "editor", "GET", "{content}/{story}", "", 200); strings.Contains(string(a.body), "bridge") || strings.Contains(string(a.body), "c.png") {
		t.Errorf("the draft shows the deleted picture: %s", a.body)
	}
	a := n.mustSend(t, "token full", "PATCH", "{public}/{story}", `{"fields":{"cover":{cover}}}`, 422)
	if !strings.Contains(string(a.body), "no such media item") {
		t.Errorf("a write that names the deleted picture: %s", a.body)
	}
}

// commands returns the arguments of a command that uses the database and the files of n.
func (n *newsroom) commands(args ...string) []string {
	return append(args, "--database-url", n.database, "--blob-url", "file:"+filepath.Join(n.process.Dir, "var/blobs"))
}

func (n *newsroom) sweep(t *testing.T) {
	t.Helper()
	if _, diagnostics, err := program.Run(t, "", n.commands("media", "sweep")...); err != nil {
		t.Fatalf("media sweep: %v: %s", err, diagnostics)
	}
}

// age moves all publications into the past by the given number of days.
func (n *newsroom) age(t *testing.T, days int) {
	t.Helper()
	back := fmt.Sprint(int64(days) * (24 * time.Hour).Milliseconds())
	if _, err := openDatabase(t, n.database).ExecContext(t.Context(), "UPDATE publications SET published_at = published_at - "+back+
		", unpublished_at = unpublished_at - "+back+", since = since - "+back); err != nil {
		t.Fatal(err)
	}
}
