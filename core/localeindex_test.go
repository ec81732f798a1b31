package core_test

import (
	"fmt"
	"math/bits"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"imprimatur/core"
)

// indexed is a Project with some translation groups and the masks of their rows. A back-fill that may
// stop anywhere keeps the masks.
type indexed struct {
	project *core.Project
	groups  [][]string
	masks   [][]uint64
	reached int // number of groups that the present pass has done
}

// serve updates the masks of one group.
func (x *indexed) serve(i int) { x.masks[i] = x.project.Serves(x.groups[i]) }

// TestChainsCountWhenTheirIndexIsFull changes locales and fallbacks at random, while a back-fill does
// steps, and writes change groups. The answers follow the chains that count at all times.
func TestChainsCountWhenTheirIndexIsFull(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		x := &indexed{project: &core.Project{DefaultLocale: "l00", Locales: locales(rapid.SampledFrom([]int{1, 2, 5, 30, 58, 60}).Draw(t, "locales"))}}
		for range 4 {
			x.groups = append(x.groups, drawGroup(t, x.project))
			x.masks = append(x.masks, nil)
			x.serve(len(x.groups) - 1)
		}
		t.Repeat(map[string]func(*rapid.T){
			"": x.check, "redefine": x.redefine, "portion": x.portion, "end": x.end,
			"write": func(t *rapid.T) {
				i := rapid.IntRange(0, len(x.groups)-1).Draw(t, "group")
				x.groups[i] = drawGroup(t, x.project)
				x.serve(i)
			},
		})
		for range 200 { // 60 chains, three at a time, with a pass that clears bits after each
			for x.project.NeedsPass() {
				x.step()
			}
			x.project.EndChains(time.Unix(2, 0))
		}
		x.check(t)
		if !x.project.Settled() || len(x.project.PendingChains()) > 0 {
			t.Fatalf("the back-fill has ended with %+v", x.project.Index)
		}
		for i, group := range x.groups {
			if want := x.project.Serves(group); !slices.Equal(x.masks[i], want) {
				t.Fatalf("the masks of %v are %b, want %b", group, x.masks[i], want)
			}
		}
	})
}

func locales(n int) []string {
	names := make([]string, n)
	for i := range names {
		names[i] = fmt.Sprintf("l%02d", i)
	}
	return names
}

func drawGroup(t *rapid.T, p *core.Project) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(p.Locales), 1, min(4, len(p.Locales)), rapid.ID).Draw(t, "group")
}

func (x *indexed) redefine(t *rapid.T) {
	after := *x.project
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		after.Locales = locales(min(core.MaxLocales, len(after.Locales)+rapid.IntRange(1, 9).Draw(t, "more")))
	case 1:
		after.DefaultLocale = rapid.SampledFrom(after.Locales).Draw(t, "default")
	default:
		locale := rapid.SampledFrom(after.Locales).Draw(t, "locale")
		chain := rapid.SliceOfNDistinct(rapid.SampledFrom(after.Locales), 0, min(3, len(after.Locales)), rapid.ID).Draw(t, "chain")
		after.Fallbacks = map[string][]string{locale: slices.DeleteFunc(chain, func(l string) bool { return l == locale })}
	}
	if core.SameChains(x.project, &after) {
		return
	}
	before := chainsOf(x.project)
	if err := after.Rechain(x.project); err != nil {
		if len(after.Locales) == len(x.project.Locales) {
			t.Fatalf("a change without a new locale: %v", err)
		}
		return
	}
	for locale, chain := range before {
		if !slices.Equal(after.FallbackChain(locale), chain) {
			t.Fatalf("the chain of %s counts before it is filled: %v", locale, after.FallbackChain(locale))
		}
	}
	x.project, x.reached = &after, 0
}

func chainsOf(p *core.Project) map[string][]string {
	chains := map[string][]string{}
	for _, locale := range p.Locales {
		chains[locale] = p.FallbackChain(locale)
	}
	return chains
}

// portion does one step of the pass, if one is needed.
func (x *indexed) portion(*rapid.T) {
	if x.project.NeedsPass() {
		x.step()
	}
}

func (x *indexed) step() {
	if x.reached < len(x.groups) {
		x.serve(x.reached)
		x.reached++
		return
	}
	x.project.Filled(time.Unix(1, 0))
	x.reached = 0
}

func (x *indexed) end(t *rapid.T) {
	if x.project.EndChains(time.Unix(int64(rapid.IntRange(0, 1).Draw(t, "now")), 0)) {
		x.reached = 0
	}
}

// check verifies that the chains have bits of their own, and that each group is served as the chains that
// count say.
func (x *indexed) check(t *rapid.T) {
	used := x.project.Index.Unclear
	counting := map[string]int{}
	for _, c := range x.project.Index.Chains {
		if bit := uint64(1) << c.Bit; c.Bit > 62 || used&bit != 0 {
			t.Fatalf("bit %d is used twice or too high: %+v", c.Bit, x.project.Index)
		}
		used |= 1 << c.Bit
		if c.State == core.ChainCounts {
			counting[c.Locales[0]]++
		}
	}
	settled := x.project.SettledBits()
	for i, group := range x.groups {
		for n, mask := range x.project.Serves(group) {
			if mask&settled != x.masks[i][n]&settled {
				t.Fatalf("the settled bits of %s of %v are %b, want %b", group[n], group, x.masks[i][n]&settled, mask&settled)
			}
		}
	}
	for _, locale := range x.project.Locales {
		if x.project.Index.Chains != nil && counting[locale] != 1 {
			t.Fatalf("%d chains of %s count", counting[locale], locale)
		}
		mask := x.project.LocaleMask(locale)
		if bits.OnesCount64(mask) != 1 || mask&x.project.SettledBits() == 0 {
			t.Fatalf("the mask of %s is %b", locale, mask)
		}
		for i, group := range x.groups {
			want := slices.IndexFunc(x.project.FallbackChain(locale), func(l string) bool { return slices.Contains(group, l) })
			for n, member := range group {
				serves := want >= 0 && x.project.FallbackChain(locale)[want] == member
				if got := x.masks[i][n]&mask != 0; got != serves {
					t.Fatalf("%s of %v serves %s: %t", member, group, locale, got)
				}
			}
		}
	}
}
