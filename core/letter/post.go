package letter

import (
	"context"

	"imprimatur/core/secret"
)

// Post puts letters among the mails that wait.
type Post struct {
	Key secret.Key
	On  bool // the installation sends e-mails; otherwise Put does nothing
}

// Put adds l to the mails of a transaction.
func (p Post) Put(ctx context.Context, mails interface {
	InsertLetter(ctx context.Context, letter []byte) error
}, l Letter,
) error {
	if !p.On {
		return nil
	}
	return mails.InsertLetter(ctx, l.Seal(p.Key))
}
