// Package notice has what users are told: the kinds of notices, which events cause which kind, of which kinds a user
// gets mails, and the mails that wait to be sent.
//
// Package core/notices makes notices from events, and core/delivery sends the mails.
package notice
