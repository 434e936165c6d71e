import { crc32, deflateRawSync } from 'node:zlib';

/** One file of a zip. Its headers may state something else than it is. */
export interface ZipEntry {
  readonly name: string;
  readonly content: string | Buffer;
  /** @default true */
  readonly isDeflated?: boolean;
  /** Only the flag: the content stays readable. @default false */
  readonly isEncrypted?: boolean;
  /** Size that the headers state. @default that of the content */
  readonly statedBytes?: number;
  /** Checksum that the headers state. @default that of the content */
  readonly statedCrc32?: number;
}

/** A zip of these files. Source: APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const content = Buffer.from(entry.content);
    const packed = entry.isDeflated === false ? content : deflateRawSync(content);
    const shared = sharedFields(entry, { content, packed, name });
    const local = Buffer.concat([uint32(0x04034b50), shared, name, packed]);
    // The ten bytes: length of the comment, number of the disk, attributes.
    directory.push(uint32(0x02014b50), uint16(20), shared, Buffer.alloc(10), uint32(offset), name);
    parts.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const count = uint16(entries.length);
  const end = [uint32(0x06054b50), uint32(0), count, count, uint32(central.length), uint32(offset), uint16(0)];
  return Buffer.concat([...parts, central, ...end]);
}

/** From "version needed to extract" to "extra field length": the same in both headers. */
function sharedFields(entry: ZipEntry, of: { content: Buffer; packed: Buffer; name: Buffer }): Buffer {
  const flags = 0x0800 | (entry.isEncrypted === true ? 1 : 0);
  return Buffer.concat([
    uint16(20),
    uint16(flags),
    uint16(entry.isDeflated === false ? 0 : 8),
    uint32(0),
    uint32(entry.statedCrc32 ?? crc32(of.content)),
    uint32(of.packed.length),
    uint32(entry.statedBytes ?? of.content.length),
    uint16(of.name.length),
    uint16(0),
  ]);
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
