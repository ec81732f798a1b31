package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// slowdown compares the latencies of the healthy receiver beside four others that fail with those
// beside four that are healthy, and alone. The segments take turns, so that other work on the machine
// concerns all of them.
func slowdown(ctx context.Context, c *cluster, o options, r *report) error {
	if o.rounds == 0 {
		return nil
	}
	p, err := newProject(ctx, c, "Slowdown")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	good, bad, err := receivers(ctx)
	if err != nil {
		return err
	}
	var fine []*receiver
	for range bad {
		one, err := listen(ctx, "also healthy", healthy)
		if err != nil {
			return err
		}
		fine = append(fine, one)
	}
	if err := p.addWebhook(ctx, good); err != nil {
		return err
	}
	segments := [][]*receiver{nil, fine, bad}
	all, ratios := make([][]time.Duration, len(segments)), make([][]float64, len(segments))
	for round := range o.rounds {
		medians := make([]time.Duration, len(segments))
		for n := range segments { // each begins as often as the others
			kind := (n + round) % len(segments)
			taken, err := p.measure(ctx, o, good, segments[kind])
			if err != nil {
				return err
			}
			medians[kind], all[kind] = percentile(taken, 50), append(all[kind], taken...)
		}
		for kind, than := range []int{0, 0, 1} {
			ratios[kind] = append(ratios[kind], float64(medians[kind])/float64(medians[than]))
		}
	}
	show := func(kind int) string {
		return fmt.Sprintf("p50 %v, p99 %v", percentile(all[kind], 50), percentile(all[kind], 99))
	}
	r.line(true, "healthy receiver, commit to first byte: alone %s; beside four healthy ones %s, × %.3f", show(0), show(1), middle(ratios[1]))
	r.line(middle(ratios[2]) <= mostSlowdown, "beside a dead, a slow, a failing one and one that answers 410: %s, × %.3f of four healthy ones (median of %d rounds, at most × %.2f; %.2f)",
		show(2), middle(ratios[2]), o.rounds, mostSlowdown, ratios[2])
	return nil
}

// middle returns the median.
func middle(all []float64) float64 {
	return slices.Sorted(slices.Values(all))[len(all)/2]
}

// measure returns the latencies of the healthy receiver during one segment of writes, beside others.
func (p *project) measure(ctx context.Context, o options, good *receiver, others []*receiver) ([]time.Duration, error) {
	for _, other := range others {
		if err := p.addWebhook(ctx, other); err != nil {
			return nil, err
		}
	}
	for n := 0; n < warmUp; n++ { // they have failed before the measurement begins
		p.write(ctx)
	}
	time.Sleep(time.Second)
	good.takeLatencies()
	end := p.last.Load() + int64(o.segment)
	p.writeSteadily(ctx, min(o.rate, 20), func() bool { return p.last.Load() >= end })
	time.Sleep(time.Second)
	taken := good.takeLatencies()
	for _, other := range others {
		if err := p.removeWebhook(ctx, other); err != nil {
			return nil, err
		}
	}
	if len(taken) == 0 {
		return nil, fmt.Errorf("nothing came to the healthy receiver")
	}
	return taken, nil
}

// warmUp is the number of writes before a measurement.
const warmUp = 20

// percentile returns a percentile, in whole milliseconds.
func percentile(all []time.Duration, p int) time.Duration {
	if len(all) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(all))
	return sorted[(len(sorted)-1)*p/100].Round(100 * time.Microsecond)
}

// receivers starts the five receivers.
func receivers(ctx context.Context) (good *receiver, bad []*receiver, err error) {
	if good, err = listen(ctx, "healthy", healthy); err != nil {
		return nil, nil, err
	}
	for _, kind := range []struct {
		name   string
		answer answer
	}{{"dead", dead}, {"slow", slow}, {"thirds", thirds}, {"gone", gone}} {
		one, err := listen(ctx, kind.name, kind.answer)
		if err != nil {
			return nil, nil, err
		}
		bad = append(bad, one)
	}
	return good, bad, nil
}
