import type { Point } from './point';

/** The widths and heights that the service makes, in pixels. */
export const sides = [64, 96, 128, 160, 240, 320, 480, 640, 750, 828, 960, 1080, 1200, 1440, 1600, 1920, 2048, 2560, 3840];
export const qualities = [40, 60, 75, 85, 95];
export const formats = ['auto', 'webp', 'jpeg', 'png'] as const;
export const fits = ['inside', 'cover', 'contain'] as const;

/** The picture that an address asks for. Height 0: as high as its shape needs. */
export type Rendition = { width: number; height: number; fit: (typeof fits)[number]; format: (typeof formats)[number]; quality: number };

/** Types of files of which the service makes other sizes. */
export const hasSizes = (mimeType: string) => ['image/jpeg', 'image/png', 'image/gif', 'image/webp'].includes(mimeType);

const tenths = (value: number) => Math.round(value * 10) / 10;

/** The address of a rendition, without parameters that have their default. A cropped picture has the focal point. */
export function addressOf(item: { fullUrl: string; focalPoint: Point | null }, { width, height, fit, format, quality }: Rendition): string {
  const parts = [`w=${width}`];
  if (height !== 0) {
    parts.push(`h=${height}`);
    if (fit !== 'inside') parts.push(`fit=${fit}`);
    if (fit === 'cover' && item.focalPoint) {
      const at = `${tenths(item.focalPoint.x)},${tenths(item.focalPoint.y)}`;
      if (at !== '0.5,0.5') parts.push(`fp=${at}`);
    }
  }
  parts.push(`format=${format}`);
  if (quality !== 75 && format !== 'png') parts.push(`q=${quality}`);
  return `${item.fullUrl}?${parts.join('&')}`;
}
