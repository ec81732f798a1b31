package memory

import (
	"context"
	"slices"

	"imprimatur/core"
	"imprimatur/core/assistant"
	"imprimatur/core/event"
)

type assistants struct{ conn }

func (s assistants) AssistantsOf(ctx context.Context, userID int64) ([]core.Assistant, error) {
	return view(ctx, s.conn, func(st *state) ([]core.Assistant, error) {
		return byID(&st.assistants, func(a core.Assistant) bool { return a.UserID == userID }, copyAssistant), nil
	})
}

func (s assistants) Assistant(ctx context.Context, id int64) (core.Assistant, error) {
	return view(ctx, s.conn, func(st *state) (core.Assistant, error) {
		a, ok := st.assistants.get(id)
		return found(copyAssistant(a), ok, "assistant")
	})
}

func (s assistants) AssistantByHash(ctx context.Context, hash [32]byte) (core.Assistant, error) {
	return view(ctx, s.conn, func(st *state) (core.Assistant, error) {
		a, ok := st.assistants.find(func(a core.Assistant) bool { return a.Hash == hash })
		return found(copyAssistant(a), ok, "assistant")
	})
}

// Lock does nothing: transactions run one after another.
func (s assistants) Lock(context.Context, int64) error { return nil }

func (s assistants) Insert(ctx context.Context, a *core.Assistant) error {
	return s.change(ctx, func(st *state) error {
		if !st.users.has(a.UserID) {
			return core.NotFound("user")
		}
		a.ID = st.assistants.next()
		st.assistants.put(a.ID, copyAssistant(*a))
		st.record(assistant.Changed(event.AssistantCreated, a))
		return nil
	})
}

func (s assistants) Revoke(ctx context.Context, a *core.Assistant) error {
	return s.change(ctx, func(st *state) error {
		next, ok := st.assistants.get(a.ID)
		if !ok || !next.RevokedAt.IsZero() {
			return core.NotFound("assistant")
		}
		next.RevokedAt = a.RevokedAt
		st.assistants.put(a.ID, next)
		st.record(assistant.Changed(event.AssistantRevoked, &next))
		return nil
	})
}

func copyAssistant(a core.Assistant) core.Assistant {
	a.ProjectIDs = slices.Clone(a.ProjectIDs)
	return a
}
