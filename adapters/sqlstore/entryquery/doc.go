// Package entryquery plans reads of entries and renders the plans in SQL.
//
// A read has three steps:
//
//  1. [Plan] and [Total] turn a checked selection into a tree of nodes. They are pure
//     functions: the same selection always gives the same plan.
//  2. String prints the tree for tests, the slow-query log and "imprimatur explain".
//  3. [Page] and [Counted] render the tree as SQL. SQL that differs between the engines
//     comes from a [Syntax], which packages postgres and sqlite implement.
//
// Start with node.go (nodes) and cond.go (conditions), then read page.go and count.go, which
// choose the nodes. app/docs/query-planner.md has diagrams and examples. Package entryindex
// defines the tables.
package entryquery
