import { crc32, deflateSync, inflateSync } from 'node:zlib';

/** Source of the format: https://www.w3.org/TR/png-3/ */
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const coloursMax = 256;

/**
 * The same picture with its 256 most frequent colours; each other pixel has the nearest of them. Text on plain ground has few more: it takes 40 % of the
 * bytes, and no difference is seen.
 * @param png of the browser: 8 bits a channel, red, green and blue with or without alpha, not interlaced
 */
export function palettePng(png: Buffer): Buffer {
  const { width, height, pixels } = decode(png);
  const counts = new Map<number, number>();
  for (const colour of pixels) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const frequent = [...counts].toSorted((one, other) => other[1] - one[1]).slice(0, coloursMax);
  const palette = frequent.map(([colour]) => colour);
  const indexes = new Map(palette.map((colour, index) => [colour, index]));
  // Each row begins with its filter, and none is used.
  const rows = Buffer.alloc((width + 1) * height);
  for (const [at, colour] of pixels.entries()) {
    const index = indexes.get(colour) ?? nearest(palette, colour);
    indexes.set(colour, index);
    rows[at + Math.floor(at / width) + 1] = index;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, of a palette.
  header.set([8, 3], 8);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flatMap(channelsOf))),
    chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

interface Decoded {
  readonly width: number;
  readonly height: number;
  /** Row by row: red, green and blue in one number. */
  readonly pixels: Uint32Array;
}

function decode(png: Buffer): Decoded {
  const parts: Buffer[] = [];
  for (let at = signature.length; at < png.length; at += png.readUInt32BE(at) + 12)
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)));
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const step = png[25] === 6 ? 4 : 3;
  const filtered = inflateSync(Buffer.concat(parts));
  const size = width * step;
  let above = Buffer.alloc(size);
  const pixels = new Uint32Array(width * height);
  for (let row = 0; row < height; row += 1) {
    const line = Buffer.from(filtered.subarray(row * (size + 1) + 1, (row + 1) * (size + 1)));
    const filter = filtered[row * (size + 1)] ?? 0;
    for (let at = 0; at < size; at += 1) {
      const left = at < step ? 0 : (line[at - step] ?? 0);
      const corner = at < step ? 0 : (above[at - step] ?? 0);
      line[at] = (line[at] ?? 0) + predicted(filter, left, above[at] ?? 0, corner);
    }
    for (let at = 0; at < width; at += 1) pixels[row * width + at] = line.readUIntBE(at * step, 3);
    above = line;
  }
  return { width, height, pixels };
}

/** By the filter of a row: 0 none, 1 left, 2 above, 3 their mean, 4 Paeth's. */
function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter !== 4) return [0, left, above, (left + above) >> 1][filter] ?? 0;
  const guess = left + above - corner;
  const [ofLeft, ofAbove, ofCorner] = [left, above, corner].map((each) => Math.abs(guess - each)) as [
    number,
    number,
    number,
  ];
  if (ofLeft <= ofAbove && ofLeft <= ofCorner) return left;
  return ofAbove <= ofCorner ? above : corner;
}

const channelsOf = (colour: number): readonly number[] => [colour >> 16, (colour >> 8) & 255, colour & 255];

function nearest(palette: readonly number[], colour: number): number {
  const channels = channelsOf(colour);
  const distances = palette.map((each) =>
    channelsOf(each).reduce((sum, value, at) => sum + (value - (channels[at] ?? 0)) ** 2, 0),
  );
  return distances.indexOf(Math.min(...distances));
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
