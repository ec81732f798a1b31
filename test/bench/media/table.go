package media

import (
	"fmt"
	"io"
)

// printTable writes a Markdown table: a row for each job, with sharp's
// figures first and the ratios of the others to it.
func printTable(w io.Writer, asked []job, contestants []contestant, results map[key][]cost) {
	fmt.Fprint(w, "| | at once |")
	for _, c := range contestants {
		fmt.Fprintf(w, " %s: ms | CPU ms | peak MB | kB out |", c.name)
	}
	fmt.Fprint(w, "\n|---|---|")
	for range contestants {
		fmt.Fprint(w, "---|---|---|---|")
	}
	fmt.Fprintln(w)
	for _, j := range asked {
		fmt.Fprintf(w, "| %s | %d |", j.title, j.atOnce)
		reference := middle(results[key{j, contestants[0].name}])
		for i, c := range contestants {
			m := middle(results[key{j, c.name}])
			if i == 0 {
				fmt.Fprintf(w, " %.0f | %.0f | %.0f | %d |", m.Wall, m.CPU, m.Peak, m.Bytes/1000)
				continue
			}
			fmt.Fprintf(w, " %.0f (× %.2f) | %.0f (× %.2f) | %.0f | %d |", m.Wall, m.Wall/reference.Wall, m.CPU, m.CPU/reference.CPU, m.Peak, m.Bytes/1000)
		}
		fmt.Fprintln(w)
	}
}
