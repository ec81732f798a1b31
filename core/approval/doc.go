// Package approval is the review workflow: the workflows of Departments and Projects, the approval
// requests, their audit record and the scheduled publications.
//
// A workflow governs a Project: its own, or the workflow of its Department. In a governed Project
// an entry becomes public only through a core.Request: a snapshot of the draft that one reviewer
// per step has approved. The main types are
//
//   - Gate, which implements ports.PublishGate and ports.DefinitionGate. Writes of content call it inside their
//     transaction; it submits, schedules and withdraws.
//   - Reviews, which shows requests and applies decisions to them.
//   - Inbox, which lists the requests that wait for a user.
//   - Worker, which publishes and unpublishes due entries.
//   - Workflows, which stores the workflows.
//   - Exporter and Verify, which export and verify the audit record.
//
// Reviews.decide (decide.go) handles every decision: inside one transaction it reads everything
// again, checks permission and staleness, and runs a transition (machine.go). A transition is
// pure: it returns the changed request and the actions to record. audit.go chains the actions by
// hashes and verifies the chain; wire.go has the JSON of requests and audits.
//
// Read machine.go next: its table is the whole state machine.
package approval
