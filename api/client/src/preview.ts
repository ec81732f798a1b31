// The site's part of previews: the page in a frame beside the form of an editor.

/** What the frame hears of its editor. */
export interface Preview {
  /** Reads the versions that the editor sees: the token of a client. It ends with the preview. */
  token: string;
  /** When the token ends, in ISO 8601. */
  expiresAt: string;
  /** Counts the changes that the editor has saved since the preview began. */
  change: number;
}

export interface ConnectOptions {
  /** The origin of the editor, such as "https://cms.example.org". Messages of others are ignored. */
  origin: string;
  /** Draws the page again. Sites that draw on a server and give exchange do not need it. */
  onChange?: (preview: Preview) => void | Promise<void>;
  /** A path of the site to which the token is posted. It answers a cookie; the page is then loaded again. */
  exchange?: string;
  /** Hears of a failed exchange, and of what onChange throws. */
  onError?: (error: unknown) => void;
}

/** The attribute of elements that a click opens in the editor. */
const attribute = "data-imprimatur";

/** The version of the messages, in both directions. */
const version = 1;

let previewing = false;

/**
 * Listens for the editor around the page. It does nothing outside of a frame. The returned function ends it.
 *
 * Messages of the editor: {imprimatur: 1, type: "preview", token, expiresAt, change} and
 * {imprimatur: 1, type: "focus", path}; of the page: {imprimatur: 1, type: "ready"}, "shown" with the change, and "open"
 * with the path of the element that was clicked.
 */
export function connect({ origin, onChange, exchange, onError }: ConnectOptions): () => void {
  if (typeof window === "undefined" || window.parent === window) return () => {};
  const editor = window.parent;
  const say = (message: object) => editor.postMessage({ imprimatur: version, ...message }, origin);
  let latest: Preview | undefined;
  let drawing = false;

  // One change is drawn at a time; of those that come meanwhile, only the last.
  const draw = async (next: Preview) => {
    latest = next;
    if (drawing) return;
    drawing = true;
    for (let shown: Preview | undefined; shown !== latest; ) {
      shown = latest;
      try {
        if (exchange && (await hand(exchange, shown))) return;
        await onChange?.(shown);
        say({ type: "shown", change: shown.change });
      } catch (error) {
        onError?.(error);
        say({ type: "failed", change: shown.change });
      }
    }
    drawing = false;
  };

  const hear = ({ source, origin: from, data }: MessageEvent) => {
    if (source !== editor || from !== origin || data?.imprimatur !== version) return;
    if (data.type === "focus") outline(typeof data.path === "string" ? data.path : "");
    else if (data.type === "preview" && typeof data.token === "string" && data.token.startsWith("imv_")) {
      previewing = true;
      void draw({ token: data.token, expiresAt: `${data.expiresAt}`, change: Number(data.change) });
    }
  };
  const click = (event: MouseEvent) => {
    const element = event.target instanceof Element && event.target.closest(`[${attribute}]`);
    if (!previewing || !element) return;
    event.preventDefault();
    event.stopPropagation();
    say({ type: "open", path: element.getAttribute(attribute) });
  };
  window.addEventListener("message", hear);
  document.addEventListener("click", click, true);
  say({ type: "ready" });
  return () => {
    previewing = false;
    outline("");
    window.removeEventListener("message", hear);
    document.removeEventListener("click", click, true);
  };
}

/**
 * The member of the history's state that has the last change that the server has drawn. It outlives loading the page
 * again; storage does not serve, because browsers that block third-party cookies deny it to frames.
 */
const drawn = "imprimaturPreview";

/** Gives the token to the server of the site and loads the page again, unless this page already shows the change. */
async function hand(exchange: string, { token, change }: Preview): Promise<boolean> {
  const mark = `${token.slice(-8)} ${change}`;
  if (history.state?.[drawn] === mark) return false;
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(exchange, { method: "POST", headers, body: JSON.stringify({ token }), cache: "no-store", credentials: "include" });
  if (!response.ok) throw new Error(`${exchange} answered ${response.status}`);
  history.replaceState({ ...history.state, [drawn]: mark }, "");
  location.reload();
  return true;
}

/** Outlines the elements of a field; "": none. */
function outline(path: string) {
  for (const element of document.querySelectorAll<HTMLElement>(`[${attribute}]`)) {
    const is = path !== "" && element.getAttribute(attribute) === path;
    element.style.outline = is ? "2px solid currentColor" : "";
    element.style.outlineOffset = is ? "2px" : "";
  }
}

/**
 * The attributes of an element that shows a field: `<h1 {...edit(article, "title")}>`, or "body[k1].title" for a field
 * of a block. Outside of a preview they are none. Sites that draw on a server say by inPreview whether they draw one.
 */
export function edit(entry: { id: number }, path: string, inPreview = previewing): { [attribute]?: string } {
  return inPreview ? { [attribute]: `${entry.id}:${path}` } : {};
}
