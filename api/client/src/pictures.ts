// Addresses of pictures in other sizes and formats.

export type Width = 64 | 96 | 128 | 160 | 240 | 320 | 480 | 640 | 750 | 828 | 960 | 1080 | 1200 | 1440 | 1600 | 1920 | 2048 | 2560 | 3840;

type Shape = "5:4" | "4:3" | "3:2" | "16:9" | "2:1" | "21:9" | "1200:630";
type Turned<R extends string> = R extends `${infer W}:${infer H}` ? `${H}:${W}` : never;

/** The ratio of width and height. */
export type Ratio = "1:1" | Shape | Turned<Shape>;

/** What a picture of an entry or of the library has. */
export interface Picture {
  fullUrl: string;
  width: number | null;
  focalPoint?: { x: number; y: number } | null;
}

export interface Rendition {
  fit?: "inside" | "cover" | "contain";
  format?: "auto" | "jpeg" | "png" | "webp";
  q?: 40 | 60 | 75 | 85 | 95;
}

/** A height takes a width, and a ratio stands in place of the height. */
export type Size = { w?: Width; h?: never; ar?: never } | { w: Width; h: Width; ar?: never } | { w: Width; ar: Ratio; h?: never };

/** Returns the address of the picture in a size. What is cut off lies far from its focal point. */
export function image(picture: Picture, options: Size & Rendition = {}): string {
  const { w, h, ar, fit = h ? "cover" : undefined, format = "auto", q } = options;
  const { x, y } = picture.focalPoint ?? { x: 0.5, y: 0.5 };
  const tenths = (part: number) => Math.round(part * 10) / 10;
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ w, h, ar, fit, fp: ar || fit === "cover" ? `${tenths(x)},${tenths(y)}` : undefined, format, q })) {
    if (value !== undefined) query.set(name, `${value}`);
  }
  return `${picture.fullUrl}?${query.toString().replace(/%2C/g, ",").replace(/%3A/g, ":")}`;
}

/**
 * Returns the attribute srcset of the picture in the widths. Widths that the picture does not have are left out,
 * because it is never enlarged.
 */
export function srcset(picture: Picture, widths: readonly Width[], options: { ar?: Ratio } & Rendition = {}): string {
  const sorted = [...widths].sort((a, b) => a - b);
  const fitting = sorted.filter((w) => !picture.width || w <= picture.width);
  return (fitting.length ? fitting : sorted.slice(0, 1)).map((w) => `${image(picture, { ...options, w } as Size & Rendition)} ${w}w`).join(", ");
}
