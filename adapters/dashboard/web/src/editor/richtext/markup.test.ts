// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { docOf, htmlOf } from './convert';
import { parseHTML } from './html';

// What core/fieldtype keeps: TestRichTextKeepsMarkup has the same texts.
const any = 'Why? “Yes” : &amp; % # ; + = * … é 👩‍👩‍👧 \'x\' 日本';
const kept = [
  '<figure id="fig:1"><img src="/x.png" alt="x"><figcaption>A <small>b</small></figcaption></figure>',
  '<figure><figcaption>A</figcaption><img data-media="12" alt="x" width="320"></figure>',
  '<p>Press <kbd>Ctrl</kbd>, H<sub>2</sub>O, m<sup>2</sup>, <mark>m</mark>, <abbr title="a; b">AB</abbr>, <u>u</u>, <s>s</s>, <del>d</del></p>',
  '<p><time datetime="2026-W12">spring</time> <time>noon</time> <q cite="https://example.org/">q</q> <cite>c</cite> <dfn>d</dfn> <samp>s</samp> <var>v</var></p>',
  '<address lang="de-CH" dir="auto">Bern<br>CH</address>',
  '<details open=""><summary>More</summary><p>x</p></details>',
  '<dl><dt>a</dt><dd>b</dd></dl>',
  '<ol start="5" reversed="" type="a"><li value="-3">x</li></ol>',
  '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>',
  '<ul><li><p>a</p><p>b</p></li></ul>',
  '<table><caption>c</caption><colgroup><col span="2"></colgroup><thead><tr><th scope="col" colspan="2" id="h.1">h</th></tr></thead><tbody><tr><th scope="row" abbr="a: b">r</th><td rowspan="2" headers="h.1 h:2">d</td></tr></tbody></table>',
  '<p><a id="§ 4">anchor</a> <a name="_Toc1">old</a> <a>plain</a></p>',
  '<h2><a id="part-2"></a>Part <span id="x"></span>2</h2>',
  `<p id="ü" lang="zh-Hans" dir="rtl" title="${any}">x</p>`,
  `<p><img src="https://example.org/a.png" alt="${any}" title="${any}"></p>`,
  '<p><img src="/a.png"></p>',
  '<pre><code class="language-c++">a\n  b</code></pre>',
  '<pre>a\n<b>b</b></pre>',
  '<p><code class="language-go">x</code></p>',
  '<p><a href="webcal://example.org/a.ics">a</a><a href="sms:+41790000000?body=hi">b</a><a href="geo:47.37,8.54;u=35">c</a></p>',
  '<p><a data-entry="5">entry</a> <a data-media="12" href="#page=3">file</a></p>',
  '<p><ins datetime="2026">a</ins> <bdo dir="rtl">b</bdo> <bdi>c</bdi> <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> <meter value="2" max="5">2</meter></p>',
  '<blockquote cite="https://example.org/"><p>a</p></blockquote>',
  '<section><h2>a</h2><div>b</div><p>c</p></section>',
  '<hr>',
  '<p>a<br>b<wbr>c</p>',
  '<map name="m"><area href="/x" alt="x" shape="rect" coords="0,0,1,1"></map>',
];

/** HTML with sorted attributes. */
function normal(html: string) {
  const body = parseHTML(html);
  for (const element of body.querySelectorAll('*')) {
    const attributes = [...element.attributes].sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const { name } of attributes) element.removeAttribute(name);
    for (const { name, value } of attributes) element.setAttribute(name, value);
  }
  return body.innerHTML;
}

test.each(kept)('the editor keeps %s', (html) => {
  const once = htmlOf(docOf(html))!;
  expect(normal(once)).toBe(normal(html));
  expect(htmlOf(docOf(once))).toBe(once);
});

test('files on their way are not saved', () => {
  expect(htmlOf(docOf('<p>a<span data-upload="3"></span>b</p>'))).toBe('<p>ab</p>');
  expect(htmlOf(docOf('<p><span data-upload="3"></span></p>'))).toBeNull();
});
