/** The times of a resource as the API spells them: RFC 3339 with offset; `updateTime` only when there is one. */
export function resourceTimes(row: { readonly created_at: Date; readonly updated_at: Date | null }): {
  createTime: string;
  updateTime?: string;
} {
  return {
    createTime: row.created_at.toISOString(),
    ...(row.updated_at ? { updateTime: row.updated_at.toISOString() } : {}),
  };
}
