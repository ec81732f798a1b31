// Package query has the reads of lists: a Query as a client sends it, and the Selection of checked Predicates, order and
// window that stores answer.
//
// Operators is the table of all operators of conditions. The limits of a query are beside its type. Package core/reading
// checks a Query and makes a Selection of it; adapters/memory is the specification of what a selection finds.
// app/docs/query-planner.md describes how it becomes SQL.
package query
