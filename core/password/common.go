package password

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed" // common.txt.gz

	"imprimatur/core/words"
)

// commonPasswords has the 10,000 commonest passwords of at least minLength characters, one a
// line, in lower case and in ascending order. They are from the list "10 million passwords, top
// 1,000,000" that Mark Burnett published and SecLists distributes (MIT License, Copyright (c) 2025
// Daniel Miessler, https://github.com/danielmiessler/SecLists).
//
//go:embed common.txt.gz
var commonPasswords []byte

// isCommon reports whether the password, in whatever case, is one of commonPasswords. It unpacks
// the list each time: that takes 1 ms, a hash of the password 50 times as long.
func isCommon(password string) bool {
	list, err := gzip.NewReader(bytes.NewReader(commonPasswords))
	if err != nil {
		panic("password: " + err.Error()) // only for another file
	}
	folded := []byte(words.Caseless(password))
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		if order := bytes.Compare(lines.Bytes(), folded); order >= 0 {
			return order == 0
		}
	}
	return false
}
