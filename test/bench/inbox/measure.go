package inbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"imprimatur/adapters/sqlstore/sqldb"
)

// row is one line of the table.
type row struct {
	requests               int
	maintenance, who, read string
	database, store        times
	plan                   node
}

// times are milliseconds.
type times struct{ median, worst float64 }

// measure times one read of one reviewer.
func (b *bench) measure(ctx context.Context, requests int, maintenance string, who reviewer, r read) error {
	reader := b.db.Stores().Requests
	var text string
	var args []any
	observed := sqldb.WithStatementObserver(ctx, func(t string, a []any) { text, args = t, a })
	if err := r.do(observed, reader, who.reach); err != nil {
		return err
	}
	line := row{requests: requests, maintenance: maintenance, who: who.name, read: r.name}
	var took []float64
	for range b.o.runs {
		start := time.Now()
		if err := r.do(ctx, reader, who.reach); err != nil {
			return err
		}
		took = append(took, float64(time.Since(start).Microseconds())/1000)
	}
	line.store = summed(took)
	var err error
	if line.database, line.plan, err = b.explain(ctx, text, args); err != nil {
		return err
	}
	b.rows = append(b.rows, line)
	return nil
}

func summed(took []float64) times {
	slices.Sort(took)
	return times{took[len(took)/2], took[len(took)*99/100]}
}

// node holds the printed parts of a plan node.
type node struct {
	Type     string  `json:"Node Type"`
	Relation string  `json:"Relation Name"`
	CTE      string  `json:"CTE Name"`
	Index    string  `json:"Index Name"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Fetches  int     `json:"Heap Fetches"`
	Plans    []node  `json:"Plans"`
}

// explain returns the time of a prepared statement in the database, including planning, and
// its plan.
func (b *bench) explain(ctx context.Context, text string, args []any) (times, node, error) {
	types, values := make([]string, len(args)), make([]string, len(args))
	for i, arg := range args {
		var err error
		if types[i], values[i], err = literal(arg); err != nil {
			return times{}, node{}, err
		}
	}
	if _, err := b.conn.Exec(ctx, "PREPARE inbox ("+strings.Join(types, ", ")+") AS "+text); err != nil {
		return times{}, node{}, err
	}
	defer b.conn.Exec(ctx, "DEALLOCATE inbox") //nolint:errcheck // the next PREPARE would fail
	var took []float64
	var plan node
	for range b.o.runs {
		var output []byte
		// TIMING OFF, because reading the clock at every node would dominate the time.
		if err := b.conn.QueryRow(ctx, "EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) EXECUTE inbox ("+strings.Join(values, ", ")+")").Scan(&output); err != nil {
			return times{}, node{}, err
		}
		var explained []struct {
			Plan          node    `json:"Plan"`
			PlanningTime  float64 `json:"Planning Time"`
			ExecutionTime float64 `json:"Execution Time"`
		}
		if err := json.Unmarshal(output, &explained); err != nil {
			return times{}, node{}, err
		}
		if len(explained) != 1 {
			return times{}, node{}, errors.New("EXPLAIN did not return one plan")
		}
		plan = explained[0].Plan
		took = append(took, explained[0].PlanningTime+explained[0].ExecutionTime)
	}
	return summed(took), plan, nil
}

// literal returns the type and the text of an argument.
func literal(arg any) (kind, text string, err error) {
	switch v := arg.(type) {
	case int64:
		return "bigint", strconv.FormatInt(v, 10), nil
	case string:
		return "text", "'" + strings.ReplaceAll(v, "'", "''") + "'", nil
	case []int64:
		ids := make([]string, len(v))
		for i, id := range v {
			ids[i] = strconv.FormatInt(id, 10)
		}
		return "bigint[]", "'{" + strings.Join(ids, ",") + "}'", nil
	default:
		return "", "", fmt.Errorf("no literal for %T", arg)
	}
}

// write writes the nodes that read data, indented by depth.
func (n node) write(w io.Writer, depth int) {
	fmt.Fprintf(w, "%s%s", strings.Repeat("  ", depth), n.Type)
	for _, name := range []string{n.Relation, n.CTE} {
		if name != "" {
			fmt.Fprintf(w, " on %s", name)
		}
	}
	if n.Index != "" {
		fmt.Fprintf(w, " by %s", n.Index)
	}
	fmt.Fprintf(w, ": %.0f rows", n.Rows*n.Loops)
	if n.Loops > 1 {
		fmt.Fprintf(w, " in %.0f loops", n.Loops)
	}
	if n.Fetches > 0 {
		fmt.Fprintf(w, ", %d from the table", n.Fetches)
	}
	fmt.Fprintln(w)
	for _, inner := range n.Plans {
		inner.write(w, depth+1)
	}
}

// printTable writes a Markdown table, and the plans if requested.
func printTable(w io.Writer, b *bench) error {
	fmt.Fprintf(w, "%d pending of all requests, %d Projects, PostgreSQL; ms in the database (planning included, median and 99th of %d runs) and in brackets through the program's stores.\n\n",
		b.o.pending, departments*projects, b.o.runs)
	fmt.Fprint(w, "| requests | | of |")
	for _, r := range reads {
		fmt.Fprintf(w, " %s |", r.name)
	}
	fmt.Fprintf(w, "\n|---|---|---|%s\n", strings.Repeat("---|", len(reads)))
	for line := range slices.Chunk(b.rows, len(reads)) {
		fmt.Fprintf(w, "| %d | %s | %s |", line[0].requests, strings.ToLower(line[0].maintenance), line[0].who)
		for _, r := range line {
			fmt.Fprintf(w, " %.2f · %.2f (%.2f) |", r.database.median, r.database.worst, r.store.median)
		}
		fmt.Fprintln(w)
	}
	if b.o.plans {
		for _, r := range b.rows {
			fmt.Fprintf(w, "\n%d requests, %s, %s of %s\n\n```\n", r.requests, r.maintenance, r.read, r.who)
			r.plan.write(w, 0)
			fmt.Fprintln(w, "```")
		}
	}
	return nil
}
