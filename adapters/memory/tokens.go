package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
)

type tokens struct{ conn }

func (s tokens) Tokens(ctx context.Context, projectID int64) ([]core.Token, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Token, error) {
		rows := st.tokens.all(func(t core.Token) bool { return t.ProjectID == projectID })
		slices.SortFunc(rows, func(a, b core.Token) int { return cmp.Compare(a.ID, b.ID) })
		for i, t := range rows {
			rows[i] = copyToken(t)
		}
		return rows, nil
	})
}

func (s tokens) Token(ctx context.Context, projectID, id int64) (core.Token, error) {
	return view(ctx, s.conn, func(st *state) (core.Token, error) { return st.token(projectID, id) })
}

func (s tokens) TokenByHash(ctx context.Context, hash [32]byte) (core.Token, error) {
	return view(ctx, s.conn, func(st *state) (core.Token, error) {
		t, ok := st.tokens.find(func(t core.Token) bool { return t.Hash == hash })
		return found(copyToken(t), ok, "token")
	})
}

// Lock does nothing: transactions run one after another.
func (s tokens) Lock(context.Context, int64, int64) error { return nil }

func (s tokens) Insert(ctx context.Context, t *core.Token) error {
	return s.change(ctx, func(st *state) error {
		t.ID = st.tokens.next()
		st.tokens.put(t.ID, copyToken(*t))
		st.record(core.Event{Type: core.EventTokenCreated, ProjectID: t.ProjectID, SubjectID: t.ID})
		return nil
	})
}

func (s tokens) Update(ctx context.Context, t core.Token) error {
	return s.change(ctx, func(st *state) error {
		old, err := st.token(t.ProjectID, t.ID)
		if err != nil {
			return err
		}
		t = copyToken(t)
		old.Name, old.Abilities, old.AllowDrafts, old.AllowHistory, old.RateLimit = t.Name, t.Abilities, t.AllowDrafts, t.AllowHistory, t.RateLimit
		old.ExpiresAt, old.RevokedAt = t.ExpiresAt, t.RevokedAt
		st.tokens.put(old.ID, old)
		st.record(core.TokenEvent(old))
		return nil
	})
}

func (s tokens) Touch(ctx context.Context, used map[int64]time.Time) error {
	return s.change(ctx, func(st *state) error {
		for id, at := range used {
			if t, ok := st.tokens.get(id); ok && t.LastUsedAt.Before(at) {
				t.LastUsedAt = at
				st.tokens.put(id, t)
			}
		}
		return nil
	})
}

func (st *state) token(projectID, id int64) (core.Token, error) {
	t, ok := st.tokens.get(id)
	if !ok || t.ProjectID != projectID {
		return core.Token{}, core.NotFound("token")
	}
	return copyToken(t), nil
}

func copyToken(t core.Token) core.Token {
	t.Abilities = slices.Clone(t.Abilities)
	t.RateLimit = copyOf(t.RateLimit)
	return t
}

// copyOf returns a pointer to a copy of what p points to.
func copyOf[T any](p *T) *T {
	if p == nil {
		return nil
	}
	v := *p
	return &v
}
