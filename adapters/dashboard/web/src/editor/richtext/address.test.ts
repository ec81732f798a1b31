import { expect, test } from 'vitest';
import { addressOf } from './address';

test.each([
  ['', null],
  ['example.org/x', 'https://example.org/x'],
  ['example.org:8080/x', 'https://example.org:8080/x'],
  [' https://a.example ', 'https://a.example'],
  ['/local', '/local'],
  ['#part', '#part'],
  ['a@b.example', 'mailto:a@b.example'],
  ['tel:+4712', 'tel:+4712'],
  ['javascript:alert(1)', null],
  ['data:text/html,x', null],
])('%j becomes %j', (text, address) => expect(addressOf(text)).toBe(address));
