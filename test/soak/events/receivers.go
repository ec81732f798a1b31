package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// arrival is when a receiver accepted an event: the first time, and how often.
type arrival struct {
	first, last time.Time
	times       int
}

// receiver is a server that gets the events of a webhook.
type receiver struct {
	name   string
	url    string
	hook   int64 // id of the webhook
	answer answer

	recovered atomic.Bool // answers 204 at once
	requests  atomic.Int64
	revived   chan struct{} // closed by recover

	mu       sync.Mutex
	accepted map[int64]arrival // by id of the event
	latency  []time.Duration   // of first arrivals, from the commit
}

// answer answers a request and reports whether the event is accepted.
type answer func(r *receiver, w http.ResponseWriter, q *http.Request) (accepted bool)

func healthy(_ *receiver, w http.ResponseWriter, _ *http.Request) bool {
	w.WriteHeader(http.StatusNoContent)
	return true
}

// dead never answers.
func dead(r *receiver, _ http.ResponseWriter, q *http.Request) bool {
	select {
	case <-q.Context().Done():
	case <-r.revived:
	}
	panic(http.ErrAbortHandler)
}

func slow(r *receiver, w http.ResponseWriter, q *http.Request) bool {
	select {
	case <-q.Context().Done():
		return false
	case <-time.After(slowness):
	case <-r.revived:
	}
	return healthy(r, w, q)
}

const slowness = 2 * time.Second

func thirds(r *receiver, w http.ResponseWriter, q *http.Request) bool {
	if r.requests.Load()%3 == 0 {
		w.WriteHeader(http.StatusInternalServerError)
		return false
	}
	return healthy(r, w, q)
}

func gone(_ *receiver, w http.ResponseWriter, _ *http.Request) bool {
	w.WriteHeader(http.StatusGone)
	return false
}

// listen starts a receiver. It serves until ctx ends.
func listen(ctx context.Context, name string, answer answer) (*receiver, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &receiver{name: name, url: "http://" + listener.Addr().String() + "/", answer: answer, accepted: map[int64]arrival{}, revived: make(chan struct{})}
	server := &http.Server{Handler: r, ReadHeaderTimeout: time.Minute}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	go func() { _ = server.Serve(listener) }() // until it is closed
	return r, nil
}

// ServeHTTP implements http.Handler.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	at := time.Now()
	r.requests.Add(1)
	var message struct {
		Data struct {
			ID int64
			At time.Time
		}
	}
	if err := json.NewDecoder(q.Body).Decode(&message); err != nil || message.Data.ID == 0 {
		fmt.Println("     a body is no event:", err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	answer := r.answer
	if r.recovered.Load() {
		answer = healthy
	}
	if !answer(r, w, q) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	seen := r.accepted[message.Data.ID]
	if seen.times == 0 {
		seen.first = at
		r.latency = append(r.latency, at.Sub(message.Data.At))
	}
	seen.last, seen.times = at, seen.times+1
	r.accepted[message.Data.ID] = seen
}

// count returns the number of events that arrived.
func (r *receiver) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.accepted)
}

// takeLatencies returns the latencies since the last call.
func (r *receiver) takeLatencies() []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := r.latency
	r.latency = nil
	return taken
}

// recover makes the receiver answer at once from now on.
func (r *receiver) recover() {
	r.recovered.Store(true)
	close(r.revived)
}
