// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { docOf, htmlOf } from './convert';
import { forms } from './clipboard.fixture';
import { cleanPasted } from './paste';

const pasted = (html: string) => htmlOf(docOf(cleanPasted(html, () => 1).html));

test.each(Object.entries(forms))('%s', (_name, { html, want }) => {
  expect(pasted(html)).toBe(want);
  expect(htmlOf(docOf(want))).toBe(want);
});

test('what is removed is named', () => {
  const { removed } = cleanPasted('<p style="a" class="b">x</p><p style="c" onclick="x()">y</p><script>z</script><iframe src="x"></iframe>', () => 1);
  expect(removed).toEqual(['style (2)', 'script', 'iframe', 'class']);
});

test('pictures in the HTML are uploaded, those that cannot be loaded are named', () => {
  const files: File[] = [];
  const { html, removed } = cleanPasted(
    '<p>a<img src="data:image/png;base64,iVBORw0KGgo=" alt="Chart: 1/2">b<img src="file:///C:/a.png"><img src="cid:x"><img src="blob:y"><img src="https://example.org/a.png" alt="c"></p>',
    (file) => files.push(file),
  );
  expect(files.map((f) => [f.name, f.type, f.size])).toEqual([['Chart: 1 2.png', 'image/png', 8]]);
  expect(html).toBe('<p>a<span data-upload="1" alt="Chart: 1/2"></span>b<img src="https://example.org/a.png" alt="c"></p>');
  expect(removed).toEqual(['img file:', 'img cid:', 'img blob:']);
});

test('directions, languages and the targets of links are kept', () => {
  expect(pasted('<p dir="rtl" lang="he">שלום</p><p dir="ltr">a</p>')).toBe('<p dir="rtl" lang="he">שלום</p><p>a</p>');
  expect(pasted('<html><body dir="rtl"><p>א</p><p dir="ltr">b</p></body></html>')).toBe('<p dir="rtl">א</p><p dir="ltr">b</p>');
  expect(pasted('<div dir="rtl"><div>א</div><div>ב</div></div>')).toBe('<p dir="rtl">א</p><p dir="rtl">ב</p>');
  expect(pasted('<body lang=DE><p lang=DE>a <span lang=EN-US>b</span> <span lang=X-NONE>c</span></p></body>')).toBe('<p>a <span lang="EN-US">b</span> c</p>');
  expect(pasted('<h2><a name="_Toc1">Part</a></h2><p>x<a style="mso-footnote-id:ftn1" href="#_ftn1" name="_ftnref1"><sup>[1]</sup></a></p><div id=ftn1><p><a href="#_ftnref1" name="_ftn1">[1]</a> Note</p></div>')).toBe(
    '<h2><a name="_Toc1">Part</a></h2><p>x<a href="#_ftn1" name="_ftnref1"><sup>[1]</sup></a></p><p id="ftn1"><a href="#_ftnref1" name="_ftn1">[1]</a> Note</p>',
  );
});

test('ids that are taken change, and the pasted links follow', () => {
  const { html } = cleanPasted('<h2 id="a">A</h2><p id="b">B</p><p id="b">C</p><p><a href="#a">a</a> <a href="#b">b</a> <a href="#c">c</a> <a href="#">top</a></p>', () => 1, new Set(['a', 'a-2']));
  expect(html).toBe('<h2 id="a-3">A</h2><p id="b">B</p><p id="b-2">C</p><p><a href="#a-3">a</a> <a href="#b">b</a> <a href="#c">c</a> <a href="#">top</a></p>');
});

test.each([
  ['<table><tr><td>text<p>cell</p></td></tr></table>', '<table><tbody><tr><td>text<p>cell</p></td></tr></tbody></table>'],
  ['<table><tr><td><div>a</div><div>b</div></td></tr></table>', '<table><tbody><tr><td><p>a</p><p>b</p></td></tr></tbody></table>'],
  ['<ul><li>a<p>b</p></li></ul>', '<ul><li>a<p>b</p></li></ul>'],
  ['<section>a</section><section>b</section>', '<p>a</p><p>b</p>'],
  ['<form>a</form>b<center>c</center>', '<p>a</p><p>b</p><p>c</p>'],
  ['a<div>b<p>c</p>d</div>e', '<p>a</p><p>b</p><p>c</p><p>d</p><p>e</p>'],
  ['a<p> </p>b', '<p>a<br>b</p>'],
  ['<p>a<button>x</button>b</p>', '<p>a b</p>'],
])('the words of %s stay apart', (html, want) => expect(pasted(html)).toBe(want));

test('copies within the editor keep everything', () => {
  const html = '<p data-pm-slice="1 1 []" id="x" lang="de">a <kbd>b</kbd></p>';
  expect(pasted(html)).toBe('<p id="x" lang="de">a <kbd>b</kbd></p>');
});
