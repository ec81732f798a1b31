package rest

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"imprimatur/adapters/httpx"
	"imprimatur/adapters/rest/internal/endpoint"
	"imprimatur/adapters/wire"
	"imprimatur/core/access"
	"imprimatur/core/canonical"
	"imprimatur/core/live"
	"imprimatur/core/reading"
)

const (
	// liveLife is the mean time after which a connection ends, so that connections move between processes.
	liveLife = 15 * time.Minute
	// liveSpread is the part of it by which connections differ, so that they do not come back together.
	liveSpread = 0.2
	// heartbeat is the longest time in which a connection has no byte: proxies close silent ones.
	heartbeat = 20 * time.Second
	// cursorHeader has the id of the last event that a client got.
	cursorHeader = "Last-Event-ID"
	eventStream  = "text/event-stream"
)

// liveExample is a stream of events.
const liveExample = `event: hello
id: AVd2J1l9aHfhkKoG
retry: 3127
data: {}

id: AVd2J1l9aHfhkKoH
data: {"items":[{"op":"put","id":42,"group":41,"collection":"articles","locale":"en"}],"more":false}

event: bye
data: {"reason":"age"}

`

func (a *API) registerLive() {
	endpoint.Register[endpoint.None, wire.Events](a.set, endpoint.Operation{
		Method: http.MethodGet, Path: projectsBase + "/{projectUuid}/changes/live", ID: "listenToChanges", Tag: "Public content", Action: access.ReadPublicOnly,
		Streams: true, Example: liveExample,
		Title: "Hear of changes at once",
		About: "Server-sent events that name what changes, without content: read that from changes. The id of each is a cursor of changes without collection and locale. `hello` comes first. " +
			"Events without a name have `items`, at most 32, each with `op`, `id`, `group`, `collection` and `locale` as in changes; `more` is true if more has changed; `tags`, if the installation has cache tags, are those of the responses that are outdated. " +
			"`reset` is such an event after which copies of the collection in an item with the op reset, or of everything, must be read again. `bye` says why the connection ends: `age`, `token`, `project` or `stopping`. " +
			"At most one event comes per second; a comment keeps the connection open every 20 s; it ends after about 15 minutes. A client that connects again with the header `Last-Event-ID`, or since, gets what it missed. " +
			"The status is 429 if 1,000 connections listen to the Project already, and 503 if the process has no room for another.",
		Query: []*endpoint.QueryParam{liveSinceParam},
	}, a.listen)
}

var liveSinceParam = endpoint.TextParam("since", "A cursor of changes, without collection and locale. Omitted means from now. The header `Last-Event-ID` takes precedence.", "AVd2J1l9aHfhkKoG")

// listen writes events until the connection ends.
func (a *API) listen(c *endpoint.Call, _ endpoint.None) error {
	since, given := c.Params[liveSinceParam.Name]
	if last := c.Request.Header.Get(cursorHeader); last != "" {
		since = last
	} else if given && since == "" {
		return endpoint.BadParameter(liveSinceParam.Name, "is empty")
	}
	if c.Request.Method == http.MethodHead {
		a.beginEvents(c)
		return nil
	}
	l, err := a.Live.Listen(c.Context(), c.Project(), since, credentialOf(c))
	if err != nil {
		return err
	}
	defer l.Close()
	a.beginEvents(c)
	httpx.LendConnection(c.Context())
	s := eventWriter{API: a, call: c, listener: l, control: http.NewResponseController(c.Writer)}
	_ = s.control.SetReadDeadline(time.Time{}) // the request was read; a test has no connection
	s.serve(c.Context())
	return nil
}

// credentialOf returns the credential of a call for a Hub.
func credentialOf(c *endpoint.Call) live.Credential {
	credential := live.Credential{Check: c.Recheck}
	if token := c.Actor.Token; token != nil {
		credential.Key, credential.Expires = "token "+strconv.FormatInt(token.ID, 10), token.ExpiresAt
	} else {
		credential.Key, credential.Expires = "assistant "+strconv.FormatInt(c.Actor.Assistant.ID, 10), c.Actor.Assistant.ExpiresAt
	}
	return credential
}

// beginEvents writes the header of a stream of events.
func (a *API) beginEvents(c *endpoint.Call) {
	h := c.Writer.Header()
	h.Set("Content-Type", eventStream)
	h.Set("Cache-Control", "no-store")
	h.Set("Vary", "Authorization, Origin")
	h.Set("X-Accel-Buffering", "no")
	h.Set("Connection", "close") // it has no slot for another request
	c.Writer.WriteHeader(http.StatusOK)
}

