// Package wordpress reads exports of WordPress (WXR 1.0 to 1.2, "Tools, Export, All content") as a source of an import.
//
// Open reads the file once, as a stream (read.go), and keeps what posts refer to: terms, files, addresses of posts
// (survey.go). Entries reads it again and makes an entry of each post (entries.go), with content of blocks or classic
// content as rich text (content.go).
//
// Names of people, comments and what plugins store are not content here: people become texts, the rest is listed.
// Passwords of posts are never imported; such posts stay drafts.
package wordpress
