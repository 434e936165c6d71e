/** Limits of requests. "Limits" is that table of the specification; "design 6" what we chose where it is silent. */
export const limits = {
  /** Bytes of a request's body: of a single write, of a batch, of any other request. Our choice. */
  singleWriteBytesMax: 1_000_000,
  batchWriteBytesMax: 5_000_000,
  bodyBytesMax: 1_048_576,
  /** Records of a batch write. Source: Limits, 1 to 100. */
  batchRecordsMax: 100,
  /** Records at which an auto-batch leaves. Source: Limits. */
  autoBatchRecordsMax: 100,
  /** `autoBatchPolicy.maxDelayMinutes`. Source: Limits, 1 to 1440 (24 hours). */
  maxDelayMinutesMin: 1,
  maxDelayMinutesMax: 1440,
  /** `retryPolicy.deadlineHours` and `autoBatchPolicy.retryDeadlineHours`. Source: Limits; the minimum: design 6. */
  deadlineHoursMin: 1,
  deadlineHoursMax: 48,
  deadlineHoursDefault: 1,
  /** Fields of one record. The JSON reader's cap on keys of one object. */
  recordFieldsMax: 1000,
  /** Items of a list that a record holds. Our choice: the JSON reader's cap on a list of a write, batch and policies included. */
  recordListItemsMax: 100,
  /** Bytes of one text of a write, as in the body. Our choice: the size of a single write. */
  textBytesMax: 1_000_000,
  /** Values of a write's body, however they are nested. Our choice: 100 records of 1000 fields, and lists of some items beside them. */
  bodyValuesMax: 250_000,
  /** Bytes of the plans of one write, with the config's defaults. Our choice: the largest body, and a fifth for what planning adds. */
  planBytesMax: 6_000_000,
  /**
   * Bytes of the plans of one provider call, where it can be divided: by records, by bytes, whichever comes first. Our choice: below the largest body,
   * so that a call costs what a request may cost. A record that has more goes alone, and an all-or-none batch as the request that it was.
   */
  callPlanBytesMax: 4_000_000,
  /** Forwarded headers, and the bytes of their names and values together. Source: design 6. */
  forwardedHeadersMax: 20,
  forwardedHeadersBytesMax: 8192,
  /** Characters of a forwarded header's name. Our choice: no header of a provider comes near. */
  forwardedHeaderNameCharactersMax: 200,
  /** Characters of an id or a name that we store. Our choice: far above what a provider issues. */
  nameCharactersMax: 255,
  /**
   * Bytes of a connection's metadata as JSON. Our choice: as many as a secret may have, because each write and search of the connection reads it with its
   * credentials.
   */
  providerMetadataBytesMax: 16_384,
  /** Characters of the header `Idempotency-Key`, and how long a key is kept. Source: design 6. */
  idempotencyKeyCharactersMax: 255,
  idempotencyKeyHours: 72,
  /** Characters of the header `Sluice-Record-Ref`. Source: design 6. */
  recordRefCharactersMax: 255,
  /** Filters of a search; records of its one page. Source: design 6. */
  searchFiltersMax: 20,
  searchPageRecords: 100,
  /** Seconds a get-operation may wait (`?waitSeconds=`). Source: design 6. */
  waitSecondsMin: 1,
  waitSecondsMax: 30,
  /** `pageSize` of a paged list. Source: published API, operations. */
  pageSizeMin: 1,
  pageSizeMax: 1000,
  pageSizeDefault: 200,
  /** Bytes of stored bodies in one page, and in one batch of a list that is given whole; a larger item is alone in its page. */
  pageBytesMax: 1_000_000,
  /** Seconds between `iat` and `exp` of a bearer token. Source: design 6. */
  jwtLifetimeSecondsMax: 600,
  /** Paths of an update mask, changes of a JSON Patch. Our choice: the JSON reader's cap on a list. */
  changesMax: 100,
  /** Characters of a config's content as JSON. Our choice: the body limit, because changes of a config add up. */
  configCharactersMax: 1_000_000,
  /** Issues that one reply lists: a batch of 100 bad records must not cause a reply of megabytes. Our choice. */
  issuesMax: 20,
} as const;

/** Milliseconds of the specification's minutes and hours. Converted here and nowhere else. */
export function minutesToMs(minutes: number): number {
  return minutes * 60_000;
}

/** Milliseconds of the specification's hours. */
export function hoursToMs(hours: number): number {
  return hours * 3_600_000;
}
