package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
)

// lateness is how late publications were, as the program counts them.
type lateness struct {
	all    int
	bounds []string // in seconds, rising
	counts []int    // how many were no later than that
}

var (
	lateAll   = regexp.MustCompile(`(?m)^imprimatur_publication_lateness_seconds_count (\d+)$`)
	lateBound = regexp.MustCompile(`(?m)^imprimatur_publication_lateness_seconds_bucket\{le="([0-9.]+)"\} (\d+)$`)
)

// lateness returns what of it there was since the program's start.
func (p *program) lateness(ctx context.Context) (l lateness, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.ops+"/metrics", nil)
	if err != nil {
		return l, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return l, err
	}
	defer response.Body.Close() //nolint:errcheck // it is read
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return l, err
	}
	found := lateAll.FindSubmatch(text)
	if found == nil {
		return l, errors.New("the metrics lack the lateness of publications")
	}
	l.all, err = strconv.Atoi(string(found[1]))
	for _, bound := range lateBound.FindAllSubmatch(text, -1) {
		count, fault := strconv.Atoi(string(bound[2]))
		err = errors.Join(err, fault)
		l.bounds, l.counts = append(l.bounds, string(bound[1])), append(l.counts, count)
	}
	return l, err
}

// since returns what came after before.
func (l lateness) since(before lateness) lateness {
	after := lateness{all: l.all - before.all, bounds: l.bounds, counts: make([]int, len(l.counts))}
	for i := range l.counts {
		after.counts[i] = l.counts[i] - before.counts[i]
	}
	return after
}

// within returns how many were no later than a bound.
func (l lateness) within(bound string) int {
	for i := range l.bounds {
		if l.bounds[i] == bound {
			return l.counts[i]
		}
	}
	return 0
}

// String says how many were how late, up to the bound that none exceeds.
func (l lateness) String() string {
	var parts []string
	before := 0
	for i, count := range l.counts {
		if count > before {
			parts = append(parts, fmt.Sprintf("≤ %s s: %d", l.bounds[i], count-before))
		}
		before = count
	}
	if l.all > before {
		parts = append(parts, fmt.Sprintf("more: %d", l.all-before))
	}
	return strings.Join(parts, ", ")
}
