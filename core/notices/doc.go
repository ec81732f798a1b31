// Package notices decides whom an event concerns, and as what.
//
//	event ─▶ Notifier ─▶ a notice for each user whom it concerns
//	a step that waits too long ─▶ Reminding ─▶ the notices that it waits, again
//
// A Notifier runs in the transaction that takes the event from the outbox (core/delivery). A user
// gets no notice of own actions, and none of what the user may not see. Notices lists those that the
// user may still see.
package notices
