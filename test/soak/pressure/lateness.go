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

// lateness is the histogram of publication lateness in the program's metrics.
type lateness struct {
	all    int
	bounds []string // in seconds, ascending
	counts []int    // cumulative counts by bound
}

var (
	lateAll   = regexp.MustCompile(`(?m)^imprimatur_publication_lateness_seconds_count (\d+)$`)
	lateBound = regexp.MustCompile(`(?m)^imprimatur_publication_lateness_seconds_bucket\{le="([0-9.]+)"\} (\d+)$`)
)

// lateness reads the histogram since the program's start.
func (p *program) lateness(ctx context.Context) (l lateness, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.ops+"/metrics", nil)
	if err != nil {
		return l, err
	}
	resp, err := http.DefaultClient.Do(request)
	if err != nil {
		return l, err
	}
	defer resp.Body.Close() //nolint:errcheck // read completely
	text, err := io.ReadAll(resp.Body)
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

// since returns the difference to an earlier histogram.
func (l lateness) since(before lateness) lateness {
	after := lateness{all: l.all - before.all, bounds: l.bounds, counts: make([]int, len(l.counts))}
	for i := range l.counts {
		after.counts[i] = l.counts[i] - before.counts[i]
	}
	return after
}

// within returns the cumulative count of a bound.
func (l lateness) within(bound string) int {
	for i := range l.bounds {
		if l.bounds[i] == bound {
			return l.counts[i]
		}
	}
	return 0
}

// String formats the non-empty buckets.
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
