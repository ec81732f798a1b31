import type { FromFrame, ToFrame } from './preview/messages';

// The script of /dashboard/frame/<project>, the page that frames a site. It passes messages on between the site and the
// page of the dashboard around it. A message counts only from the window and the origin that it is expected from.

const own = location.origin;
const around = window.parent;
let site: HTMLIFrameElement | undefined;
let origin = '';

const tell = (message: FromFrame) => around.postMessage(message, own);

/** Frames a page of a site in place of the one before. */
function show({ url, title }: { url: string; title: string }) {
  const { protocol, origin: from, href } = new URL(url);
  if (protocol !== 'https:' && protocol !== 'http:') return;
  site?.remove();
  origin = from;
  site = document.createElement('iframe');
  site.setAttribute('sandbox', 'allow-scripts allow-same-origin allow-forms');
  site.title = title;
  site.style.cssText = 'position: fixed; inset: 0; width: 100%; height: 100%; border: 0; background: #fff';
  const framed = site;
  site.addEventListener('load', () => framed === site && tell({ frame: 'loaded' }));
  site.src = href;
  document.body.append(site);
}

addEventListener('message', ({ source, origin: from, data }: MessageEvent) => {
  if (source === around && from === own) {
    const message = data as ToFrame | null;
    if (message?.frame === 'show') show(message);
    else if (message?.frame === 'say') site?.contentWindow?.postMessage(message.message, origin);
  } else if (site && source === site.contentWindow && from === origin && data?.imprimatur === 1) {
    tell({ frame: 'heard', message: data });
  }
});
document.addEventListener('securitypolicyviolation', ({ blockedURI }) => tell({ frame: 'blocked', by: blockedURI }));

if (around !== window) {
  document.documentElement.lang = around.document.documentElement.lang;
  tell({ frame: 'begun' });
}
