/** What the page around the frame tells the frame page, /dashboard/frame/<project>. */
export type ToFrame = { frame: 'show'; url: string; title: string } | { frame: 'say'; message: object };

/** What the frame page tells the page around it. */
export type FromFrame =
  /** Its script runs. */
  | { frame: 'begun' }
  /** The site has loaded a page, or the browser its own page about an error. */
  | { frame: 'loaded' }
  | { frame: 'heard'; message: SiteMessage }
  /** The site leads to another one, which is not among those of the Project. */
  | { frame: 'blocked'; by: string };

/** What a site says, see api/client/README.md. */
export type SiteMessage = { imprimatur: 1; type: string; change?: unknown; path?: unknown };
