// Package overview has the counts that the overview of a Project shows.
package overview
