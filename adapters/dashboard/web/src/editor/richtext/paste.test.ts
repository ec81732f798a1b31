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

test('copies within the editor keep everything', () => {
  const html = '<p data-pm-slice="1 1 []" id="x" lang="de">a <kbd>b</kbd></p>';
  expect(pasted(html)).toBe('<p id="x" lang="de">a <kbd>b</kbd></p>');
});
