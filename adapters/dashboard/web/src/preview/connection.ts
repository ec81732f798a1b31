import { asApiError, type ApiError } from '../api/error';
import type { FromFrame, SiteMessage, ToFrame } from './messages';

/** How the frame is. */
export type FrameState =
  | { kind: 'loading' }
  /** The site has answered and draws the last change. */
  | { kind: 'drawing' }
  | { kind: 'shown' }
  /** The site says that it cannot draw the last change. */
  | { kind: 'failed' }
  /** The site has not answered in time. */
  | { kind: 'silent' }
  /** The site leads to an origin that is not among those of the Project. */
  | { kind: 'blocked'; by: string }
  /** The API makes no preview. */
  | { kind: 'refused'; error: ApiError };

export type Token = { token: string; expiresAt: string };

type Options = {
  /** Makes a token. */
  token: () => Promise<Token>;
  /** Posts to the frame page. */
  post: (message: ToFrame) => void;
  /** A click on an element of the site that shows a field: "12:body[k1].title". */
  open: (path: string) => void;
  changed: (state: FrameState) => void;
};

const patience = 10_000; // ms that a site may take for an answer
const renewal = 13 * 60_000; // ms: a token lives for 15 minutes

/**
 * The dashboard's side of a preview. It gives the site a token, each change of the entry and the field in focus, and
 * replaces the token before it ends. Whatever the site does or does not do becomes a state.
 */
export class Connection {
  readonly #options: Options;
  #state: FrameState = { kind: 'loading' };
  #page?: { url: string; title: string };
  #begun = false;
  /** Whether the site listens. */
  #ready = false;
  /** Whether it has said so since the last page was loaded. */
  #heard = false;
  #change = 0;
  #focus = '';
  #token?: Token;
  #madeAt = 0;
  #asked = 0;
  #timer?: ReturnType<typeof setTimeout>;
  #renew?: ReturnType<typeof setTimeout>;
  #closed = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Frames the page at an address, unless it is there already. */
  show(url: string, title: string) {
    if (this.#page?.url === url) return;
    this.#page = { url, title };
    this.#load();
  }

  /** Loads the page again, with a new token. */
  again() {
    this.#token = undefined;
    this.#load();
  }

  /** Asks for another token: what it shows is another version. */
  replace() {
    this.#token = undefined;
    if (this.#ready) void this.#draw();
  }

  /** The entry was saved. */
  draw() {
    this.#change++;
    if (this.#ready) void this.#draw();
  }

  /** Outlines the elements of a field: "12:title"; "" outlines none. */
  focus(path: string) {
    this.#focus = path;
    if (this.#ready) this.#say({ type: 'focus', path });
  }

  hear(message: FromFrame | null) {
    if (this.#closed) return;
    if (message?.frame === 'begun') {
      this.#begun = true;
      this.#load();
    } else if (message?.frame === 'blocked') {
      this.#stop({ kind: 'blocked', by: message.by });
    } else if (message?.frame === 'heard') {
      this.#hear(message.message);
    } else if (message?.frame === 'loaded') {
      this.#loaded();
    }
  }

  /** The page is visible again: timers may have slept. */
  wake() {
    if (this.#token && Date.now() - this.#madeAt >= renewal) this.replace();
  }

  /** Begins, or begins again after close. */
  open() {
    this.#closed = false;
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#renew);
  }

  #load() {
    if (!this.#begun || !this.#page || this.#closed) return;
    this.#ready = this.#heard = false;
    this.#wait({ kind: 'loading' });
    this.#options.post({ frame: 'show', ...this.#page });
  }

  #loaded() {
    if (this.#heard) this.#heard = false;
    else if (this.#state.kind !== 'blocked') {
      this.#ready = false; // until this page says that it listens
      this.#wait({ kind: 'loading' });
    }
  }

  #hear({ type, change, path }: SiteMessage) {
    if (type === 'ready') {
      this.#ready = this.#heard = true;
      void this.#draw();
    } else if (type === 'open') {
      if (typeof path === 'string') this.#options.open(path);
    } else if ((type === 'shown' || type === 'failed') && change === this.#change) {
      this.#stop({ kind: type });
      this.focus(this.#focus);
    }
  }

  /** Gives the site the token and the number of the last change. */
  async #draw() {
    const asked = ++this.#asked;
    try {
      if (!this.#token || Date.now() - this.#madeAt >= renewal) {
        const made = await this.#options.token();
        if (asked !== this.#asked || this.#closed) return;
        this.#token = made;
        this.#madeAt = Date.now();
        clearTimeout(this.#renew);
        this.#renew = setTimeout(() => this.replace(), renewal);
      }
      if (!this.#ready) return;
      this.#wait({ kind: 'drawing' });
      this.#say({ type: 'preview', ...this.#token, change: this.#change });
    } catch (error) {
      if (asked === this.#asked) this.#stop({ kind: 'refused', error: asApiError(error) });
    }
  }

  #say(message: object) {
    this.#options.post({ frame: 'say', message: { imprimatur: 1, ...message } });
  }

  /** Sets a state that an answer of the site has to end. */
  #wait(state: FrameState) {
    this.#stop(state);
    this.#timer = setTimeout(() => this.#stop({ kind: 'silent' }), patience);
  }

  #stop(state: FrameState) {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    this.#state = state;
    this.#options.changed(state);
  }
}
