/** A focal point: fractions of the width and the height of a picture, from the top left. */
export type Point = { x: number; y: number };

const fraction = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 1000) / 1000;

/** The point of a picture at a position in the window. */
export const pointAt = (area: { left: number; top: number; width: number; height: number }, x: number, y: number): Point => ({
  x: fraction((x - area.left) / area.width),
  y: fraction((y - area.top) / area.height),
});

const arrows: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/** The point after a key: arrow keys move it by 5 %, with Shift by 1 %. undefined for any other key. */
export function moved({ x, y }: Point, key: string, fine: boolean): Point | undefined {
  const by = arrows[key];
  if (!by) return undefined;
  const step = fine ? 0.01 : 0.05;
  return { x: fraction(x + by[0] * step), y: fraction(y + by[1] * step) };
}
