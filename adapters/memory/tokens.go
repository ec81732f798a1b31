package memory

import (
	"cmp"
	"context"
	"slices"
	"time"

	"imprimatur/core"
	"imprimatur/core/event"
)

type tokens struct{ conn }

func (s tokens) Tokens(ctx context.Context, projectID int64) ([]core.Token, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Token, error) {
		return byID(&st.tokens, func(t core.Token) bool { return t.ProjectID == projectID }, copyToken), nil
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

func (s tokens) TokensOf(ctx context.Context, userID int64) ([]core.Token, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Token, error) {
		created := byID(&st.tokens, func(t core.Token) bool { return t.CreatedBy == userID && t.RevokedAt.IsZero() }, copyToken)
		slices.SortStableFunc(created, func(a, b core.Token) int { return cmp.Compare(a.ProjectID, b.ProjectID) })
		return created, nil
	})
}

// Lock does nothing: transactions run one after another.
func (s tokens) Lock(context.Context, int64, int64) error { return nil }

func (s tokens) Insert(ctx context.Context, t *core.Token) error {
	return s.apply(ctx, func(st *state) {
		t.ID = st.tokens.next()
		st.tokens.put(t.ID, copyToken(*t))
		st.record(event.Event{Type: event.TokenCreated, ProjectID: t.ProjectID, SubjectID: t.ID})
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
		st.record(event.OfToken(old))
		return nil
	})
}

// tokenDay is a day of a token, in milliseconds since 1970.
type tokenDay struct{ projectID, tokenID, day int64 }

func (s tokens) Touch(ctx context.Context, day time.Time, uses []core.TokenUse) error {
	return s.apply(ctx, func(st *state) {
		for _, use := range uses {
			t, ok := st.tokens.get(use.TokenID)
			if !ok {
				continue
			}
			if t.LastUsedAt.Before(use.UsedAt) {
				t.LastUsedAt = use.UsedAt
				st.tokens.put(t.ID, t)
			}
			if use.Reads+use.Writes > 0 {
				key := tokenDay{t.ProjectID, t.ID, day.UnixMilli()}
				usage, _ := st.tokenUsage.get(key)
				st.tokenUsage.put(key, core.TokenUsage{Day: day, Reads: usage.Reads + use.Reads, Writes: usage.Writes + use.Writes})
			}
		}
	})
}

func (s tokens) Usage(ctx context.Context, projectID, id int64, from time.Time) ([]core.TokenUsage, error) {
	return view(ctx, s.conn, func(st *state) (days []core.TokenUsage, _ error) {
		for key, usage := range st.tokenUsage.rows {
			if key.projectID == projectID && key.tokenID == id && !usage.Day.Before(from) {
				days = append(days, usage)
			}
		}
		slices.SortFunc(days, func(a, b core.TokenUsage) int { return a.Day.Compare(b.Day) })
		return days, nil
	})
}

func (st *state) token(projectID, id int64) (core.Token, error) {
	t, ok := st.tokens.get(id)
	return found(copyToken(t), ok && t.ProjectID == projectID, "token")
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
	return new(*p)
}
