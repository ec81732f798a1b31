package core

import (
	"math/bits"
	"slices"
	"time"
)

// LocaleIndex says which fallback chains the index of a Project's entries holds, and in which bits of
// its masks. The zero value holds the chain of each locale, in the bit of the number of the locale.
//
// A chain that changes gets a bit of its own. While a back-fill writes this bit to all rows, reads use
// the chain from before. Then the new chain counts. The old one is kept up to date for reads that began
// before, until EndChains, and after that the back-fill clears its bit.
type LocaleIndex struct {
	Version int64          `json:"version,omitempty"` // grows with each change of Chains: a pass over the rows is for one version
	Chains  []IndexedChain `json:"chains,omitempty"`
	Unclear uint64         `json:"unclear,omitempty"` // bits of no chain that rows may still have
	EndedAt time.Time      `json:"endedAt,omitzero"`  // when reads last began to use another chain
}

// IndexedChain is a fallback chain in one bit of the masks of the index.
type IndexedChain struct {
	Locales []string   `json:"locales"` // in which content is looked up; the first is the locale of the chain
	Bit     int        `json:"bit"`
	State   ChainState `json:"state"`
}

// ChainState is what an IndexedChain is for.
type ChainState string

// The states of chains.
const (
	ChainCounts ChainState = "counts" // reads use it; each locale has one
	chainFills  ChainState = "fills"  // a back-fill writes its bit to all rows
	chainEnds   ChainState = "ends"   // only reads that began before another chain counted use it
)

// PortionRows is the number of rows that one transaction of a long work changes, so that others do not
// wait for it.
const PortionRows = 500

const (
	// maskBits is the number of bits of a mask. The sign of a stored mask is not one of them.
	maskBits = 63
	// keptBits is the number of free bits that chains leave for new locales, which need one at once.
	keptBits = 8
)

func (c *IndexedChain) mask() uint64 { return 1 << c.Bit }

// is reports whether c is the chain of the locale in that state.
func (c *IndexedChain) is(locale string, state ChainState) bool {
	return c.State == state && c.Locales[0] == locale
}

// FallbackChain returns the locales in which content for locale is looked up, in this order and
// without duplicates. The first is locale itself. After a change of the settings it is the chain from
// before until the index holds the new one.
func (p *Project) FallbackChain(locale string) []string {
	if c := p.chain(locale, ChainCounts); c != nil {
		return c.Locales
	}
	return p.DefinedChain(locale)
}

// LocaleMask returns the bit of the locale in Row.Serves, 0 for a locale that the Project does not have.
func (p *Project) LocaleMask(locale string) uint64 {
	if n := p.LocaleBit(locale); n >= 0 {
		return 1 << n
	}
	return 0
}

// LocaleBit returns the number of the bit of LocaleMask, or -1.
func (p *Project) LocaleBit(locale string) int {
	if p.Index.Chains == nil {
		return p.LocaleNumber(locale)
	}
	if c := p.chain(locale, ChainCounts); c != nil {
		return c.Bit
	}
	return -1
}

// Serves returns, for each entry of one translation group, the set of locales that it serves: the bit
// LocaleBit is set for a locale. Further bits are those of chains that do not count. An entry serves a
// locale if it is the first of the group in the chain of the locale. members are the locales of the
// entries; the result has the same order.
func (p *Project) Serves(members []string) []uint64 {
	masks := make([]uint64, len(members))
	for _, chain := range p.chains() {
		for _, candidate := range chain.Locales {
			if i := slices.Index(members, candidate); i >= 0 {
				masks[i] |= chain.mask()
				break
			}
		}
	}
	return masks
}

// PendingChains returns the locales whose chain does not count yet, each with the chain that it will
// have.
func (p *Project) PendingChains() map[string][]string {
	pending := map[string][]string{}
	for _, locale := range p.Locales {
		if defined := p.DefinedChain(locale); !slices.Equal(defined, p.FallbackChain(locale)) {
			pending[locale] = defined
		}
	}
	return pending
}

// Settled reports whether the index holds the chains of the settings and no others.
func (p *Project) Settled() bool { return !p.NeedsPass() && !p.has(chainEnds) }

// NeedsPass reports whether rows of the index may lack bits, or may have bits of no chain.
func (p *Project) NeedsPass() bool {
	return p.Index.Unclear != 0 || p.has(chainFills)
}

func (p *Project) has(state ChainState) bool {
	return slices.ContainsFunc(p.Index.Chains, func(c IndexedChain) bool { return c.State == state })
}

// SettledBits returns the bits that are right in every row of the index.
func (p *Project) SettledBits() (mask uint64) {
	for _, c := range p.chains() {
		if c.State != chainFills {
			mask |= c.mask()
		}
	}
	return mask
}

