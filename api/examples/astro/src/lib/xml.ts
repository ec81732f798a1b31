const escape = (text: string) => text.replace(/[<>&'"]/g, (c) => `&#${c.charCodeAt(0)};`);

export const element = (name: string, text: string) => `<${name}>${escape(text)}</${name}>`;
export const attribute = (name: string, text: string) => `${name}="${escape(text)}"`;

export const xml = (body: string, type = 'application/xml') =>
  new Response(`<?xml version="1.0" encoding="UTF-8"?>\n${body}\n`, { headers: { 'Content-Type': `${type}; charset=utf-8` } });
