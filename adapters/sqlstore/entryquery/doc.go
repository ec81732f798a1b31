// Package entryquery plans reads of entries and writes the plans in SQL.
//
// A read goes through three steps:
//
//  1. [Plan] and [Total] turn a checked selection into a tree of nodes. They are pure: the
//     same selection gives the same plan, whatever was read before.
//  2. Node.String prints the tree, for tests, the log of slow requests and "imprimatur explain".
//  3. [Page] and [Counted] write the tree in SQL. What engines write their own way is a
//     [Syntax], which packages postgres and sqlite implement.
//
// Start with node.go, which defines the nodes and conditions (cond.go), then page.go, which
// chooses them. app/docs/query-planner.md has diagrams and examples, and package entryindex
// the tables.
package entryquery
