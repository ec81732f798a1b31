package peers

import (
	"context"
	"fmt"
	"slices"
	"time"

	"imprimatur/test/bench/article"
	"imprimatur/test/bench/load"
)

// sample is the result of one load of one query: requests per second, CPU milliseconds per
// request of the server and its database, and the rate divided by the reference's rate just
// before.
type sample struct{ rate, cpu, ratio float64 }

// key is a row and a column of the table.
type key struct{ title, query string }

// measure loads every query of every server, round by round, each after the reference.
func (b *bench) measure(ctx context.Context, queries []article.Query) (map[key][]sample, error) {
	results := map[key][]sample{}
	reference := b.servers[0]
	for round := range b.rounds {
		for _, q := range queries {
			for _, s := range b.servers {
				for _, f := range s.forms {
					if err := ctx.Err(); err != nil {
						return nil, err
					}
					if _, has := f.requests[q.Name]; !has {
						continue
					}
					if round == 0 {
						if _, err := load.Run(f.requests[q.Name], b.clients, time.Second); err != nil { // warm up
							return nil, fmt.Errorf("%s %s: %w", s.title(f), q.Name, err)
						}
					}
					before, err := b.load(reference, reference.forms[0], q.Name, b.duration/2)
					if err != nil {
						return nil, err
					}
					measured, err := b.load(s, f, q.Name, b.duration)
					if err != nil {
						return nil, err
					}
					measured.ratio = measured.rate / before.rate
					k := key{s.title(f), q.Name}
					results[k] = append(results[k], measured)
					say("round %d  %s  %-32s %9.1f/s  %8.3f ms CPU  × %.4f", round+1, q.Name, k.title, measured.rate, measured.cpu, measured.ratio)
				}
			}
		}
	}
	for _, s := range b.servers {
		_, s.peak = load.Memory(s.process.Process.Pid)
	}
	return results, nil
}

func (b *bench) load(s *server, f form, query string, duration time.Duration) (sample, error) {
	before := load.CPU(s.pids()...)
	result, err := load.Run(f.requests[query], b.clients, duration)
	if err != nil {
		return sample{}, fmt.Errorf("%s %s: %w", s.title(f), query, err)
	}
	if result.Requests == 0 { // no request completed in time
		return b.load(s, f, query, 2*duration)
	}
	return sample{rate: result.Rate(), cpu: (load.CPU(s.pids()...) - before) / float64(result.Requests)}, nil
}

// median returns the median of each figure.
func median(samples []sample) sample {
	middle := func(figure func(sample) float64) float64 {
		figures := make([]float64, len(samples))
		for i, s := range samples {
			figures[i] = figure(s)
		}
		slices.Sort(figures)
		return (figures[(len(figures)-1)/2] + figures[len(figures)/2]) / 2
	}
	return sample{
		rate:  middle(func(s sample) float64 { return s.rate }),
		cpu:   middle(func(s sample) float64 { return s.cpu }),
		ratio: middle(func(s sample) float64 { return s.ratio }),
	}
}
