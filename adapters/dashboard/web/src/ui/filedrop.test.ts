// @vitest-environment jsdom
import { expect, test } from 'vitest';
import { keepPage } from './filedrop';

function drop(target: Element, name: string, types: string[]) {
  const event = new Event(name, { bubbles: true, cancelable: true });
  Object.assign(event, { dataTransfer: { types, dropEffect: 'copy' } });
  target.dispatchEvent(event);
  return event;
}

test('a file that is dropped beside a place for files opens nothing', () => {
  keepPage();
  document.body.innerHTML = '<p></p><div></div><input type="file">';
  const [p, area, input] = document.body.children as unknown as [Element, Element, Element];
  area.addEventListener('dragover', (event) => event.preventDefault());
  for (const name of ['dragover', 'drop']) {
    expect(drop(p, name, ['Files']).defaultPrevented).toBe(true);
    expect(drop(p, name, ['text/plain']).defaultPrevented).toBe(false);
    expect(drop(input, name, ['Files']).defaultPrevented).toBe(false);
  }
  const taken = drop(area, 'dragover', ['Files']) as unknown as DragEvent;
  expect(taken.dataTransfer!.dropEffect).toBe('copy');
  expect((drop(p, 'dragover', ['Files']) as unknown as DragEvent).dataTransfer!.dropEffect).toBe('none');
});
