// Package core is the vocabulary of Imprimatur: the types that the ports speak
// of and the few pure rules that belong to them (which locale falls back to
// which, how two field values compare, what a document's canonical bytes are).
//
// It does no input or output and imports nothing of the project.
//
// Conventions that hold everywhere: ids are positive and never reused; a zero
// id means "none"; times are UTC with millisecond precision; text is valid
// UTF-8 without U+0000.
package core
