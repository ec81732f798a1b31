/** Returns the smallest axis end that is at least max, out of 2, 4, 10, 20, 40, 100 and so on. */
export function ceiling(max: number) {
  for (let size = 1; ; size *= 10) {
    for (const factor of [2, 4, 10]) if (max <= factor * size) return factor * size;
  }
}