// eventWriter writes the events of one listener.
type eventWriter struct {
	*API

	call     *endpoint.Call
	listener *live.Listener
	control  *http.ResponseController
	wrote    time.Time // the last byte
	told     time.Time // the last event
}

// serve writes events until the listener or ctx ends, or a write fails.
func (s *eventWriter) serve(ctx context.Context) {
	end, reason := time.Now().Add(s.lifetime()), "age"
	if expires := s.listener.Expires(); !expires.IsZero() && expires.Before(end) {
		end, reason = expires, string(live.EndToken)
	}
	const earliest, spread = 1000, 4000                                                                                                // milliseconds after which a browser connects again
	hello := []byte("event: hello\nid: " + s.listener.Cursor + "\nretry: " + strconv.Itoa(earliest+rand.N(spread)) + "\ndata: {}\n\n") //nolint:gosec // no secret
	if s.write(hello) != nil {
		return
	}
	s.told = s.wrote
	timer := time.NewTimer(heartbeat)
	defer timer.Stop()
	waiting := false // the listener has a message
	for {
		now := time.Now()
		switch {
		case !now.Before(end):
			_ = s.bye(reason)
			return
		case waiting && now.Sub(s.told) >= live.Pace:
			waiting = false
			if s.tell() != nil {
				return
			}
		case now.Sub(s.wrote) >= heartbeat:
			if s.write([]byte(":\n\n")) != nil {
				return
			}
		}
		next := s.wrote.Add(heartbeat)
		if waiting {
			next = s.told.Add(live.Pace)
		}
		if end.Before(next) {
			next = end
		}
		timer.Reset(time.Until(next))
		select {
		case <-ctx.Done():
			return
		case <-s.listener.Ended():
			_ = s.bye(string(s.listener.Reason()))
			return
		case <-s.listener.Ready():
			waiting = true
		case <-timer.C:
		}
	}
}

// lifetime returns a random time around the mean.
func (s *eventWriter) lifetime() time.Duration {
	mean := s.LiveLife
	if mean == 0 {
		mean = liveLife
	}
	return time.Duration(float64(mean) * (1 - liveSpread + 2*liveSpread*rand.Float64())) //nolint:gosec // no secret
}

func (s *eventWriter) bye(reason string) error {
	return s.write([]byte("event: bye\ndata: {\"reason\":\"" + reason + "\"}\n\n"))
}

// tell writes the message that the listener has, if any.
func (s *eventWriter) tell() error {
	m, ok := s.listener.Take()
	if !ok {
		return nil
	}
	err := s.write(s.appendMessage(nil, s.call.Project().ID, m))
	s.told = s.wrote
	return err
}

func (s *eventWriter) write(b []byte) error {
	if _, err := s.call.Writer.Write(b); err != nil {
		return err
	}
	s.wrote = time.Now()
	return s.control.Flush()
}

// appendMessage appends a message as an event.
func (a *API) appendMessage(b []byte, projectID int64, m live.Message) []byte {
	if m.Reset {
		b = append(b, "event: reset\n"...)
	}
	b = append(append(append(b, "id: "...), m.Cursor...), "\ndata: {\"items\":["...)
	for i := range m.Items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendName(b, &m.Items[i])
	}
	b = append(b, ']')
	if tags := a.tagsOfMessage(projectID, m); len(tags) > 0 {
		b = append(append(append(b, `,"tags":["`...), strings.Join(tags, `","`)...), `"]`...)
	}
	return append(strconv.AppendBool(append(b, `,"more":`...), m.More), "}\n\n"...)
}

// appendName appends a change without content.
func appendName(b []byte, c *reading.PublicChange) []byte {
	b = append(append(append(b, `{"op":"`...), c.Op...), '"')
	for _, n := range []struct {
		name  string
		value int64
	}{{"id", c.ID}, {"group", c.Group}} {
		if n.value != 0 {
			b = strconv.AppendInt(append(append(append(b, `,"`...), n.name...), `":`...), n.value, 10)
		}
	}
	for _, n := range []struct{ name, value string }{{"collection", c.Collection}, {"locale", c.Locale}} {
		if n.value != "" {
			b = canonical.AppendQuote(append(append(append(b, `,"`...), n.name...), `":`...), n.value)
		}
	}
	return append(b, '}')
}

// tagsOfMessage returns the tags of the responses that the changes outdate; nil if tags are off. What is not named outdates all.
func (a *API) tagsOfMessage(projectID int64, m live.Message) (tags []string) {
	if m.More || m.Reset {
		return a.Tags.Definition(projectID)
	}
	for i := range m.Items {
		tags = append(tags, a.tagsOf(projectID, &m.Items[i])...)
	}
	slices.Sort(tags)
	return slices.Compact(tags)
}
