// Package delivery brings events to receivers outside the installation.
//
//	change ─▶ event (outgoing) ─▶ Distributor ─▶ delivery ─▶ Dispatcher ─▶ sender ─▶ receiver
//
// The transaction of a change marks its events as outgoing if the Project has a webhook. A
// Distributor takes marked events and stores a delivery for each receiver in the same transaction, so
// that each event reaches each receiver once. A Dispatcher claims due deliveries, sends them and
// records the outcome. Any number of processes run both; they need not know of each other.
package delivery
