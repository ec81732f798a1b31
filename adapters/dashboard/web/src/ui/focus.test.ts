// @vitest-environment jsdom
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { focusNext } from './focus';

beforeEach(() => {
  vi.useFakeTimers();
  document.body.innerHTML = '<button id="add">Add</button><input id="first"><button id="next">Next</button>';
});
afterEach(() => vi.useRealTimers());

const element = (id: string) => document.getElementById(id)!;
const type = (id: string) => {
  element(id).focus();
  element(id).dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
};

test('the focus moves to the element, also after a dialog has given it back', () => {
  element('add').focus();
  focusNext(() => element('first'));
  vi.runAllTimers();
  expect(document.activeElement).toBe(element('first'));
});

test('a user who typed there already, and went on, keeps the focus', () => {
  focusNext(() => element('first'));
  type('first');
  element('next').focus();
  vi.runAllTimers();
  expect(document.activeElement).toBe(element('next'));
});

test('a user who points elsewhere before the element is there keeps the focus', () => {
  let there = false;
  focusNext(() => (there ? element('first') : undefined));
  element('next').dispatchEvent(new MouseEvent('pointerdown', { bubbles: true }));
  element('next').focus();
  there = true;
  vi.runAllTimers();
  expect(document.activeElement).toBe(element('next'));
});

test('keys that go to the button that had the focus do not count', () => {
  element('add').focus();
  focusNext(() => element('first'));
  element('add').dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true }));
  vi.runAllTimers();
  expect(document.activeElement).toBe(element('first'));
});

test('the element that replaces a focused one gets the focus', () => {
  focusNext(() => element('first'));
  vi.advanceTimersByTime(100);
  element('first').outerHTML = '<input id="first">';
  vi.runAllTimers();
  expect(document.activeElement).toBe(element('first'));
});
