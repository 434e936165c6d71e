/**
 * The page that asks, from the `Origin` that its browser sends. Undefined for a backend, which sends none, and for what is no
 * origin (`null` of a sandboxed frame).
 */
export function openerOriginOf(header: string | undefined): { readonly openerOrigin?: string } {
  return header !== undefined && URL.parse(header)?.origin === header ? { openerOrigin: header } : {};
}
