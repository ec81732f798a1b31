// The layout of a grid of items in rows of equal length.

const narrowest = 148; // px of an item
const ideal = 190;

/** The number of columns that fit in a width in pixels, at least two. */
export function columnsFor(width: number, gap: number) {
  const item = width < 700 ? narrowest : ideal;
  return Math.max(2, Math.floor((width + gap) / (item + gap)));
}

export const rowsFor = (total: number, columns: number) => Math.ceil(total / columns);

const rowsPerPage = 3;

/**
 * The index to which a key moves the focus; undefined for other keys. control: Control or Command
 * is pressed, with which Home and End refer to the grid instead of the row.
 */
export function moved(key: string, control: boolean, index: number, total: number, columns: number): number | undefined {
  if (total === 0) return undefined;
  const last = total - 1;
  const within = (next: number) => (next < 0 || next > last ? index : next);
  const rowStart = index - (index % columns);
  switch (key) {
    case 'ArrowLeft':
      return within(index - 1);
    case 'ArrowRight':
      return within(index + 1);
    case 'ArrowUp':
      return within(index - columns);
    case 'ArrowDown':
      // The last row may be shorter than the one above it.
      return index + columns > last && rowStart + columns <= last ? last : within(index + columns);
    case 'Home':
      return control ? 0 : rowStart;
    case 'End':
      return control ? last : Math.min(last, rowStart + columns - 1);
    case 'PageUp':
      return Math.max(index % columns, index - columns * rowsPerPage);
    case 'PageDown':
      return Math.min(last, index + columns * rowsPerPage);
    default:
      return undefined;
  }
}
