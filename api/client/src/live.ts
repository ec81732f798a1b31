// Changes as they happen: server-sent events, read with fetch because EventSource sends no token.

import { ApiError } from "./errors.js";
import { sleep, type Transport } from "./transport.js";

export interface LiveItem {
  op: "put" | "delete" | "media" | "mediaDeleted" | "reset";
  id?: number;
  group?: number;
  collection?: string;
  locale?: string;
}

export interface LiveMessage {
  /** hello: the connection stands. changes: items. reset: everything may have changed. */
  event: "hello" | "changes" | "reset";
  /** The cursor after the message, for since of live and of changes. */
  cursor: string;
  items: LiveItem[];
  /** The tags of cached responses that the changes outdate, if the installation has cache tags. */
  tags?: string[];
  /** There were more changes than the message names: changes has them all. */
  more?: boolean;
}

export async function* listen(transport: Transport, address: string, since: string | undefined, signal?: AbortSignal): AsyncGenerator<LiveMessage, void, undefined> {
  let cursor = since;
  for (let failures = 0; ; ) {
    try {
      const headers: Record<string, string> = { Accept: "text/event-stream" };
      if (cursor) headers["Last-Event-ID"] = cursor;
      const response = await transport.open(address, { headers, cache: "no-store" }, signal);
      for await (const { event, id, data } of events(response)) {
        failures = 0;
        cursor = id || cursor;
        if (event === "bye") break;
        const body = data ? (JSON.parse(data) as Partial<LiveMessage>) : {};
        yield { ...body, event: event === "message" ? "changes" : (event as LiveMessage["event"]), cursor: cursor ?? "", items: body.items ?? [] };
      }
    } catch (error) {
      if (signal?.aborted) return;
      if (error instanceof ApiError && error.status < 500 && error.status !== 429) throw error;
    }
    if (signal?.aborted) return;
    try {
      await sleep(Math.min(30, 2 ** failures++) * (0.5 + Math.random()), signal);
    } catch {
      return;
    }
  }
}

interface ServerEvent {
  event: string;
  id: string;
  data: string;
}

/** Reads the events of a response until it ends. Comments are left out. */
async function* events(response: Response): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  try {
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop()!;
      for (const block of blocks) {
        const found: ServerEvent = { event: "message", id: "", data: "" };
        for (const line of block.split("\n")) {
          const [, name, text] = /^(event|id|data): ?(.*)$/.exec(line) ?? [];
          if (name) found[name as keyof ServerEvent] += name === "event" ? "" : text;
          if (name === "event") found.event = text!;
        }
        if (found.data || found.id || found.event !== "message") yield found;
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
