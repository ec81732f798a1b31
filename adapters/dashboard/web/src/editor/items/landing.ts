/** The extent of a row of a list, from the top of the list, in pixels. */
export type Extent = { top: number; height: number };

/**
 * The index that a row has after it was dragged by dy pixels: it passes another when its edge in the
 * direction of the drag passes the middle of the other.
 */
export function landing(rows: readonly Extent[], from: number, dy: number): number {
  const { top, height } = rows[from]!;
  const middle = (row: Extent) => row.top + row.height / 2;
  if (dy < 0) {
    const first = rows.findIndex((row) => middle(row) > top + dy);
    return Math.min(first, from);
  }
  return Math.max(rows.findLastIndex((row) => middle(row) < top + height + dy), from);
}

/** How far each row is moved to make room for the dragged one at its place; 0 for the dragged one itself. */
export function shifts(rows: readonly Extent[], from: number, to: number): number[] {
  const pitch = from + 1 < rows.length ? rows[from + 1]!.top - rows[from]!.top : from > 0 ? rows[from]!.top - rows[from - 1]!.top - rows[from - 1]!.height + rows[from]!.height : 0;
  return rows.map((_, i) => (i > from && i <= to ? -pitch : i < from && i >= to ? pitch : 0));
}
