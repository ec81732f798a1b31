// Package schema has the definitions of a Project as a file: components and collections with their fields
// in YAML. The main types are
//
//   - File, which Of makes from stored definitions, Text writes and Parse reads. The text of stored
//     definitions is stable to the byte;
//   - Planner, which compares a file with the stored definitions, says what the differences do, and makes
//     them in one transaction over package definition.
//
// Read planner.go next. app/docs/schema.md is the guide for users.
package schema
