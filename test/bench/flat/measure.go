package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"imprimatur/adapters/sqlstore"
)

// effort returns what the database does to answer a question: all statements of it
// together. It is asked twice before, so that what the program remembers of a value,
// it remembers.
func (d *database) effort(ctx context.Context, p *program, s *site, q question, runs int) (effort, error) {
	id, err := p.newest(ctx, s)
	if err != nil {
		return effort{}, err
	}
	type told struct {
		text string
		args []any
	}
	var reads []told
	for range 3 {
		reads = nil
		watched := sqlstore.WithStatementObserver(ctx, func(text string, args []any) { reads = append(reads, told{text, args}) })
		if err := p.ask(watched, s, q, id); err != nil {
			return effort{}, err
		}
	}
	var sum effort
	for _, r := range reads {
		e, err := d.engine.explain(ctx, d.conn, runs, r.text, r.args)
		if err != nil {
			return effort{}, err
		}
		sum.milliseconds += e.milliseconds
		sum.pages += e.pages
		sum.rows += e.rows
		sum.plan += r.text + "\n\n" + e.plan + "\n"
	}
	return sum, nil
}

// another reports whether to run a statement once more: there is an end to it when each
// run takes long.
func another(done, runs int, start time.Time) bool {
	return done == 0 || done < runs && time.Since(start) < time.Second
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// row is what one question takes in each case.
type row struct {
	question question
	fresh    []effort // before the tables were ever vacuumed and analysed as they are
	settled  []effort
	http     []answered
}

// answered is what one request over HTTP takes, in milliseconds: until its answer is
// there, and of all processors, the database's among them.
type answered struct{ wall, cpu float64 }

func (b *bench) efforts(ctx context.Context, of func(*row) []effort) error {
	for i := range b.rows {
		r := &b.rows[i]
		for n, c := range b.cases {
			e, err := c.database.effort(ctx, c.program, b.site, r.question, b.o.runs)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", c.name, r.question.name, err)
			}
			of(r)[n] = e
		}
	}
	return nil
}

// overHTTP asks every question in every case, round by round.
func (b *bench) overHTTP(ctx context.Context) error {
	for i := range b.rows {
		r := &b.rows[i]
		rounds := make([][]answered, len(b.cases))
		for range b.o.rounds {
			for n, c := range b.cases {
				id, err := c.program.newest(ctx, b.site)
				if err != nil {
					return err
				}
				a, err := c.server.ask(ctx, b.site, r.question.path(b.site, id))
				if err != nil {
					return fmt.Errorf("%s, %s: %w", c.name, r.question.name, err)
				}
				rounds[n] = append(rounds[n], a)
			}
		}
		for n := range b.cases {
			r.http[n] = medianAnswer(rounds[n])
		}
	}
	return nil
}

func medianAnswer(all []answered) answered {
	var wall, cpu []float64
	for _, a := range all {
		wall, cpu = append(wall, a.wall), append(cpu, a.cpu)
	}
	return answered{median(wall), median(cpu)}
}