// SameChains reports whether two states of a Project define the same chains.
func SameChains(a, b *Project) bool {
	return slices.Equal(a.Locales, b.Locales) && !slices.ContainsFunc(a.Locales, func(locale string) bool {
		return !slices.Equal(a.DefinedChain(locale), b.DefinedChain(locale))
	})
}

// ChainAtOnce makes the chains of the settings count. The caller updates all rows of the index in the
// same transaction.
func (p *Project) ChainAtOnce() { p.Index = LocaleIndex{Version: p.Index.Version + 1} }

// Rechain makes p, whose settings differ from those of before, ready for a back-fill: the chains of
// before count until Filled. A new locale has no fallbacks until then. Chains that before was to get and
// that are no longer defined are dropped. Rechain returns core.ErrConflict when no bit is free for a new
// locale.
func (p *Project) Rechain(before *Project) error {
	p.Index = LocaleIndex{Version: before.Index.Version + 1, Unclear: before.Index.Unclear, EndedAt: before.Index.EndedAt}
	for _, c := range before.chains() {
		if c.State == chainFills && !slices.Equal(c.Locales, p.DefinedChain(c.Locales[0])) {
			p.Index.Unclear |= c.mask()
		} else {
			p.Index.Chains = append(p.Index.Chains, c)
		}
	}
	for _, locale := range p.Locales[len(before.Locales):] {
		free := p.freeBits()
		if free == 0 {
			return Conflict("reindexing", "the index has no room for another locale until the last change of locales is complete")
		}
		p.Index.Chains = append(p.Index.Chains, IndexedChain{Locales: []string{locale}, Bit: bits.TrailingZeros64(free), State: ChainCounts})
	}
	p.fill()
	return nil
}

// Filled is to be called after a pass over all rows of the index with the chains of p: new chains count.
// It reports whether reads may change.
func (p *Project) Filled(now time.Time) (counts bool) {
	next := LocaleIndex{Version: p.Index.Version + 1, EndedAt: p.Index.EndedAt}
	for _, c := range p.Index.Chains {
		switch {
		case c.State == chainFills:
			c.State, counts, next.EndedAt = ChainCounts, true, now
		case c.State == ChainCounts && p.chain(c.Locales[0], chainFills) != nil:
			c.State = chainEnds
		}
		next.Chains = append(next.Chains, c)
	}
	p.Index = next
	p.fill()
	return counts
}

// EndChains drops the chains that reads no longer use, unless they ended after before. It reports
// whether it dropped any.
func (p *Project) EndChains(before time.Time) bool {
	if !p.has(chainEnds) || p.Index.EndedAt.After(before) {
		return false
	}
	next := LocaleIndex{Version: p.Index.Version + 1, Unclear: p.Index.Unclear}
	for _, c := range p.Index.Chains {
		if c.State == chainEnds {
			next.Unclear |= c.mask()
		} else {
			next.Chains = append(next.Chains, c)
		}
	}
	p.Index = next
	p.fill()
	return true
}

// fill gives bits to defined chains that the index does not hold, while bits are free.
func (p *Project) fill() {
	for _, locale := range p.Locales {
		defined := p.DefinedChain(locale)
		if slices.Equal(defined, p.FallbackChain(locale)) || p.chain(locale, chainFills) != nil {
			continue
		}
		free := p.freeBits()
		if bits.OnesCount64(free) <= min(keptBits, MaxLocales-len(p.Locales)) {
			return
		}
		p.Index.Chains = append(p.Index.Chains, IndexedChain{Locales: defined, Bit: bits.Len64(free) - 1, State: chainFills})
	}
}

// freeBits returns the bits that no row has.
func (p *Project) freeBits() uint64 {
	free := uint64(1)<<maskBits - 1
	for _, c := range p.Index.Chains {
		free &^= c.mask()
	}
	return free &^ p.Index.Unclear
}

// chain returns the chain of the locale in that state, or nil if Index has none.
func (p *Project) chain(locale string, state ChainState) *IndexedChain {
	for i := range p.Index.Chains {
		if c := &p.Index.Chains[i]; c.is(locale, state) {
			return c
		}
	}
	return nil
}

// chains returns all chains that the masks of the index have.
func (p *Project) chains() []IndexedChain {
	if p.Index.Chains != nil {
		return p.Index.Chains
	}
	chains := make([]IndexedChain, len(p.Locales))
	for n, locale := range p.Locales {
		chains[n] = IndexedChain{Locales: p.DefinedChain(locale), Bit: n, State: ChainCounts}
	}
	return chains
}
