import { ApiError } from '../api/error';
import { sessionEnded } from '../api/session';
import type { MediaItem } from './kind';

/**
 * Sends one file to a route of the API that takes a form with a file, and reports how many of its
 * bytes have left. fetch cannot report that, so this one call is an XMLHttpRequest.
 */
export function sendFile(path: string, file: File, onSent: (bytes: number) => void, signal: AbortSignal): Promise<MediaItem> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    form.append('file', file);
    request.upload.onprogress = (event) => onSent(Math.min(file.size, event.loaded));
    request.onload = () => {
      let body;
      try {
        body = JSON.parse(request.responseText);
      } catch {
        body = {}; // not from the API but from something between, such as a load balancer
      }
      if (request.status >= 200 && request.status < 300) return resolve(body);
      if (request.status === 401) sessionEnded();
      reject(new ApiError(request.status, body));
    };
    request.onerror = () => reject(ApiError.offline(undefined));
    request.onabort = () => reject(new DOMException('aborted', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    request.open('POST', path);
    request.send(form);
  });
}
