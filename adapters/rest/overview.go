package rest

import (
	"fmt"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"imprimatur/adapters/rest/internal/endpoint"
)

// defaultDays is the number of days of counts by day.
const defaultDays = 30

// daysParam documents the parameter days, from least to most.
func daysParam(least, most float64) *endpoint.QueryParam {
	return &endpoint.QueryParam{
		Name: "days", In: "query", Description: "The number of days, today in UTC included.", Example: 30,
		Schema: &huma.Schema{Type: huma.TypeInteger, Format: "int64", Minimum: &least, Maximum: &most, Default: defaultDays},
	}
}

// daysOf returns the value of the parameter days.
func daysOf(c *endpoint.Call, least, most int64) (int, error) {
	days, err := c.Int("days")
	switch {
	case err != nil:
		return 0, err
	case days == nil:
		return defaultDays, nil
	case *days < least || *days > most:
		return 0, endpoint.BadParameter("days", fmt.Sprintf("must be from %d to %d", least, most))
	default:
		return int(*days), nil
	}
}

// dayText returns the date of the beginning of a day in UTC.
func dayText(day time.Time) string { return day.UTC().Format(time.DateOnly) }
