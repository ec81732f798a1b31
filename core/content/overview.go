package content

import (
	"context"

	"imprimatur/core"
)

// Overview returns the counts of the Project for the last days, which include today in UTC by the
// database's clock. Published has every day.
func (m *Manager) Overview(ctx context.Context, project *core.Project, days int) (core.Overview, error) {
	now, err := m.stores.Schedules.Now(ctx)
	if err != nil {
		return core.Overview{}, err
	}
	from := core.Day(now).AddDate(0, 0, 1-days)
	o, err := m.stores.Overviews.Overview(ctx, project.ID, from)
	if err != nil {
		return core.Overview{}, err
	}
	stored := o.Published
	o.Published = make([]core.DayCount, days)
	for i := range o.Published {
		o.Published[i].Day = from.AddDate(0, 0, i)
		if len(stored) > 0 && stored[0].Day.Equal(o.Published[i].Day) {
			o.Published[i], stored = stored[0], stored[1:]
		}
	}
	return o, nil
}
