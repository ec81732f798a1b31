package flat

import (
	"context"
	"fmt"
	"slices"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
	"imprimatur/core"
)

// effort returns the cost of a question in the database: the sum of its statements. Two
// earlier runs fill the program's caches.
func (d *database) effort(ctx context.Context, p *program, s *site, q question, runs int) (effort, error) {
	id, err := p.newest(ctx, s)
	if err != nil {
		return effort{}, err
	}
	if q, err = p.placed(ctx, s, q); err != nil {
		return effort{}, err
	}
	type statement struct {
		text string
		args []any
	}
	var statements []statement
	for range 3 {
		statements = nil
		observed := sqldb.WithStatementObserver(ctx, func(text string, args []any) { statements = append(statements, statement{text, args}) })
		// The statements of counts that end too late are measured to their end, too.
		if err := p.send(observed, s, q, id); err != nil && core.KindOf(err) != core.KindUnavailable {
			return effort{}, err
		}
	}
	var sum effort
	for _, r := range statements {
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

// another reports whether to run a statement again. It limits the total time.
func another(done, runs int, start time.Time) bool {
	return done == 0 || done < runs && time.Since(start) < time.Second
}

func median(all []float64) float64 {
	sorted := slices.Sorted(slices.Values(all))
	return sorted[len(sorted)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// row holds the results of one question in each case.
type row struct {
	question question
	fresh    []effort // before the first vacuum and analyze
	settled  []effort
	http     []cost
}

// cost is the cost of one request over HTTP in milliseconds: wall time, and processor time
// of program and database.
type cost struct{ wall, cpu float64 }

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

// overHTTP sends every question in every case, round by round.
func (b *bench) overHTTP(ctx context.Context) error {
	for i := range b.rows {
		r := &b.rows[i]
		rounds := make([][]cost, len(b.cases))
		for range b.o.rounds {
			for n, c := range b.cases {
				id, err := c.program.newest(ctx, b.site)
				if err != nil {
					return err
				}
				q, err := c.program.placed(ctx, b.site, r.question)
				if err != nil {
					return err
				}
				a, err := c.server.repeat(ctx, b.site, q.path(b.site, id))
				if err != nil {
					return fmt.Errorf("%s, %s: %w", c.name, r.question.name, err)
				}
				rounds[n] = append(rounds[n], a)
			}
		}
		for n := range b.cases {
			r.http[n] = medianCost(rounds[n])
		}
	}
	return nil
}

func medianCost(all []cost) cost {
	var wall, cpu []float64
	for _, a := range all {
		wall, cpu = append(wall, a.wall), append(cpu, a.cpu)
	}
	return cost{median(wall), median(cpu)}
}
