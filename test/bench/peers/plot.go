package peers

import (
	"bytes"
	_ "embed"
	"math"
	"os"
	"strings"
	"text/template"

	"imprimatur/test/bench/article"
)

//go:embed plot.svg.tmpl
var plotText string

// plotTemplate uses colours of medium lightness, which are readable on white and on black.
var plotTemplate = template.Must(template.New("plot").Parse(plotText))

// Measures of the plot, in pixels.
const (
	labelWidth  = 242
	labelGap    = 28 // room for a value left of the first column
	columnWidth = 132
	columnGap   = 34
	headHeight  = 48
	rowHeight   = 22
	footHeight  = 40
)

// plot is the data of the template: a column of dots for each query and a row for each
// server, on a logarithmic scale with the reference at 1.
type plot struct {
	Width, Height, Top, Bottom, LabelX int
	Rows                               []plotRow
	Columns                            []plotColumn
}

type plotRow struct {
	Title string
	Y     int
	Ours  bool
}

type plotColumn struct {
	Title, Subtitle string
	Left, One       float64 // One is the position of the reference
	Ticks           []plotTick
	Dots            []plotDot
}

type plotTick struct {
	X    float64
	Text string
}

type plotDot struct {
	X      float64
	Y      int
	Text   string
	TextX  float64
	Anchor string
	Ours   bool
}

// scale maps ratios to pixels from a column's left.
type scale struct{ low, high float64 } // powers of ten

func (s scale) x(ratio float64) float64 {
	return (math.Log10(ratio) - s.low) / (s.high - s.low) * columnWidth
}

// scaleOf returns the powers of ten that enclose all ratios and 1.
func scaleOf(results map[key][]sample) scale {
	s := scale{-1, 1}
	for _, samples := range results {
		power := math.Log10(median(samples).ratio)
		s.low, s.high = min(s.low, math.Floor(power)), max(s.high, math.Ceil(power))
	}
	return s
}

// writePlot draws the ratios to the reference.
func writePlot(path string, b *bench, queries []article.Query, results map[key][]sample) error {
	drawn := &plot{Top: headHeight, LabelX: labelWidth - labelGap}
	for i, s := range b.servers {
		for j, f := range s.forms {
			if i == 0 && j == 0 {
				continue // drawn as the line at 1
			}
			drawn.Rows = append(drawn.Rows, plotRow{s.title(f), headHeight + len(drawn.Rows)*rowHeight + rowHeight/2, strings.HasPrefix(s.name, ourName)})
		}
	}
	drawn.Bottom = headHeight + len(drawn.Rows)*rowHeight
	drawn.Height = drawn.Bottom + footHeight
	drawn.Width = labelWidth + len(queries)*(columnWidth+columnGap)
	for i, q := range queries {
		drawn.Columns = append(drawn.Columns, drawColumn(i, q, drawn.Rows, scaleOf(results), results))
	}
	var text bytes.Buffer
	if err := plotTemplate.Execute(&text, drawn); err != nil {
		return err
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

func drawColumn(number int, q article.Query, rows []plotRow, s scale, results map[key][]sample) plotColumn {
	left := float64(labelWidth + columnGap/2 + number*(columnWidth+columnGap))
	c := plotColumn{Title: q.Name, Subtitle: q.Title, Left: left, One: left + s.x(1)}
	for power := s.low; power <= s.high; power++ {
		c.Ticks = append(c.Ticks, plotTick{left + s.x(math.Pow(10, power)), tickText(power)})
	}
	for _, row := range rows {
		samples := results[key{row.Title, q.Name}]
		if len(samples) == 0 {
			continue
		}
		ratio := median(samples).ratio
		d := plotDot{X: left + s.x(ratio), Y: row.Y, Text: ratioText(ratio), Ours: row.Ours, Anchor: "end"}
		d.TextX = d.X - 6
		if ratio >= 1 {
			d.TextX, d.Anchor = d.X+6, "start"
		}
		c.Dots = append(c.Dots, d)
	}
	return c
}

// tickText formats a power of ten in few characters.
func tickText(power float64) string {
	switch power {
	case -4:
		return "10⁻⁴"
	case -3:
		return ".001"
	case -2:
		return ".01"
	case -1:
		return ".1"
	}
	return "1" + strings.Repeat("0", int(power))
}
