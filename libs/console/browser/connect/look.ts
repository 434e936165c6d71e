/** Draws the page in the builder's colour. Text on it is black or white, whichever is easier to read: one of them has a contrast of 4.5 at least. */
export function drawIn(color: string): void {
  const { style } = document.documentElement;
  const [red, green, blue] = [1, 3, 5].map((at) => channelOf(parseInt(color.slice(at, at + 2), 16) / 255)) as [
    number,
    number,
    number,
  ];
  const luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  style.setProperty('--brand', color);
  style.setProperty('--on-brand', luminance > 0.179 ? '#000' : '#fff');
}

/** Source: WCAG 2.2, relative luminance. */
const channelOf = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
