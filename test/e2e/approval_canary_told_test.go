package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// told collects what leaves the installation about drafts.
type told struct {
	deliveries string // path of the deliveries of the webhook
	mu         sync.Mutex
	messages   []string // with their headers
	mails      *mailServer
}

// tell adds a webhook for all events, whose receiver answers with the message.
func (n *newsroom) tell(t *testing.T, mails *mailServer) *told {
	t.Helper()
	all := told{mails: mails}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		all.mu.Lock()
		defer all.mu.Unlock()
		all.messages = append(all.messages, fmt.Sprint(r.URL, r.Header)+string(body))
		_, _ = w.Write(body)
	}))
	t.Cleanup(receiver.Close)
	a := n.mustSend(t, "chief", "POST", "/api/projects/{site}/webhooks", `{"name":"All","url":"`+receiver.URL+`","events":["*"]}`, 201)
	all.deliveries = fmt.Sprintf("/api/projects/{site}/webhooks/%d/deliveries", decode[hook](t, a).ID)
	return &all
}

// checkTold waits until every message and every mail is delivered. Neither messages nor the log of
// deliveries nor notices nor mails have a word of a draft; notices and mails have titles and comments.
func (n *newsroom) checkTold(t *testing.T, all *told) {
	t.Helper()
	n.process.Await(t, "all deliveries", func() bool {
		waiting := decode[struct{ Data []any }](t, n.mustSend(t, "chief", "GET", all.deliveries+"?status=waiting", "", 200))
		return len(waiting.Data) == 0
	})
	inNotices := []string{"canary-draft", "canary-code", "canary-note", "canary-password", "canary-withheld", "canary-edit-note", "canary-target", "canary-replacement"}
	check := func(what, text string, canaries ...string) {
		t.Helper()
		for _, canary := range canaries {
			if strings.Contains(text, canary) {
				t.Errorf("%s shows %q: %.600s", what, canary, text)
			}
		}
	}
	n.process.Await(t, "all mails", func() bool {
		metrics := string(call(t, "GET", n.ops+"/metrics", "").body)
		return strings.Contains(metrics, "imprimatur_mails_waiting 0") && strings.Contains(all.mails.text(), "canary-rejection")
	})
	all.mu.Lock()
	defer all.mu.Unlock()
	text := strings.Join(all.messages, "\n")
	check("a message", text, "canary", "withheld")
	if !strings.Contains(text, "request.submitted") || !strings.Contains(text, "request.rejected") || !strings.Contains(text, "comment.created") {
		t.Errorf("messages: %.600s", text)
	}
	check("the log of deliveries", string(n.mustSend(t, "chief", "GET", all.deliveries+"?limit=500", "", 200).body), "canary", "withheld")
	check("a mail", all.mails.text(), inNotices...)
	if !strings.Contains(all.mails.text(), "canary-pending") {
		t.Errorf("no mail has the title of a request: %.600s", all.mails.text())
	}
	seen := ""
	for _, user := range []string{"chief", "second", "head", "legal", "editor", "viewer", "tenantAdmin", "outsider", "root"} {
		for _, path := range []string{"/api/me/notices?perPage=100", "/api/me/notices?unread=true", "/api/me/notices/summary"} {
			a := n.send(t, user, "GET", path, "")
			check(user+" "+path, string(a.body), inNotices...)
			seen += string(a.body)
		}
	}
	for _, want := range []string{"canary-pending", "canary-rejection", "canary-remark"} {
		if !strings.Contains(seen, want) {
			t.Errorf("no notice has %s: %.600s", want, seen)
		}
	}
}
