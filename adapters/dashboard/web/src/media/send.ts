import { lacksSession } from '../api/client';
import { ApiError } from '../api/error';
import { sessionEnded } from '../api/session';
import type { MediaItem } from './kind';

/** An item in the response to its upload. warnings: such as that a picture is kept without renditions. */
type UploadedItem = MediaItem & { warnings?: string[] };

/**
 * Uploads one file as a form to a path of the API. onSent receives the number of bytes sent so far,
 * which fetch cannot report: hence XMLHttpRequest.
 */
export function sendFile(path: string, file: File, onSent: (bytes: number) => void, signal: AbortSignal, folder?: string): Promise<UploadedItem> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const form = new FormData();
    if (folder) form.append('folder', folder);
    form.append('file', file);
    request.upload.onprogress = (event) => onSent(Math.min(file.size, event.loaded));
    request.onload = () => {
      let body;
      try {
        body = JSON.parse(request.responseText);
      } catch {
        body = {}; // not a response of the API, but for example of a load balancer
      }
      if (request.status >= 200 && request.status < 300) return resolve(body);
      const error = new ApiError(request.status, body);
      if (lacksSession(error)) sessionEnded();
      reject(error);
    };
    request.onerror = () => reject(ApiError.offline(undefined));
    request.onabort = () => reject(new DOMException('aborted', 'AbortError'));
    signal.addEventListener('abort', () => request.abort());
    request.open('POST', path);
    request.send(form);
  });
}
