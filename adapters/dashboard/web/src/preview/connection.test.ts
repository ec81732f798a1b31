import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ApiError } from '../api/error';
import { Connection, type FrameState, type Token } from './connection';
import type { SiteMessage, ToFrame } from './messages';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const tick = () => vi.advanceTimersByTimeAsync(0);

function connect(token?: () => Promise<Token>) {
  const posted: ToFrame[] = [];
  const opened: string[] = [];
  const states: FrameState[] = [];
  let made = 0;
  const connection = new Connection({
    token: token ?? (() => Promise.resolve({ token: `imv_${++made}`, expiresAt: 'later' })),
    post: (message) => posted.push(message),
    open: (path) => opened.push(path),
    changed: (state) => states.push(state),
  });
  const say = (message: Omit<SiteMessage, 'imprimatur'>) => connection.hear({ frame: 'heard', message: { imprimatur: 1, ...message } });
  const kind = () => states.at(-1)?.kind;
  const said = () => posted.splice(0).flatMap((message) => (message.frame === 'say' ? message.message : []));
  return { connection, posted, opened, states, say, kind, said };
}

test('a site gets the token, each change and the field in focus', async () => {
  const { connection, posted, opened, say, kind, said } = connect();
  connection.show('https://site.example/a', 'Page');
  expect(posted).toEqual([]);
  connection.hear({ frame: 'begun' });
  expect(posted.splice(0)).toEqual([{ frame: 'show', url: 'https://site.example/a', title: 'Page' }]);
  connection.show('https://site.example/a', 'Page');
  connection.focus('12:title');
  expect(posted).toEqual([]);
  say({ type: 'ready' });
  await tick();
  expect(said()).toEqual([{ imprimatur: 1, type: 'preview', token: 'imv_1', expiresAt: 'later', change: 0 }]);
  expect(kind()).toBe('drawing');
  say({ type: 'shown', change: 0 });
  connection.hear({ frame: 'loaded' });
  expect(kind()).toBe('shown');
  expect(said()).toEqual([{ imprimatur: 1, type: 'focus', path: '12:title' }]);
  connection.draw();
  await tick();
  expect(said()).toEqual([{ imprimatur: 1, type: 'preview', token: 'imv_1', expiresAt: 'later', change: 1 }]);
  say({ type: 'shown', change: 0 });
  expect(kind()).toBe('drawing');
  say({ type: 'failed', change: 1 });
  expect(kind()).toBe('failed');
  say({ type: 'open', path: '12:title' });
  say({ type: 'open', path: 7 });
  expect(opened).toEqual(['12:title']);
});

test('a site that loads its page again gets all of it again', async () => {
  const { connection, say, said } = connect();
  connection.show('https://site.example/', 'Page');
  connection.hear({ frame: 'begun' });
  for (const round of [1, 2]) {
    say({ type: 'ready' });
    await tick();
    expect(said(), `${round}`).toContainEqual({ imprimatur: 1, type: 'preview', token: 'imv_1', expiresAt: 'later', change: 0 });
    connection.hear({ frame: 'loaded' });
  }
});

test('the token is replaced before it ends, also after the computer has slept', async () => {
  const { connection, say, said } = connect();
  connection.show('https://site.example/', 'Page');
  connection.hear({ frame: 'begun' });
  say({ type: 'ready' });
  await tick();
  say({ type: 'shown', change: 0 });
  await vi.advanceTimersByTimeAsync(12 * 60_000);
  connection.wake();
  await tick();
  expect(JSON.stringify(said())).not.toContain('imv_2');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(said()).toEqual([{ imprimatur: 1, type: 'preview', token: 'imv_2', expiresAt: 'later', change: 0 }]);
  vi.setSystemTime(Date.now() + 3_600_000);
  connection.wake();
  await tick();
  expect(said()).toEqual([{ imprimatur: 1, type: 'preview', token: 'imv_3', expiresAt: 'later', change: 0 }]);
  connection.replace();
  await tick();
  expect(JSON.stringify(said())).toContain('imv_4');
  connection.close();
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(said()).toEqual([]);
});

test('a site that does not answer, leaves or leads elsewhere is said', async () => {
  const { connection, say, kind, states } = connect();
  connection.show('https://site.example/', 'Page');
  connection.hear({ frame: 'begun' });
  connection.hear({ frame: 'loaded' });
  expect(kind()).toBe('loading');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(kind()).toBe('silent');
  say({ type: 'ready' }); // late
  await tick();
  expect(kind()).toBe('drawing');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(kind()).toBe('silent');
  say({ type: 'shown', change: 0 });
  expect(kind()).toBe('shown');
  connection.hear({ frame: 'loaded' }); // of the page that said ready
  connection.hear({ frame: 'loaded' }); // of another one
  expect(kind()).toBe('loading');
  connection.hear({ frame: 'blocked', by: 'https://elsewhere.example' });
  connection.hear({ frame: 'loaded' });
  expect(states.at(-1)).toEqual({ kind: 'blocked', by: 'https://elsewhere.example' });
  connection.again();
  expect(kind()).toBe('loading');
});

test('without a token the site hears nothing', async () => {
  const { connection, say, kind, said } = connect(() => Promise.reject(new ApiError(403, { title: 'Forbidden' })));
  connection.show('https://site.example/', 'Page');
  connection.hear({ frame: 'begun' });
  say({ type: 'ready' });
  await tick();
  expect(kind()).toBe('refused');
  expect(said()).toEqual([]);
});
