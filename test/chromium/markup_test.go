package chromium_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"imprimatur/core/fieldtype"
	"imprimatur/test/chromium"
)

// brokenMarkup has markup that authors and programs write, and how it is stored.
var brokenMarkup = map[string]string{
	`<ruby><p>a<rt>b</ruby>`:                                              `<ruby><p>a</p><rt>b</rt></ruby>`,
	`<table><tr><div>a</div><td>b</td></tr></table>`:                      `<div>a</div><table><tr><td>b</td></tr></table>`,
	`<table><tr>a<td>b</td></tr></table>`:                                 `a<table><tr><td>b</td></tr></table>`,
	`<table><thead><p>a</p><tr><th>b</table>`:                             `<p>a</p><table><thead><tr><th>b</th></tr></thead></table>`,
	`<table><tr><b>a</b><td>b</table>c`:                                   `<b>a</b><table><tr><td>b</td></tr></table>c`,
	`<table><tr><td><p>a</p><table><tr>b<td>c</table>d</table>`:           `<table><tr><td><p>a</p>b<table><tr><td>c</td></tr></table>d</td></tr></table>`,
	`<table><table><tr><td>a</table>`:                                     `<table></table><table><tr><td>a</td></tr></table>`,
	`<table><colgroup><col>a<tr><td>b</table>`:                            `a<table><colgroup><col></colgroup><tr><td>b</td></tr></table>`,
	`<table><td>a</td><tr><td>b</td></tr></table>`:                        `<table><td>a</td><tr><td>b</td></tr></table>`,
	`<table><caption>a<tr><td>b</table>`:                                  `<table><caption>a</caption><tr><td>b</td></tr></table>`,
	`<div><table><tr></div><td>a</table>b`:                                `<div><table><tr><td>a</td></tr></table>b</div>`,
	`<table><tr><td>text<p>cell</p></td></tr></table>`:                    `<table><tr><td>text<p>cell</p></td></tr></table>`,
	`<table><tr><td colspan="99999999999999999999" rowspan=70000>a`:       `<table><tr><td colspan="1000" rowspan="65534">a</td></tr></table>`,
	`<table><colgroup span="1001"></colgroup><tr><td colspan=" 2px">a`:    `<table><colgroup span="1000"></colgroup><tr><td colspan="2">a</td></tr></table>`,
	`<p id="a" id="b" lang="de" lang="fr">x`:                              `<p id="a" lang="de">x</p>`,
	`<div/>a<b/>b`:                                                        `<div>a<b>b</b></div>`,
	`a</br>b`:                                                             `a<br>b`,
	`a</p>b`:                                                              `a<p></p>b`,
	`<a href="#">top</a><a href="">page</a><a href>page</a>`:              `<a href="#">top</a><a href="">page</a><a href="">page</a>`,
	`<p dir="rtl" lang="he" id="_ftn1"><a name="_ftnref1" href="#">x</a>`: `<p dir="rtl" lang="he" id="_ftn1"><a name="_ftnref1" href="#">x</a></p>`,
}

// browserTree returns the elements, attributes and text that a browser reads, without the parts of tables
// whose tags may be omitted.
const browserTree = `
	const show = (node) => node.nodeType === 3 ? node.data.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : [...node.childNodes].map((child) => {
		if (child.nodeType !== 1) return show(child);
		const name = child.localName, inner = show(child);
		if ((name === 'tbody' || name === 'tr' || name === 'colgroup') && child.attributes.length === 0) return inner;
		const attributes = [...child.attributes].map((a) => ' ' + a.name + '=' + JSON.stringify(a.value)).join('');
		return '<' + name + attributes + '>' + inner + '</' + name + '>';
	}).join('');
	const spans = { colspan: 'colSpan', rowspan: 'rowSpan', span: 'span' };
	return given.map((text) => {
		const body = new DOMParser().parseFromString('<!DOCTYPE html><body>' + text, 'text/html').body;
		for (const element of body.querySelectorAll('*')) for (const [name, property] of Object.entries(spans))
			if (element.hasAttribute(name)) element.setAttribute(name, element[property]);
		return show(body);
	});`

// A browser reads in what is stored the same as in what was written.
func TestMarkupIsRepairedAsBrowsersDo(t *testing.T) {
	t.Parallel()
	var written, stored []string
	for text, want := range brokenMarkup {
		raw, err := json.Marshal(text)
		require.NoError(t, err)
		value, fault := fieldtype.Of("richtext").Check(raw)
		require.Empty(t, fault, text)
		var got string
		require.NoError(t, json.Unmarshal(value, &got))
		require.Equal(t, want, got, text)
		written, stored = append(written, text), append(stored, got)
	}
	var read, again []string
	chromium.Ask(t, browserTree, written, &read, map[string][]byte{})
	chromium.Ask(t, browserTree, stored, &again, map[string][]byte{})
	require.Equal(t, read, again)
}
