/** Limits of uploads. The specification is silent; each is far above what a manifest needs (rulings). */
export const uploadLimits = {
  /** Bytes of the zip. As many as a JSON body may have. */
  zipBytesMax: 1_048_576,
  /** Bytes of the manifest, unpacked: as many as `sourceYaml` may have. Nothing else of a zip is unpacked. */
  manifestBytesMax: 1_048_576,
  /** Bytes that all entries say they unpack to. */
  unpackedBytesMax: 10_485_760,
  /** Entries of a zip. */
  entriesMax: 1_000,
  /** How long an address takes a zip, and from then on how long it can be deployed: an hour each. */
  lifeMs: 3_600_000,
  /** Uploads of a project that wait at once; the oldest give way. With a megabyte each it bounds what a key can have us keep. */
  waitingMax: 100,
} as const;
