package flat

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
)

// print writes Markdown tables: the cost of each question in each case, with the ratio to
// the first case.
func (b *bench) print(ctx context.Context, w io.Writer, scene string, writes [][]cost) error {
	names := make([]string, len(b.cases))
	for n, c := range b.cases {
		names[n] = c.name
	}
	fmt.Fprintf(w, "\n%s, %s: %s\n", b.title, scene, strings.Join(names, " → "))
	for grows, heading := range []string{"", "rows matched or filtered, up to a bound", "rows counted or skipped"} {
		b.printQuestions(w, growth(grows), heading)
	}
	if len(writes) > 0 {
		fmt.Fprintf(w, "\n| | HTTP ms | CPU ms |\n|---|---|---|\n")
	}
	for n, all := range writes {
		fmt.Fprintf(w, "| %s | %s | %s |\n", writeNames[n],
			progress("%.2f", all, func(a cost) float64 { return a.wall }),
			progress("%.2f", all, func(a cost) float64 { return a.cpu }))
	}
	if err := b.printSizes(ctx, w); err != nil {
		return err
	}
	if b.o.plans {
		for _, r := range b.rows {
			fmt.Fprintf(w, "\n### %s\n\n%s", r.question.name, r.settled[len(b.cases)-1].plan)
		}
	}
	return nil
}

// printQuestions writes the questions of one growth under a heading.
func (b *bench) printQuestions(w io.Writer, grows growth, heading string) {
	if !slices.ContainsFunc(b.rows, func(r row) bool { return r.question.grows == grows }) {
		return
	}
	fmt.Fprintf(w, "\n| %s | database ms | page accesses | HTTP ms | CPU ms |%s\n", heading, ifSome(b.engine.hold(), " database ms, never analysed |"))
	fmt.Fprintf(w, "|---|---|---|---|---|%s\n", ifSome(b.engine.hold(), "---|"))
	for _, r := range b.rows {
		if r.question.grows != grows {
			continue
		}
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s |", r.question.name,
			progress("%.2f", r.settled, func(e effort) float64 { return e.milliseconds }),
			progress("%.0f", r.settled, func(e effort) float64 { return float64(e.pages) }),
			progress("%.2f", r.http, func(a cost) float64 { return a.wall }),
			progress("%.2f", r.http, func(a cost) float64 { return a.cpu }))
		if len(b.engine.hold()) > 0 {
			fmt.Fprintf(w, " %s |", progress("%.2f", r.fresh, func(e effort) float64 { return e.milliseconds }))
		}
		fmt.Fprintln(w)
	}
}

func ifSome(condition []string, text string) string {
	if len(condition) > 0 {
		return text
	}
	return ""
}

// progress returns "1.0 → 1.1 → 1.2 (× 1.2)".
func progress[T any](format string, all []T, value func(T) float64) string {
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = fmt.Sprintf(format, value(one))
	}
	text := strings.Join(texts, " → ")
	if first, last := value(all[0]), value(all[len(all)-1]); first > 0 {
		text += fmt.Sprintf(" (× %.1f)", last/first)
	}
	return text
}

// printSizes writes the bytes per entry in each case.
func (b *bench) printSizes(ctx context.Context, w io.Writer) error {
	fmt.Fprintf(w, "\nBytes per entry, rows + indexes:\n\n| |%s total |\n|---|%s---|\n", " "+strings.Join(copyTables, " | ")+" |", strings.Repeat("---|", len(copyTables)))
	for _, c := range b.cases {
		var entries float64
		if err := c.database.conn.QueryRowContext(ctx, "SELECT count(*) FROM entries").Scan(&entries); err != nil {
			return err
		}
		sizes, err := c.database.sizes(ctx)
		if err != nil {
			return err
		}
		found := map[string]size{}
		total := size{}
		for _, s := range sizes {
			found[s.table] = s
			total.rows, total.indexes = total.rows+s.rows, total.indexes+s.indexes
		}
		fmt.Fprintf(w, "| %s, %.0f entries |", c.name, entries)
		for _, table := range copyTables {
			fmt.Fprintf(w, " %.0f + %.0f |", float64(found[table].rows)/entries, float64(found[table].indexes)/entries)
		}
		fmt.Fprintf(w, " %.0f |\n", float64(total.rows+total.indexes)/entries)
	}
	return nil
}
