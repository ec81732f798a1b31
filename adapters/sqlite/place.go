package sqlite

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"imprimatur/adapters/sqlstore/sqldb"
)

// place is the folder of a database. A file beside the database has a random name and the last event, which a
// copy of the database from an earlier time lacks.
type place struct{ path string }

// placeSuffix is what the name of the file has after that of the database.
const placeSuffix = "-place"

// Here implements sqlstore.Place. Nothing is noted without the file, or if a power failure emptied it.
func (p place) Here(context.Context) (n sqldb.Note, known bool, err error) {
	text, err := os.ReadFile(p.path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return n, false, err
	}
	if json.Unmarshal(text, &n) != nil {
		n = sqldb.Note{}
	}
	return n, true, nil
}

// Settle implements sqlstore.Place.
func (p place) Settle(context.Context) (string, error) {
	n := sqldb.Note{Name: rand.Text()}
	return n.Name, p.Note(n)
}

// Note implements sqlstore.Place. The file is not synced: one that is older than the database fits it.
func (p place) Note(n sqldb.Note) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	next, err := os.CreateTemp(filepath.Dir(p.path), filepath.Base(p.path)+"-") // mode 0600
	if err != nil {
		return err
	}
	_, err = next.Write(text)
	if err = errors.Join(err, next.Close()); err == nil {
		err = os.Rename(next.Name(), p.path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(next.Name()))
	}
	return nil
}
